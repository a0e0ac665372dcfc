"""HTTP routes of llama.cpp, OpenAI and Mistral for editors without LSP."""

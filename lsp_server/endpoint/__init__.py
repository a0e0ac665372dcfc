"""HTTP routes of llama.cpp, OpenAI and Mistral for editors that speak no LSP."""

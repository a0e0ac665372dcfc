"""From the document to the prompt: vocabulary, fill-in-the-middle templates, the context window."""

"""The names known to the user's type checker at a place: a child serving LSP is asked while the prompt is read; nothing waits for it."""

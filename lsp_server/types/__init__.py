"""The names that the user's type checker knows at a place: a child that serves LSP is asked while the prompt is read; nothing waits for it."""

"""What the type checker that people have knows of a place: a child that serves LSP, asked while the prompt is read; nothing waits for it."""

"""Models behind a server: the engine verifies their drafts (docs/served-models.md)."""

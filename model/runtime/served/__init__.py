"""Models behind a server: its drafts are verified by the engine (docs/served-models.md)."""

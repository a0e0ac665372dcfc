"""The settings: their declarations, their sources, their order."""

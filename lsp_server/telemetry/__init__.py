"""Counts of what became of suggestions, kept on this machine."""

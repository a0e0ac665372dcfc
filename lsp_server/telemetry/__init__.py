"""Counts of the fates of suggestions, kept on this machine."""

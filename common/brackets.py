"""The brackets of code and data."""

CLOSERS = {"(": ")", "[": "]", "{": "}"}
"""Opening bracket -> the one that closes it."""
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}
"""Closing bracket -> the one that opens it."""

"""The brackets of code and data."""

CLOSERS = {"(": ")", "[": "]", "{": "}"}
"""Opening bracket -> its closing bracket."""
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}
"""Closing bracket -> its opening bracket."""

"""Whether a prefix and a suffix of any grammar can be connected, decided exactly."""

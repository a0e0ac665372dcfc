"""Go, as its own parsers read it."""

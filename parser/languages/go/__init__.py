"""Go, as its own parsers read it."""

PATTERNS = {"go": ("*.go",)}

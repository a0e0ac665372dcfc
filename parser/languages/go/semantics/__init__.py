"""The checks of Go's compiler that need no types, and names that exist."""

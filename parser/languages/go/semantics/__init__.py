"""The checks of Go's compiler that need no types, and the existence of names."""

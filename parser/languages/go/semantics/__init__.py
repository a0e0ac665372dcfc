"""What Go's compiler checks without types, and names that exist."""

"""The other files that may be read, and the excerpts from them."""

"""The other readable files, and the excerpts from them."""

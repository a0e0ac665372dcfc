"""Languages given as a Lark grammar file."""

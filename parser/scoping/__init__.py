"""What the semantics of all languages share: why a text is refused, and a state of the hole that knows."""

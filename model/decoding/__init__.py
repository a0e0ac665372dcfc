"""From logits to text, held to a constraint."""

"""From logits to text under a constraint."""

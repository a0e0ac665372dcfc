"""The parts that the semantics of all languages share: verdicts, and a state of the hole that gives them."""

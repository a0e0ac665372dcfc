"""The parts shared by the semantics of all languages: verdicts, and a state of the hole that gives them."""

"""Which of a vocabulary's tokens may come next, for all of them at once."""

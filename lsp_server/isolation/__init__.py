"""Two processes: the relay reads messages and never computes; the answering process computes and may be replaced."""

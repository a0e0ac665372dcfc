"""Two processes: one that reads messages and never computes, and one that answers them and may be replaced."""

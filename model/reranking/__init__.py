"""Which of several texts for a place is the likeliest, from how each of them stands in the file."""

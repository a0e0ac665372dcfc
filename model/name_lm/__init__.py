"""The names around the cursor as votes for the next name."""

"""Names around the cursor as votes: which of them is likely where one is written."""

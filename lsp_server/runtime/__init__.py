"""What outlives a client: the model's thread, and who watches over it."""

"""The objects that outlive a client: the model's thread, and its supervisor."""

"""The memory of suggestions, those in the making, and the time when the model is asked."""

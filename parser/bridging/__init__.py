"""The search of the shortest text that connects both contexts."""

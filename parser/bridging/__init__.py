"""The search for the shortest text between both contexts."""

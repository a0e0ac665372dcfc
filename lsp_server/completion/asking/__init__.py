"""What is remembered, what is in the making, and when the model is asked."""

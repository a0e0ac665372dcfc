"""The candidate texts: from the model, from facts of the code, with imports."""

"""The texts that come into question: of the model, of conventions, with imports."""

"""The texts that come into question: of the model, of facts of the code, with imports."""

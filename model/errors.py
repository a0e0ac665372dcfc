"""What can go wrong with a model, said in one line that tells the user what to do."""


class ModelError(RuntimeError):
    """A model that cannot be loaded or run; the message is one line and says what to do."""

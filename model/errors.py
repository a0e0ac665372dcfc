"""Errors of models, in one line that tells the user the remedy."""


class ModelError(RuntimeError):
    """A model that cannot be loaded or run; the message is one line and says the remedy."""


class OutOfMemory(ModelError):
    """A model that does not fit into the memory of its device."""


def is_panic(error: BaseException) -> bool:
    """Whether a library in Rust raised this because it gave up, such as tokenizers at an expression that explodes.

    It is no Exception, and its class cannot be imported.
    """
    return type(error).__name__ == "PanicException"


class ServerUnavailable(ModelError):
    """A server that does not answer now; it may later."""


class ServerHangs(ServerUnavailable):
    """A server that takes requests and says nothing, not even whether it lives."""


class Cancelled(Exception):
    """Nobody waits for the result of a request any more."""


def first_line(error: BaseException) -> str:
    """Another library's message of an error, short enough to be part of a line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]

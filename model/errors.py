"""Errors of models, in one line with the remedy for the user."""


class ModelError(RuntimeError):
    """A model that cannot be loaded or run; the message is one line with the remedy."""


class OutOfMemory(ModelError):
    """A model that does not fit into the memory of its device."""


def is_panic(error: BaseException) -> bool:
    """Whether a panic of a Rust library raised this, such as tokenizers at an exploding expression.

    It is no Exception, and its class cannot be imported.
    """
    return type(error).__name__ == "PanicException"


class ServerUnavailable(ModelError):
    """A server that does not answer now; it may later."""


class ServerHangs(ServerUnavailable):
    """A server that takes requests and does not answer, not even whether it lives."""


class Cancelled(Exception):
    """Nobody waits for the result of a request any more."""


def first_line(error: BaseException) -> str:
    """Another library's error message, short enough for a part of a line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]

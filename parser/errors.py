"""The errors raised by this package; broken user code is never one of them."""


class GrammarError(ValueError):
    """A grammar file cannot be used; the message names the file, the line where known, and the reason."""


class UnknownLanguage(LookupError):
    """There is no language of this name (or no such version of it); the message lists the existing ones."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else "unknown language"

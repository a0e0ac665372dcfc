"""Errors on the user's side."""


class UserError(Exception):
    """A problem the user can fix; the message is one line with the fault and the remedy."""


class Unavailable(UserError):
    """There is no model to ask."""


class TooSlow(Exception):
    """A document whose reading takes longer than a request can wait."""

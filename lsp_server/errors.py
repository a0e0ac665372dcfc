"""Errors on the user's side."""


class UserError(Exception):
    """Something a user can put right; the message is one line with the fault and the remedy."""


class Unavailable(UserError):
    """There is no model to ask."""


class TooSlow(Exception):
    """A document that takes too long to read for a request to wait for it."""

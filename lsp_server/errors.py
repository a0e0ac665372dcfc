"""What can be wrong on the user's side."""


class Problem(Exception):
    """Something a user can put right; the message is one line that says what it is, and what to do."""


class Unavailable(Problem):
    """There is no model to ask."""

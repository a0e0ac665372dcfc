"""Texts in circles. Small models get stuck: after a few repetitions in a row they never stop."""

_LEAST = 24  # characters of all copies together
_COPIES = 3
_UNIT = 200  # characters of a copy, at most


def first_copy_end(text: str) -> int | None:
    """The end of the first of several equal pieces at a text's end; None if it does not go in circles.

    There are at least three, of together at least 24 characters and with a letter or digit in each.
    """
    for length in range(1, min(_UNIT, len(text) // _COPIES) + 1):
        unit = text[-length:]
        copies = max(_COPIES, -(-_LEAST // length))
        if text.endswith(unit * copies) and any(char.isalnum() for char in unit):
            start = len(text) - copies * length
            while start > 0 and text[start - 1] == text[start - 1 + length]:
                start -= 1
            return start + length
    return None

"""The two ways of Melcer et al. to cut holes into files, by their description."""

from __future__ import annotations

import io
import random
import tokenize

Hole = tuple[str, str, str]  # left, true middle, right

_SPAN = 100  # characters


def boundary(text: str, rng: random.Random) -> Hole | None:
    """A hole from within one symbol to within another of the same run of equal indentation; None without two symbols.

    A run is the symbols of one block, and goes on after blocks nested in it. Both symbols are chosen at random, and cut at random: at least
    the last character of the first and the first one of the second are in the hole. Its length is arbitrary.
    """
    symbols = _symbols(text)
    runs: dict[int, list[int]] = {}
    for index, (_, _, run) in enumerate(symbols):
        runs.setdefault(run, []).append(index)
    of_two = [index for index, (_, _, run) in enumerate(symbols) if len(runs[run]) > 1]
    if not of_two:
        return None
    chosen = rng.choice(of_two)
    partner = rng.choice([index for index in runs[symbols[chosen][2]] if index != chosen])
    first, second = symbols[min(chosen, partner)], symbols[max(chosen, partner)]
    start, end = rng.randrange(first[0], first[1]), rng.randint(second[0] + 1, second[1])
    return text[:start], text[start:end], text[end:]


def random_span(text: str, rng: random.Random) -> Hole:
    """A hole at a random point of the first nine tenths, of 100 characters, or of a fifth of the file if that is less, up to the file's end
    at most."""
    start = rng.randrange(max(1, int(len(text) * 0.9)))
    end = start + min(_SPAN, len(text) // 5)
    return text[:start], text[start:end], text[end:]


def _symbols(text: str) -> list[tuple[int, int, int]]:
    """(start, end, run) of each visible symbol."""
    lines = [0]
    for line in io.StringIO(text, newline=""):
        lines.append(lines[-1] + len(line))
    symbols: list[tuple[int, int, int]] = []
    open_runs, runs = [0], 1
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.INDENT:
                open_runs.append(runs)
                runs += 1
            elif token.type == tokenize.DEDENT:
                open_runs.pop()
            elif token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING):
                start = lines[token.start[0] - 1] + token.start[1]
                symbols.append((start, lines[token.end[0] - 1] + token.end[1], open_runs[-1]))
    except (tokenize.TokenError, SyntaxError):  # tokenize may refuse what ast accepts
        return []
    return symbols

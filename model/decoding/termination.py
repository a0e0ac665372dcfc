"""Ending well: the best passed place with a complete hole, or else the shortest bridge.

A point is a place where the generated text is whole characters. `choose_earlier` ranks the complete ones by the model's own probability of
ending there; `choose_bridge` searches from the last point back for texts that connect to the right context, and takes of the shortest the
most probable one under the model.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ...common.constraint import Constraint
from ...common.words import compiled
from ..runtime.base import Model
from .among import NO_TOKENS, Among
from .driver import Clock, ModelCursor
from .scoring import logsumexp

_WITHIN_WORD = compiled(r"\w\w")
_SELF = re.compile(r"(?<![\w.])(?:self|cls)\Z")
_CODE = re.compile(r"^[ \t]*(?!#|//)[^\s]", re.MULTILINE)
"""A line other than a comment: comments alone announce missing code."""
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = ('"', "'", "`")
_PIECE = re.compile(r"[\"'`]|\\.|//|[()\[\]{}]")
_SCORED = 4  # bridges of the same length to compare; each costs the model a pass


@dataclass(frozen=True, slots=True)
class StopPoint:
    """A place in the text where it could end or be bridged."""

    state: Constraint
    text: str
    tokens: int  # of the text
    ids: int  # the model's sequence up to here, in ids
    complete: bool
    log_prob: float = 0.0  # of the text
    end: float = -np.inf  # the model's log probability of ending here
    ready: bool = False  # complete except for the remainder of the right context
    among: Among = NO_TOKENS  # the log probability of the text, each token's among those allowed
    onward: float = -np.inf  # its log probability of continuing like the right context (`onward`)

    @property
    def worth(self) -> float:
        """The log probability that the text is over here: the model ends it, or continues with the text behind the hole."""
        return float(np.logaddexp(self.end, self.onward))


def choose_earlier(points: Sequence[StopPoint], blank: bool = False) -> StopPoint | None:
    """The complete point with text at which the model would most probably end; the later one of equals.

    If there is none, one complete except for the remainder. White space alone is no text to end with: a block begun after it is better closed
    by a bridge; `blank` asks for it if there is no bridge.
    """
    worth = [point for point in points if point.text if blank or point.text.strip()]
    candidates = [point for point in worth if point.complete] or [point for point in worth if point.ready]
    return max(candidates, key=lambda point: (point.worth, point.tokens), default=None)


def ends_line(text: str, rest: str) -> bool:
    """Whether a text before a rest consists of whole lines, except for blanks; the text after the last token is unknown."""
    return text.rstrip(" \t").endswith(("\n", "\r")) or rest.startswith(("\n", "\r"))


def last_whole_line(points: Sequence[StopPoint], text: str) -> StopPoint | None:
    """The last point of a text with an ended line, code among its lines, and a complete hole."""
    whole = (point for point in reversed(points) if point.complete and _CODE.search(point.text) is not None)
    return next((point for point in whole if ends_line(point.text, text[len(point.text) :])), None)


def last_closed_line(points: Sequence[StopPoint], text: str, begun: str) -> tuple[StopPoint, str] | None:
    """The last point of a text with an ended line in brackets, and its lines with these closed, if that completes the hole.

    begun: the text before the hole on its first line.
    """
    tried = ""
    for point in reversed(points):
        lines = point.text.rstrip()
        if lines == tried or not ends_line(point.text, text[len(point.text) :]) or _CODE.search(lines) is None:
            continue
        tried = lines
        if lines.endswith(tuple(_CLOSERS)):  # with nothing inside
            continue
        whole = lines + closers_below(lines, begun)
        after = points[0].state.advance(whole[len(points[0].text) :]) if whole != lines else None
        if after is not None and after.complete:
            return point, whole
    return None


def closers_below(text: str, begun: str = "") -> str:
    """The closers of the brackets a text leaves open: those of one line on a line below, as deep as that; "" if they do not match.

    begun: the text before it on its first line; that text's brackets are closed behind it.
    """
    opened: list[tuple[int, str, str]] = []  # number and blanks of its line, and the closer
    quote = ""
    for number, line in enumerate(text.split("\n")):
        whole = line if number else begun + line
        blank = whole[: len(whole) - len(whole.lstrip(" \t"))]
        for piece in _PIECE.findall(line):
            if quote:
                quote = "" if piece == quote else quote
            elif piece in _QUOTES:
                quote = piece
            elif piece == "//":
                break
            elif piece in _CLOSERS:
                opened.append((number, blank, _CLOSERS[piece]))
            elif piece[0] != "\\" and (not opened or opened.pop()[2] != piece):
                return ""
        quote = quote if quote == "`" else ""
    closers, below = "", -1
    for number, blank, closer in reversed(opened):
        closers += closer if number == below else f"\n{blank}{closer}"
        below = number
    return closers


def is_late(deadline: float, points: Sequence[StopPoint], text: str, begun: str) -> bool:
    """Whether a deadline on the clock of `perf_counter` is over, and some of the text is whole, or would be with its brackets closed."""
    if perf_counter() <= deadline:
        return False
    return last_whole_line(points, text) is not None or last_closed_line(points, text, begun) is not None


def breaks_off(text: str, rest: str) -> bool:
    """Whether a text before a rest ends within a word, behind a comma, or between `self` and its dot."""
    return bool(rest) and (text.endswith(",") or cuts_name(text, rest))


def cuts_name(text: str, rest: str) -> bool:
    """Whether a text before a rest ends within a word, or between `self` and its dot."""
    within_word = _WITHIN_WORD.match(text[-1:] + rest[:1]) is not None
    return within_word or (rest.startswith(".") and _SELF.search(text) is not None)


def choose_bridge(
    points: Sequence[StopPoint],
    driver: ModelCursor,
    clock: Clock,
    deadline: float,
    cancelled: Callable[[], bool],
    bridges_of: dict[str, list[str]],
) -> tuple[StopPoint, str] | None:
    """A point and the text that completes the hole from there, from the latest possible point.

    bridges_of: the bridges found behind each text of this hole, since several texts begin alike. `deadline`, on the clock of `perf_counter`:
    after it only the last point and the first are tried, once and to the end of the search, since a fitting text late is better than none.
    `cancelled` is called within the search.
    """

    def stop() -> bool:
        return cancelled() or perf_counter() > deadline

    attempts = [(index, stop) for index in _backwards(len(points))]
    attempts += [(index, cancelled) for index in dict.fromkeys((len(points) - 1, 0)) if points]
    searched: set[int] = set()  # to the end
    for index, given_up in attempts:
        if index in searched or given_up():
            continue
        point = points[index]
        bridges = bridges_of.get(point.text)
        if bridges is None:
            with clock.running():
                bridges = _joining(point, given_up)
            if bridges or not given_up():
                bridges_of[point.text] = bridges
        if bridges:
            with driver.clock.running():
                return point, most_probable(bridges, driver.sequence[: point.ids], driver.model)
        if point.text in bridges_of:
            searched.add(index)
    return None


def _joining(point: StopPoint, stop: Callable[[], bool]) -> list[str]:
    """The shortest bridges from a point; none if nothing is missing."""
    bridges = () if point.complete else point.state.bridges(stop)
    shortest = [text for text in bridges if len(text) == min(map(len, bridges))]
    return [text for text in shortest if (after := point.state.advance(text)) is not None and after.complete]


def most_probable(texts: Sequence[str], sequence: Sequence[int], model: Model) -> str:
    """The text the model would most probably write after `sequence`, of at most the first few."""
    texts = texts[:_SCORED]
    if len(texts) == 1:
        return texts[0]
    if model.served is not None:
        return texts[model.served.best_of(sequence, [model.vocabulary.encode(text) for text in texts])]
    first = model.runtime.prefill(sequence)
    return max(texts, key=lambda text: _log_prob(model.vocabulary.encode(text), first, len(sequence), model))


def _log_prob(ids: Sequence[int], first: np.ndarray, length: int, model: Model) -> float:
    rows = [first]
    if len(ids) > 1 and length + len(ids) <= model.runtime.limit:
        rows += list(model.runtime.rows(ids[:-1]))
        model.runtime.crop(length)
    return sum(float(row[i]) - logsumexp(row) for row, i in zip(rows, ids, strict=False))


def _backwards(count: int) -> list[int]:
    """All indices: the last, back in doubling strides to the first, and then the rest, from the first on."""
    order: list[int] = []
    index, stride = count - 1, 1
    while index > 0:
        order.append(index)
        index, stride = index - stride, stride * 2
    return list(dict.fromkeys([*order, *range(count)]))

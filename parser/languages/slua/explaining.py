"""The texts a hole in a script accepts, and its reasons for refusals, in the words of all languages (see Explainer)."""

from __future__ import annotations

from ...explain import Accepted, Explanation, HoleGrammar, OpenBlock, OpenBracket, Rejection
from ...hole import HoleState
from ...scoped.stack import NUMBER, PUNCTUATION, STRING, WORD, Expected, Stack
from .check import symbols
from .endings import next_texts
from .hole import ScriptHoleState
from .lexer import COMMENT, KEYWORDS
from .state import PrefixState

_WITHIN = {
    WORD: "a name or keyword",
    NUMBER: "a number",
    STRING: "a string",
    COMMENT: "a comment",
    PUNCTUATION: "an operator",
}
_PAIRS = {")": "(", "}": "{"}
_OPENING = frozenset(("do", "then", "function"))
_GOING_ON = frozenset(("else", "elseif"))
_MOST = 200_000
"""The most characters of a text read to find where it breaks."""


class ScriptExplainer:
    """See Explainer. start: the state before the script, None without an API for it."""

    def __init__(self, start: PrefixState | None) -> None:
        self._start = start

    def explain(self, state: HoleState, before: str | None = None) -> Explanation:
        own = _own(state)
        return _explanation(own.prefix, before, complete=own.complete)

    def why_rejected(self, state: HoleState, middle: str, before: str | None = None) -> Rejection | None:
        """See Explainer. A text ruled out by the right context alone is not refused."""
        return _broken(_own(state).prefix, middle, before)

    def why_not_complete(self, state: HoleState, before: str | None = None) -> Rejection | None:
        own = _own(state)
        return None if own.complete else _broken(own.prefix, own.right.text, before, ends=True)

    def why_text_breaks(self, state: HoleState, text: str, before: str | None = None) -> Rejection | None:
        return _broken(_own(state).prefix, text, before)

    def why_left_breaks(self, before: str) -> Rejection | None:
        return None if self._start is None else _broken(self._start, before, "")

    def counted(self, state: HoleState) -> int:
        return len(_own(state).right.text)

    def grammar(self, state: HoleState, before: str) -> HoleGrammar | None:
        """None: the possible symbols depend on names and types, which no grammar has."""
        return None


def _own(state: HoleState) -> ScriptHoleState:
    assert isinstance(state, ScriptHoleState), "an explainer is asked about states of its own language"
    return state


def _broken(begun: PrefixState, text: str, before: str | None, *, ends: bool = False) -> Rejection | None:
    """Where a text after a state dies; ends: it has to end the script."""
    start = state = begun
    begins, offset = 0, 0
    for offset, char in enumerate(text[:_MOST]):
        after = state.read(char)
        if not state.lex.kind or (after is not None and after.stack is not state.stack):
            start, begins = state, offset
        if after is None:
            break
        state = after
    else:
        if not ends or state.finished or len(text) > _MOST:
            return None
        offset = len(text)
        if not state.lex.kind:
            start, begins = state, offset
    whole = None if before is None else before + text
    cut = 0 if whole is None else len(whole) - len(text)
    return Rejection(
        offset,
        begins,
        _explanation(start, None if whole is None else whole[: cut + begins]),
        _explanation(state, None if whole is None else whole[: cut + offset]),
    )


def _explanation(state: PrefixState, before: str | None, *, complete: bool = False) -> Explanation:
    kind, text, _ = state.lex
    settled = state.settled
    becomes: tuple[Accepted, ...] = ()
    if kind == WORD and state.stack is not None:
        becomes = tuple(_word(word) for word in state.stack.words_with(text))
    brackets, blocks, symbol = _open(before or "")
    accepted = _accepted(settled.expected) if isinstance(settled, Stack) and kind not in (COMMENT, STRING) else ()
    return Explanation(
        complete=complete,
        within=_WITHIN.get(kind, ""),
        text=(before or "")[symbol:] if kind else "",
        becomes=becomes,
        closers=tuple(next_texts(state)) if kind in (STRING, COMMENT) else (),
        accepted=accepted,
        layout=None,
        brackets=brackets,
        blocks=blocks,
        wanted=settled.expected.what if accepted and isinstance(settled, Stack) else "",
    )


def _accepted(expected: Expected) -> tuple[Accepted, ...]:
    patterns: list[Accepted] = []
    if expected.new_name is not None:
        patterns.append(Accepted("NEW_NAME", ("a",), "pattern"))
    if expected.number:
        patterns.append(Accepted("NUMBER", ("1",), "pattern"))
    if expected.string:
        patterns.append(Accepted("STRING", ('"a"',), "pattern"))
    words = sorted(expected.words, key=lambda word: (word in KEYWORDS, word))
    signs = [Accepted(sign, (sign,), "bracket" if sign in "(){}" else "operator") for sign in expected.punctuation]
    signs.sort(key=lambda sign_accepted: (sign_accepted.kind == "bracket", sign_accepted.name))
    return (*patterns, *map(_word, words), *signs)


def _word(word: str) -> Accepted:
    return Accepted(word, (word,), "keyword" if word in KEYWORDS else "name")


def _open(before: str) -> tuple[tuple[OpenBracket, ...], tuple[OpenBlock, ...], int]:
    """(brackets of the innermost block, blocks, the beginning of the symbol in progress) after a text."""
    opened: list[OpenBracket | OpenBlock] = []
    last = 0
    for start, text in symbols(before):
        last = start
        if text in _OPENING:
            # `while` and `for` have a `do`, `if` and `elseif` a `then`: the line tells them apart.
            opened.append(_block(before, start))
        elif text in _GOING_ON or text == "end":
            while opened and isinstance(opened.pop(), OpenBracket):
                pass
            if text == "else":
                opened.append(_block(before, start))
        elif text in ("(", "{"):
            opened.append(OpenBracket(text, start))
        elif text in _PAIRS and opened and isinstance(opened[-1], OpenBracket) and opened[-1].text == _PAIRS[text]:
            opened.pop()
    blocks = [index for index, item in enumerate(opened) if isinstance(item, OpenBlock)]
    inner = opened[blocks[-1] + 1 :] if blocks else opened
    return (
        tuple(item for item in inner if isinstance(item, OpenBracket)),
        tuple(item for item in opened if isinstance(item, OpenBlock)),
        last,
    )


def _block(text: str, offset: int) -> OpenBlock:
    begin = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[begin : end if end >= 0 else len(text)]
    start = begin + len(line) - len(line.lstrip())
    return OpenBlock(start - begin, line.strip(), start)

"""The possible next symbols at a place, each with an example text.

Nothing is taken from tables alone: a symbol counts when the hole takes its text, so the answers agree with `advance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..bridging.tokens import TokenBridging
from ..glr.gss import GssState
from ..glr.layout import Frame, Line
from ..hole import State
from ..languages.generic.indented import IndentedDeciders
from ..languages.generic.language import CompletabilityCache
from ..languages.python.lexer.between import Between
from ..languages.python.lexer.fstrings import FString
from ..languages.python.lexer.numbers import Number
from ..languages.python.lexer.operators import Operator
from ..languages.python.lexer.python_lexer import PythonLexer
from ..languages.python.lexer.strings import TwoQuotes
from ..languages.python.lexer.symbol import PythonSymbol
from ..languages.python.lexer.templates import Conversion, Text
from ..languages.python.lexer.words import KeywordAfterNumber, Name
from ..lexing.base import LexState, Token, settled
from ..lexing.boundaries import AutomatonLexer
from ..lexing.dfa_lexer import ANY_FURTHER, DfaLexer, is_between

_DEEPER = 4
"""How many columns further right a new block is shown."""
KINDS = ("pattern", "name", "keyword", "operator", "bracket")
_ENDS_WITH_A_SPACE = (Name, Number, Operator, KeywordAfterNumber, TwoQuotes, Conversion)
_PATTERNS = {
    "NAME": ("name",),
    "NUMBER": ("1",),
    "IMAGINARY": ("1j",),
    "STRING": ("'text'", '"text"'),
    "BYTES": ("b'text'", 'b"text"'),
    "FSTRING_START": ("f'{x}'", 'f"{x}"'),
    "TSTRING_START": ("t'{x}'", 't"{x}"'),
    "CONVERSION": ("!r",),
}
# These words are names, too: the next symbol makes a keyword of one.
_SOFT = {"match": "match x:", "case": "case x:", "type": "type x =", "_": "", "__debug__": ""}
_NAMES = {"FSTRING_START": "FSTRING", "TSTRING_START": "TSTRING"}


@dataclass(frozen=True)
class Accepted:
    """A possible symbol; a fixed text is its own name and example."""

    name: str
    examples: tuple[str, ...]
    kind: str
    """one of KINDS: of all symbols with a pattern of their own, "pattern"; of known names, where names count, "name" """


def kind_of(text: str) -> str:
    """The kind of a symbol with a fixed text."""
    return "bracket" if text in "()[]{}" else "keyword" if text[:1].isalpha() or text[:1] == "_" else "operator"


def upcoming(state: State) -> tuple[Accepted, ...]:
    """The symbols that may begin at the cursor, or right after the one in progress when that may end here."""
    lexer = state.context.engine.lexer
    if isinstance(lexer, DfaLexer):
        symbols: Iterable[Accepted] = _by_automaton(state)[0]
    else:
        symbols = _upcoming_words(state, lexer) if isinstance(lexer, AutomatonLexer) else _upcoming_python(state)
    return tuple(sorted(symbols, key=lambda accepted: KINDS.index(accepted.kind)))


def becoming(state: State) -> tuple[Accepted, ...]:
    """The symbols the current one can still become, each with an example ending."""
    lexer = state.context.engine.lexer
    if isinstance(lexer, DfaLexer):
        return tuple(_by_automaton(state)[1])
    return tuple(_becoming_words(state, lexer) if isinstance(lexer, AutomatonLexer) else _becoming_python(state))


# -- Python


def _upcoming_python(state: State) -> Iterator[Accepted]:
    lexer = state.context.engine.lexer
    assert isinstance(lexer, PythonLexer)
    symbol = _innermost(state.left.lex)
    ends_with_a_space = isinstance(symbol, _ENDS_WITH_A_SPACE)
    if symbol.in_words and not ends_with_a_space:
        return
    before = " " if ends_with_a_space else ""
    ended = state.advance(before)
    if ended is None:
        return
    for name, examples in _PATTERNS.items():
        taken = next((text for text in examples if ended.advance(text + " ") is not None), None)
        if taken is not None:
            yield Accepted(_NAMES.get(name, name), (taken,), "pattern")
    for text in lexer.keywords:
        tried = _SOFT.get(text, text + " ")
        if tried and ended.advance(tried) is not None:
            yield Accepted(text, (text,), kind_of(text))
    for text in lexer.operators:
        if ended.advance(text + " ") is not None:
            yield Accepted(text, (text,), kind_of(text))


def _innermost(lex: LexState) -> PythonSymbol:
    """The symbol in progress; within a field of an f-string up to 3.11, the symbol there. A brace may just have begun a field."""
    symbol = settled(lex).symbol
    assert isinstance(symbol, PythonSymbol)
    if isinstance(symbol, Text) and symbol.pending == "{":
        return Between(None)
    if isinstance(symbol, FString):
        if symbol.field is not None:
            return _innermost(symbol.field.left.lex)
        return Between(None) if symbol.escape == "{" else symbol
    return symbol


def _becoming_python(state: State) -> Iterator[Accepted]:
    engine, lex = state.context.engine, state.left.lex
    lexer = engine.lexer
    assert isinstance(lexer, PythonLexer)
    texts = {t: text for text, t in (*lexer.keywords.items(), *lexer.operators.items())}
    for tokens in engine.lexer.expected(lex):
        stacks: GssState | None = state.left.stacks
        for token in tokens:
            if not isinstance(token, int) or stacks is None:  # any line
                stacks = None
                break
            stacks = engine.factory.advance(stacks, token)
        if stacks is None:
            continue
        numbers = [t for t in tokens if isinstance(t, int)]
        names = [texts.get(t, engine.factory.tables.terminals[t]) for t in numbers]
        name = " ".join(_NAMES.get(n, n) for n in names)
        fixed = len(tokens) == 1 and tokens[0] in texts
        yield Accepted(name, (name,) if fixed else (), kind_of(name) if fixed else "pattern")


# -- Go


def _upcoming_words(state: State, lexer: AutomatonLexer) -> Iterator[Accepted]:
    within = lexer.automaton_state(state.left.lex) is not None
    ended = state.advance(" ") if within and not lexer.is_long(state.left.lex) else None if within else state
    if ended is None:
        return
    words: dict[str, Accepted] = {}  # several terminals may be written alike
    for terminal, text in _words(state).items():
        if text not in words and ended.advance(text + " ") is not None:
            words[text] = _accepted_word(state, lexer, terminal, text)
    yield from words.values()


def _becoming_words(state: State, lexer: AutomatonLexer) -> Iterator[Accepted]:
    words = _words(state)
    if lexer.automaton_state(state.left.lex) is None:
        return
    terminals: dict[int, None] = {}
    for terminal, *_ in lexer.expected(state.left.lex):
        assert isinstance(terminal, int)
        if state.context.engine.factory.advance(state.left.stacks, terminal) is not None:
            terminals[lexer.as_written(terminal)] = None
    for terminal in terminals:
        yield _accepted_word(state, lexer, terminal, words[terminal])


def _words(state: State) -> Mapping[int, str]:
    """terminal -> an example of it."""
    bridging = state.context.bridging
    assert isinstance(bridging, TokenBridging)
    return bridging.texts


def _accepted_word(state: State, lexer: AutomatonLexer, terminal: int, text: str) -> Accepted:
    if text in lexer.texts:
        return Accepted(text, (text,), kind_of(text))
    return Accepted(state.context.engine.factory.tables.terminals[terminal], (text,), "pattern")


# -- grammar files


def _by_automaton(state: State) -> tuple[list[Accepted], list[Accepted]]:
    """(upcoming, becoming): the symbols from each possible state of the lexer, as far as the hole takes them."""
    engine, left, context = state.context.engine, state.left, state.context
    lexer, guide = engine.lexer, context.bridging
    assert isinstance(lexer, DfaLexer) and isinstance(guide, CompletabilityCache | IndentedDeciders)
    upcoming: dict[int, str] = {}
    becoming: dict[int, str] = {}

    def offer(examples: dict[int, str], token: Token, text: str, after: LexState, fed: tuple[Frame, GssState]) -> None:
        terminal = token
        if isinstance(token, Line):
            assert engine.lines is not None
            terminal = engine.lines.newline
        assert isinstance(terminal, int)
        if terminal in examples and len(examples[terminal]) <= len(text):
            return
        for meant in _lines(token, fed[0]) if isinstance(token, Line) else (token,):
            reached = engine.feed(*fed, (meant,))
            if reached is not None and context.admits(engine.left(after, *reached)):
                examples[terminal] = text

    for tokens, state_after in lexer.lexer_alternatives(left.lex):
        fed = engine.feed(left.frame, left.stacks, tokens)
        if fed is None:
            continue
        gaps = [(state_after, "")] if is_between(state_after) else []
        if not is_between(state_after):
            for (ended, after), text in lexer.onward(state_after)[1].items():
                if ended is None:  # something ignored, such as a comment
                    gaps.append((after, text))
                else:
                    offer(becoming, ended, text, after, fed)
        for gap, text in gaps:
            way = guide.anytext.way(gap)
            for (terminal, after), more in (*way.over.items(), *way.lines.items()):
                offer(upcoming, terminal, text + more, after, fed)
    names = engine.factory.tables.terminals

    def accepted(examples: dict[int, str]) -> list[Accepted]:
        return [_accepted(names[terminal], text.strip() or text, guide.texts) for terminal, text in examples.items()]

    return accepted(upcoming), accepted(becoming)


def _lines(line: Line, frame: Frame) -> Iterator[Line]:
    """The possible layouts of a line: in an open block, or further right."""
    yield Line(max(line.column, frame.column + _DEEPER), ANY_FURTHER)
    enclosing: Frame | None = frame
    while enclosing is not None:
        if enclosing.column >= line.column:
            yield Line(enclosing.column, enclosing.column)
        enclosing = enclosing.parent


def _accepted(name: str, text: str, texts: Mapping[str, str]) -> Accepted:
    fixed = texts.get(name)
    return Accepted(name, (text,), "pattern") if fixed is None else Accepted(fixed, (fixed,), kind_of(fixed))

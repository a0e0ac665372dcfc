"""Words and estimates for the search of a bridge in Python."""

from __future__ import annotations

from ..blocks import Frame, Line
from ..distance import Distances
from ..lalr import END
from ..left import Engine, Left
from ..lexing import Token
from ..right import Right
from .lexer import PythonLexer

_INDENT = 4
_EXAMPLES = {"NAME": "x", "NUMBER": "0", "IMAGINARY": "0j", "STRING": "''", "BYTES": "b''"}
_PREFERRED = (
    ")",
    "]",
    "}",
    ":",
    ",",
    "pass",
    "x",
    "0",
    "None",
    "''",
    "=",
    "in",
    "else",
    "import",
    "as",
    "for",
    "if",
    "(",
)
_QUOTES = ('"', "'", '"""', "'''", 'b"', "b'", 'r"', "r'")
_BETWEEN = ("clean", "continued", "backslash")
_LINE_SCAN = 20_000
"""Terminals of the right context that are looked at for unmatched brackets."""


class PythonBridging:
    """See Bridging in hole.py."""

    def __init__(self, engine: Engine, lexer: PythonLexer) -> None:
        self._engine, self._lexer = engine, lexer
        tables = engine.factory.tables
        texts = {t: text for text, t in lexer.operators.items()} | {t: text for text, t in lexer.keywords.items()}
        texts |= {tables.terminal(name): text for name, text in _EXAMPLES.items()}
        rank = {text: i for i, text in enumerate(_PREFERRED)}
        self._texts = dict(sorted(texts.items(), key=lambda item: rank.get(item[1], len(rank))))
        self._open = {lexer.operators[b] for b in "([{"}
        self._close = {lexer.operators[b] for b in ")]}"}
        assert engine.blocks is not None
        self._newline = engine.blocks.newline
        costs = {t: len(text) for t, text in self._texts.items()}
        indent, dedent = tables.terminal("INDENT"), tables.terminal("DEDENT")
        self._distances = Distances(engine.factory, costs | {END: 0, self._newline: 1, indent: 1, dedent: 0})
        self._unmatched: dict[Right, int] = {}

    def words(self, left: Left, right: Right) -> list[str]:
        lexer, kind = self._lexer, left.lex.kind
        words = list(lexer.closers(left.lex))
        if kind == "name" and left.lex.data:
            words += [text[len(left.lex.data) :] for text in lexer.keywords if text.startswith(left.lex.data)]
        elif kind != "fstring":
            words += self._heads(right)
        if kind in _BETWEEN:
            advance = self._engine.factory.advance
            words += [text for t, text in self._texts.items() if advance(left.stacks, t) is not None]
            words += [*_QUOTES, "#"]
        elif kind == "fstring":
            words += ["x", "}", ")", "]", "0", '"', "'", '"""', "'''", " ", "s", "=", ":", "else ", "in ", "for x in x"]
        else:
            words += self._texts.values()
        if kind != "fstring" and left.stacks.depth == 0:
            words += self._lines(left.frame)
        if kind.startswith("line") or kind == "start":
            words += [" ", " " * _INDENT, "\t"]
        return words

    def _heads(self, right: Right) -> list[str]:
        """The beginnings of keywords that the right context's first characters end."""
        text = right.text[:16]
        tail = text[: next((i for i, char in enumerate(text) if not char.isalnum()), len(text))]
        if not tail:
            return []
        return [text[: -len(tail)] for text in self._lexer.keywords if text != tail and text.endswith(tail)]

    def _lines(self, frame: Frame) -> list[str]:
        """New lines at the column of each open block, and one deeper."""
        indents = [_indentation(frame) + " " * _INDENT]
        at: Frame | None = frame
        while at is not None:
            indents.append(_indentation(at))
            at = at.parent
        return ["\n" + indent for indent in indents]

    def estimate(self, left: Left, right: Right) -> float:
        """Characters to the right context's first terminal, and brackets that it does not close."""
        missing = abs(left.stacks.depth - self._brackets_closed_by(right))
        if left.lex.kind not in (*_BETWEEN, "start") and not left.lex.kind.startswith("line"):
            closers = self._lexer.closers(left.lex) if left.lex.kind in ("string", "opened") else ()
            return missing + (len(closers[0]) if closers else 0)
        first = self._first_terminal(right)
        return max(missing, self._distances.to(first, left.stacks)) if first is not None else missing

    def _first_terminal(self, right: Right) -> int | None:
        run = right.run(self._lexer.clean)
        while not run.tokens and (run.more(self._engine) or run.link is not None):
            if not run.tokens and run.link is not None:
                linked, index = run.link
                if index < len(linked.tokens):
                    return self._as_terminal(linked.tokens[index], not right.length)
                run = linked
        return self._as_terminal(run.tokens[0], not right.length) if run.tokens else None

    def _as_terminal(self, token: Token, at_end: bool) -> int:
        if isinstance(token, Line):
            return END if at_end else self._newline
        return token

    def _brackets_closed_by(self, right: Right) -> int:
        """How many brackets the right context closes that it does not open."""
        known = self._unmatched.get(right)
        if known is None:
            run, index, depth, lowest = right.run(self._lexer.clean), 0, 0, 0
            for _ in range(_LINE_SCAN):
                while index >= len(run.tokens) and (run.more(self._engine) or run.link is not None):
                    if index >= len(run.tokens) and run.link is not None:
                        run, index = run.link
                if index >= len(run.tokens):
                    break
                token = run.tokens[index]
                index += 1
                if token in self._open:
                    depth += 1
                elif token in self._close:
                    depth -= 1
                    lowest = min(lowest, depth)
            if len(self._unmatched) > 64:
                self._unmatched.clear()
            known = self._unmatched[right] = -lowest
        return known


def _indentation(frame: Frame) -> str:
    """Tabs, then spaces, that give the frame's two columns."""
    tabs = (frame.column - frame.alt_column) // 7
    return "\t" * tabs + " " * (frame.column - 8 * tabs)

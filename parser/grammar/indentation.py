r"""Blocks by indentation, as in Lark's `Indenter`: `//@ indent _INDENT _DEDENT after _NL, not within "(" ")", tab 8`.

After the terminal of newlines (`_NL`) the column of the next line, behind the last newline in its text, gives the next terminal:
`_INDENT` where it is further right than the innermost block's, a `_DEDENT` for each block it ends, else nothing. It has to be the
column of an open block. At the end of the file all blocks end. Between the given pairs of brackets newlines mean nothing.

The rules are rewritten with brackets and blocks as rules of their own, so a parser state tells whether it is within brackets, and the
end of a block takes all of it off the stack: `block: _INDENT body _DEDENT`, `group: "(" body ")"`. Rules used within brackets have
nonterminals of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from ..errors import GrammarError
from . import directives, line_ends

_DIRECTIVE = re.compile(r"^//@[ \t]*indent\b(?P<rest>[^\n]*)$", re.MULTILINE)
_SYMBOL = re.compile(
    r'"(?P<text>(?:[^"\\\n]|\\.)+)"|(?P<name>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<comma>,)|(?P<wrong>\S+)'
)
_USAGE = '//@ indent _INDENT _DEDENT after _NL, not within "(" ")", tab 8'
_TAB = 8

Rule = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Indentation:
    """A directive, by names of terminals."""

    indent: str
    dedent: str
    newline: str
    opening: tuple[str, ...] = ()
    """the brackets within which newlines mean nothing"""
    closing: tuple[str, ...] = ()
    tab: int = _TAB
    """columns per tab"""
    groups: frozenset[str] = frozenset()
    """the nonterminals of such brackets, but not of the text between others"""
    inside: frozenset[str] = frozenset()
    """the nonterminals of text within brackets"""


def directive(source: str, texts: Mapping[str, str], terminals: Set[str], name: str) -> Indentation | None:
    """The directive in a grammar's text; texts: terminal -> its fixed text; terminals: all with a pattern or in a rule. Raises
    GrammarError."""
    declared = directives.only(_DIRECTIVE, source, "indent", name)
    if declared is None:
        return None
    match, place = declared
    terminal_of = directives.terminal_finder(texts, terminals, place)
    parts: list[list[re.Match[str]]] = [[]]
    for symbol in _SYMBOL.finditer(match["rest"]):
        if symbol["comma"]:
            parts.append([])
        else:
            parts[-1].append(symbol)
    first, *others = parts
    if len(first) != 4 or first[2]["name"] != "after":
        raise GrammarError(f"{place}: write it as `{_USAGE}`")
    indent, dedent, newline = (terminal_of(first[i]) for i in (0, 1, 3))
    said = Indentation(indent, dedent, newline)
    for part in others:
        words = [symbol["name"] for symbol in part[:2]]
        brackets = part[2:]
        if words == ["not", "within"] and brackets and not len(brackets) % 2:
            of = [terminal_of(symbol) for symbol in brackets]
            said = replace(said, opening=(*said.opening, *of[::2]), closing=(*said.closing, *of[1::2]))
        elif len(part) == 2 and words[0] == "tab" and part[1]["number"] and int(part[1]["number"]) > 0:
            said = replace(said, tab=int(part[1]["number"]))
        else:
            raise GrammarError(f"{place}: write it as `{_USAGE}`")
    if len({indent, dedent, newline, *said.opening, *said.closing}) < 3 + len(said.opening) + len(said.closing):
        raise GrammarError(f"{place}: each terminal may be named once")
    return said


def with_blocks(
    rules: Sequence[Rule], start: str, said: Indentation, name: str
) -> tuple[tuple[Rule, ...], Indentation]:
    """The rules with blocks and brackets as rules of their own, and their facts. Raises GrammarError."""
    made = _Blocks(rules, said, name)
    rewritten = made.rules(start)
    used = {symbol for _, rhs in rewritten for symbol in rhs}
    for terminal in (said.newline, said.indent, said.dedent):
        if terminal not in used:
            raise GrammarError(f"{name}: no rule uses {terminal}, which `//@ indent` names, where it can come")
    return rewritten, replace(said, groups=frozenset(made.groups), inside=frozenset(made.inside.values()))


class _Blocks:
    def __init__(self, rules: Sequence[Rule], said: Indentation, name: str) -> None:
        self._said, self._name = said, name
        self._of: dict[str, list[tuple[str, ...]]] = {}
        for lhs, rhs in rules:
            self._of.setdefault(lhs, []).append(rhs)
        self._taken = {symbol for lhs, rhs in rules for symbol in (lhs, *rhs)}
        self._bodies: dict[tuple[str, ...], str] = {}
        self._fixed: dict[str, tuple[str, ...]] = {}
        """the rules of blocks and brackets"""
        self._outside: dict[str, str] = {}
        self._closes = {said.indent: {said.dedent}} | {bracket: set(said.closing) for bracket in said.opening}
        self._layout = {said.indent, said.dedent, said.newline}
        self.groups: list[str] = []
        self.inside: dict[str, str] = {}
        """nonterminal -> its variant within brackets"""

    def rules(self, start: str) -> tuple[Rule, ...]:
        """All reachable and productive rules."""
        made: list[Rule] = []
        done, todo = {start}, [start]
        while todo:
            lhs = todo.pop()
            for body in self._bodies_of(lhs):
                made.append((lhs, body))
                fresh = [s for s in body if s not in done and (s in self._of or s in self._fixed or s in self._outside)]
                done.update(fresh)
                todo += fresh
        return tuple(dict.fromkeys(line_ends.productive(made, done, start, start)))

    def _bodies_of(self, symbol: str) -> Iterator[tuple[str, ...]]:
        if symbol in self._fixed:
            yield self._fixed[symbol]
        elif symbol in self._outside:
            for rhs in self._of[self._outside[symbol]]:
                if self._layout.isdisjoint(rhs):
                    yield tuple(map(self._within, rhs))
        else:
            for rhs in self._of[symbol]:
                yield tuple(self._wrapped(symbol, rhs))

    def _within(self, symbol: str) -> str:
        if symbol not in self._of:
            return symbol
        if symbol not in self.inside:
            self.inside[symbol] = line_ends.free(f"{symbol}_within", self._taken)
            self._outside[self.inside[symbol]] = symbol
        return self.inside[symbol]

    def _wrapped(self, lhs: str, body: Sequence[str]) -> Iterator[str]:
        """A body with nonterminals in place of its blocks and brackets."""
        index = 0
        while index < len(body):
            symbol = body[index]
            if symbol in self._closes:
                end = self._end(lhs, body, index)
                yield self._pair(symbol, tuple(body[index + 1 : end]), body[end])
                index = end + 1
            elif symbol == self._said.dedent or symbol in self._said.closing:
                raise GrammarError(self._unbalanced(lhs, symbol))
            else:
                yield symbol
                index += 1

    def _end(self, lhs: str, body: Sequence[str], begin: int) -> int:
        waiting: list[str] = []
        for index in range(begin, len(body)):
            symbol = body[index]
            if symbol in self._closes:
                waiting.append(symbol)
            elif symbol == self._said.dedent or symbol in self._said.closing:
                if symbol not in self._closes[waiting.pop()]:
                    break
                if not waiting:
                    return index
        raise GrammarError(self._unbalanced(lhs, body[begin]))

    def _unbalanced(self, lhs: str, symbol: str) -> str:
        shown = lhs.lstrip("_")
        return f"{self._name}: rule {shown}: with `//@ indent` the partner of {symbol} must stand in the same rule"

    def _pair(self, opening: str, body: tuple[str, ...], closing: str) -> str:
        """The nonterminal of a block or of brackets."""
        key = opening, *body, closing
        pair = self._bodies.get(key)
        if pair is None:
            is_block = opening == self._said.indent
            pair = self._bodies[key] = line_ends.free("block" if is_block else "group", self._taken)
            content = line_ends.free(f"{pair}_body", self._taken)
            self._of[content] = [body]
            self._fixed[pair] = opening, content if is_block else self._within(content), closing
            if not is_block:
                self.groups.append(pair)
        return pair

"""Directives: lines of a grammar file for facts outside Lark's syntax, such as `//@ newline ";" after NAME`. To Lark they are comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from typing import NamedTuple

from ..errors import GrammarError


def only(pattern: re.Pattern[str], source: str, what: str, name: str) -> tuple[re.Match[str], str] | None:
    """The only directive of a kind in a grammar's text, and its place; None without any. Raises GrammarError for several.

    what: the kind's name, for the message; name: of the grammar.
    """
    matches = list(pattern.finditer(source))
    if not matches:
        return None
    place = f"{name}, line {source.count(chr(10), 0, matches[0].start()) + 1}"
    if len(matches) > 1:
        raise GrammarError(f"{place}: only one `//@ {what}` may stand in a grammar")
    return matches[0], place


def terminal_finder(texts: Mapping[str, str], terminals: Set[str], place: str) -> Callable[[re.Match[str]], str]:
    """A function from a directive's symbol, as the groups `text` and `name`, to its terminal; it raises GrammarError.

    texts: terminal -> its fixed text; terminals: all of them.
    """
    named = {text: terminal for terminal, text in texts.items()}

    def terminal_of(symbol: re.Match[str]) -> str:
        text = symbol["text"]
        chosen = named.get(re.sub(r"\\(.)", r"\1", text)) if text is not None else symbol["name"]
        if chosen is None or chosen not in terminals:
            raise GrammarError(f"{place}: no rule uses the terminal {symbol[0]}")
        return chosen

    return terminal_of


_REFERENCES = re.compile(r"^//@ ref (.*)$", re.M)
_TARGETS = re.compile(r'^//@ target "([^"]+)" (.*)$', re.M)


class NameRoles(NamedTuple):
    """The roles of names, declared by a grammar."""

    references: frozenset[str]
    """rules that begin with a reference, a name that is read"""
    targets: Mapping[str, str]
    """rule -> the text whose presence behind its first expressions makes the names in them something else"""


def roles(source: str) -> NameRoles:
    """The roles in a grammar's text: `//@ ref RULE ...` and `//@ target "TEXT" RULE ...`."""
    references = frozenset(rule for match in _REFERENCES.finditer(source) for rule in match[1].split())
    targets = {rule: match[1] for match in _TARGETS.finditer(source) for rule in match[2].split()}
    return NameRoles(references, targets)

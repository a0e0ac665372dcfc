"""Random sentences of the grammar file, to find its excess."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from suture.parser.grammar import loader
from suture.parser.languages import python

_FILE = Path(python.__file__).with_name("python.lark")
_LONGEST = 60
_TEXTS: Mapping[str, tuple[str, ...]] = {
    "NAME": ("x", "y", "a", "print"),
    "NUMBER": ("0", "1.5", "0x1"),
    "IMAGINARY": ("1j",),
    "STRING": ("'s'", '"t"', "u'x'"),
    "BYTES": ("b'b'",),
    "FSTRING_START": ("f'", "rf'''"),
    "TSTRING_START": ("t'",),
    "CONVERSION": ("!r ",),
    "SPEC": (":", ":>"),
    "FIELD_OPEN": ("{", "a{ "),
    "FIELD_CLOSE": ("}",),
}

Rules = dict[str, list[tuple[tuple[str, ...], int]]]


@cache
def _rules(version: str) -> tuple[Rules, Mapping[str, str]]:
    """(nonterminal -> its rules with the least depth of their trees, terminal -> its fixed text)."""
    source = loader.load(_FILE, "file", version)
    depth = {lhs: len(source.rules) for lhs, _ in source.rules}
    while True:
        found = {lhs: min(_depth(rhs, depth) for left, rhs in source.rules if left == lhs) for lhs in depth}
        if found == depth:
            break
        depth = found
    rules: Rules = {}
    for lhs, rhs in source.rules:
        rules.setdefault(lhs, []).append((rhs, _depth(rhs, depth)))
    return rules, source.texts


def _depth(rhs: tuple[str, ...], depth: Mapping[str, int]) -> int:
    return 1 + max((depth.get(symbol, 0) for symbol in rhs), default=0)


def sentence(rng: random.Random, version: str) -> str:
    """One statement, of random depth."""
    rules, texts = _rules(version)
    while True:
        terminals: list[str] = []
        todo = [("statement", rng.randrange(4, 26))]
        while todo and len(terminals) <= _LONGEST:
            symbol, depth = todo.pop()
            if symbol not in rules:
                terminals.append(symbol)
                continue
            least = min(d for _, d in rules[symbol])
            options = [rhs for rhs, d in rules[symbol] if depth > 0 or d == least]
            todo += [(s, depth - 1) for s in reversed(rng.choice(options))]
        if not todo:
            return _rendered(terminals, texts, rng)


def _rendered(terminals: list[str], texts: Mapping[str, str], rng: random.Random) -> str:
    text, level, quotes = "", 0, [""]
    for terminal in terminals:
        if terminal in ("INDENT", "DEDENT"):
            level += 1 if terminal == "INDENT" else -1
            continue
        if terminal == "NEWLINE":
            text += "\n"
            continue
        word = quotes.pop() if terminal == "TEMPLATE_END" else texts.get(terminal) or rng.choice(_TEXTS[terminal])
        if terminal in ("FSTRING_START", "TSTRING_START"):
            quotes.append(word.lstrip("rft"))
        text += "  " * level * text.endswith("\n") + word
        if terminal not in ("FSTRING_START", "TSTRING_START", "SPEC", "FIELD_OPEN", "FIELD_CLOSE"):
            text += " "
    return text

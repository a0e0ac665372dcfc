"""Grammar files: Lark's EBNF, read by Lark's own loader, as plain rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lark.exceptions import LarkError
from lark.grammar import Rule
from lark.lexer import PatternStr
from lark.load_grammar import load_grammar

from .errors import GrammarError

# A line "... //= 3.12+" is part of the grammar from 3.12 on, "... //= -3.11" up to 3.11, "... //= 3.8-3.11" between.
_VERSION_MARK = re.compile(r"//=\s*(?:(?P<low>\d+\.\d+)\s*\+|(?P<from>\d+\.\d+)?\s*-\s*(?P<high>\d+\.\d+))\s*$")


@dataclass(frozen=True)
class Grammar:
    """A context-free grammar by symbol names; whatever is no left-hand side is a terminal."""

    start: str
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    texts: Mapping[str, str]
    """terminal -> the fixed text it stands for (keywords, operators); the others have patterns or are declared"""

    @property
    def terminals(self) -> tuple[str, ...]:
        """The terminals that occur in rules, sorted."""
        defined = {lhs for lhs, _ in self.rules}
        return tuple(sorted({s for _, rhs in self.rules for s in rhs} - defined))


def version_key(version: str) -> tuple[int, ...]:
    """A version as a value that sorts: "3.11" -> (3, 11)."""
    return tuple(int(part) for part in version.split("."))


def select_version(source: str, version: str) -> str:
    """The grammar text with the lines that belong to other versions left empty (so that line numbers hold)."""
    wanted, lines = version_key(version), []
    for line in source.split("\n"):
        mark = _VERSION_MARK.search(line)
        if mark:
            low, high = mark["low"] or mark["from"], mark["high"]
            if (low and wanted < version_key(low)) or (high and wanted > version_key(high)):
                line = ""
        lines.append(line)
    return "\n".join(lines)


def load(path: Path, start: str, version: str | None = None) -> Grammar:
    """Read a grammar file, for one version of the language where it marks versions.

    Raises GrammarError for a file that cannot be read or is no grammar.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GrammarError(f"{path}: cannot read the grammar: {error}") from error
    return parse(source if version is None else select_version(source, version), start, str(path))


def parse(source: str, start: str, name: str = "<grammar>") -> Grammar:
    """Read a grammar from text; name is used in error messages."""
    try:
        # Lark drops a token without a name from its trees, never from its rules, when all tokens are kept.
        builder, _ = load_grammar(source, name, [], True)
        if not any(definition[0] == start for definition in builder.rule_defs):
            raise GrammarError(f"{name}: there is no rule {start!r} to start from")
        terminals, rules, _ = builder.compile([start], "*")
    except LarkError as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise GrammarError(f"{name}: {reason}") from error
    texts = {t.name: t.pattern.value for t in terminals if isinstance(t.pattern, PatternStr) and not t.pattern.flags}
    return Grammar(start, tuple(dict.fromkeys(_plain(rule) for rule in rules)), texts)


def _plain(rule: Rule) -> tuple[str, tuple[str, ...]]:
    return str(rule.origin.name), tuple(str(symbol.name) for symbol in rule.expansion)

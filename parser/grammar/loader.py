"""Grammar files: Lark's EBNF, read by Lark's own loader, as plain rules."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...common import untrusted
from ..errors import GrammarError
from ..lexing import charsets
from . import indentation, line_ends, lr_states

if TYPE_CHECKING:  # Lark is imported where a grammar is compiled: most processes find the tables in the cache
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

MAX_BYTES = 1_000_000
"""The size of a grammar file."""

# A line "... //= 3.12+" is part of the grammar from 3.12 on, "... //= -3.11" up to 3.11, "... //= 3.8-3.11" between.
_VERSION_MARK = re.compile(r"//=\s*(?:(?P<low>\d+\.\d+)\s*\+|(?P<from>\d+\.\d+)?\s*-\s*(?P<high>\d+\.\d+))\s*$")

_LEXER = re.compile(r"^//@[ \t]*lexer\b(?P<lexer>[^\n]*)$", re.MULTILINE)

_MANY_LINE_ENDS = re.compile(r"(?:\r?\n){200}")
"""Lark matches a run of line ends in time quadratic in its length."""

_CATEGORY = re.compile(r"\\p\{([A-Z][a-z]?)\}")
"""A general category of Unicode within a terminal's square brackets, as the module `regex` (and Lark with it) writes it."""


@dataclass(frozen=True)
class Terminal:
    """A terminal with its pattern from the grammar."""

    name: str
    regexp: str
    """for Python's `re`, flags included"""
    text: str | None
    """the fixed text it stands for; None for a regular expression"""
    flags: frozenset[str]
    priority: int
    order: tuple[int, int, int, str]
    """Lark's basic lexer tries terminals in this order: priority, width, length of the pattern, name"""


@dataclass(frozen=True)
class Grammar:
    """A context-free grammar by symbol names; a symbol that is no left-hand side is a terminal."""

    start: str
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    texts: Mapping[str, str]
    """terminal -> its fixed text (keywords, operators); the others have patterns or are declared"""
    definitions: tuple[Terminal, ...] = ()
    """all terminals with patterns, in the order of Lark's basic lexer"""
    ignored: frozenset[str] = frozenset()
    """the terminals named by %ignore"""
    name: str = "<grammar>"
    source: str = field(default="", repr=False)
    has_line_ends: bool = False
    """whether newlines count as a symbol in places. See line_ends.py"""
    states: lr_states.LrStates[str] | None = field(default=None, repr=False)
    """the states of Lark's parser, for its contextual lexer"""
    files: tuple[tuple[str, str], ...] = ()
    """its imports: (path, hash of the text)"""
    indentation: indentation.Indentation | None = None
    """the directive of blocks, where they have one; see indentation.py"""

    @property
    def terminals(self) -> tuple[str, ...]:
        """The terminals used in rules, sorted."""
        defined = {lhs for lhs, _ in self.rules}
        return tuple(sorted({s for _, rhs in self.rules for s in rhs} - defined))


def with_alternatives(grammar: Grammar, alternatives: Mapping[str, Sequence[str]]) -> Grammar:
    """The grammar with more terminals for some of its own: new terminal -> the terminals it stands for."""
    of: dict[str, list[str]] = {}
    for name, terminals in alternatives.items():
        for terminal in terminals:
            of.setdefault(terminal, [terminal]).append(name)
    taken = {symbol for lhs, rhs in grammar.rules for symbol in (lhs, *rhs)}
    stands: dict[str, str] = {}
    for terminal in of:
        stands[terminal] = terminal.lower()
        while stands[terminal] in taken:
            stands[terminal] += "_"
        taken.add(stands[terminal])
    rules = [(lhs, tuple(stands.get(symbol, symbol) for symbol in rhs)) for lhs, rhs in grammar.rules]
    rules += [(stands[terminal], (name,)) for terminal, names in of.items() for name in names]
    return replace(grammar, rules=tuple(rules))


def version_key(version: str) -> tuple[int, ...]:
    """A version as a value that sorts: "3.11" -> (3, 11)."""
    return tuple(int(part) for part in version.split("."))


def select_version(source: str, version: str) -> str:
    """The grammar text with the lines of other versions left empty (so that line numbers hold)."""
    wanted = version_key(version)
    lines: list[str] = []
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

    Raises GrammarError for an unreadable file and for one that is no grammar.
    """
    return parse(read(path, version), start, str(path))


def read(path: Path, version: str | None = None) -> str:
    """The text of a grammar file, for one version; raises GrammarError."""
    try:
        source = untrusted.read_text(path, MAX_BYTES)
    except OSError as error:
        raise GrammarError(f"{path}: cannot read the grammar: {error.strerror or error}") from error
    return source if version is None else select_version(source, version)


def file_hash(path: Path) -> str:
    """The hash of a grammar file's text; raises OSError."""
    return hashlib.sha256(untrusted.read_bytes(path, MAX_BYTES)).hexdigest()


def parse(source: str, start: str, name: str = "<grammar>") -> Grammar:
    """Read a grammar from text; name is used in error messages."""
    from lark.exceptions import LarkError

    if (many := _MANY_LINE_ENDS.search(source)) is not None:
        line = source.count("\n", 0, many.start()) + 1
        raise GrammarError(f"{name}, line {line}: more than 198 empty lines in a row")
    try:
        # Lark drops a token without a name from its trees, never from its rules, when all tokens are kept.
        expanded = _CATEGORY.sub(lambda m: charsets.escaped(charsets.category(m[1])), source)
        builder, files = _load_grammar()(expanded, name, [], True)
        if not any(definition[0] == start for definition in builder.rule_defs):
            raise GrammarError(f"{name}: there is no rule {start!r} to start from")
        terminals, rules, ignored = builder.compile([start], "*")
    except OSError as error:
        line = line_of(Path(error.filename or "").stem, source)
        place = f", line {line}" if line else ""
        raise GrammarError(f"{name}{place}: cannot read the import {error.filename}: {error.strerror}") from error
    except (LarkError, RuntimeError, TypeError) as error:  # TypeError: of Lark's own log line for some broken grammars
        raise GrammarError(f"{name}{_place(str(error), source)}: {_reason(error)}") from error
    texts = {t.name: t.pattern.value for t in terminals if _is_text(t) and not t.pattern.flags}
    definitions = tuple(sorted((_terminal(t, name, source) for t in terminals), key=lambda t: t.order))
    plain = tuple(dict.fromkeys(_plain(rule) for rule in rules))
    used = {symbol for _, rhs in plain for symbol in rhs} - {lhs for lhs, _ in plain}
    ends = line_ends.directive(source, texts, used, name)
    if ends is not None:
        plain = line_ends.with_line_ends(plain, start, ends)
    blocks = indentation.directive(source, texts, used | {t.name for t in definitions}, name)
    if blocks is not None:
        if ends is not None:
            raise GrammarError(f"{name}: `//@ indent` and `//@ newline` cannot be used together")
        plain, blocks = indentation.with_blocks(plain, start, blocks, name)
    states = None
    if _is_contextual(source, name):
        if ends is not None or blocks is not None:
            other = "newline" if ends is not None else "indent"
            raise GrammarError(f"{name}: `//@ lexer contextual` and `//@ {other}` cannot be used together")
        states = lr_states.of_lark(rules, start, name)
    return Grammar(
        start,
        plain,
        texts,
        definitions,
        frozenset(ignored),
        name,
        source,
        ends is not None,
        states,
        # Those that do not come with Lark itself.
        files=tuple((path, file_hash(Path(path))) for path in files if isinstance(path, str)),
        indentation=blocks,
    )


def _load_grammar() -> Callable[..., tuple[Any, Any]]:
    """Lark's own function, imported like this since Lark gives most of it no types."""
    return import_module("lark.load_grammar").load_grammar


def _is_text(definition: TerminalDef) -> bool:
    """Whether a terminal stands for a fixed text."""
    from lark.lexer import PatternStr

    return isinstance(definition.pattern, PatternStr)


def _is_contextual(source: str, name: str) -> bool:
    """Whether a directive asks for Lark's contextual lexer. Raises GrammarError for an unknown lexer."""
    declared = [(match, match["lexer"].strip()) for match in _LEXER.finditer(source)]
    for match, lexer in declared:
        if lexer not in ("basic", "contextual") or len(declared) > 1:
            place = f"{name}, line {source.count(chr(10), 0, match.start()) + 1}"
            raise GrammarError(f"{place}: write `//@ lexer contextual` or `//@ lexer basic`, once")
    return any(lexer == "contextual" for _, lexer in declared)


def _terminal(definition: TerminalDef, grammar_name: str, source: str) -> Terminal:
    name, pattern = str(definition.name), definition.pattern
    try:
        re.compile(pattern.to_regexp())
    except re.error as error:
        line = line_of(name, source)
        place = f", line {line}" if line else ""
        shown = pattern.raw or pattern.value
        raise GrammarError(f"{grammar_name}{place}: {name} is no regular expression: {error}: {shown}") from error
    order = -definition.priority, -pattern.max_width, -len(pattern.value), name
    flags = frozenset(pattern.flags)
    text = str(pattern.value) if _is_text(definition) else None
    return Terminal(name, pattern.to_regexp(), text, flags, definition.priority, order)


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(": \n") if lines else type(error).__name__


def _place(message: str, source: str) -> str:
    """The line a message is about, as ", line 3": the line of the name in it; "" where the message has a line, or none."""
    if re.search(r"\bline \d+", message):
        return ""
    first = message.strip().split("\n")[0]
    for name in [*re.findall(r"['\"<. ]([A-Za-z_]\w*)['\">]", first), *re.findall(r"[A-Za-z_]\w*", first)]:
        line = line_of(name, source)
        if line:
            return f", line {line}"
    return ""


def line_of(name: str, source: str) -> int:
    """The line of a terminal's or rule's definition, else of its first mention; 0 without any."""
    mention = 0
    for number, line in enumerate(source.split("\n"), 1):
        if re.match(rf"[?!]*{re.escape(name)}(\.-?\d+|{{[^}}]*}})?\s*:", line):
            return number
        if not mention and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line.partition("//")[0]):
            mention = number
    return mention


def _plain(rule: Rule) -> tuple[str, tuple[str, ...]]:
    return str(rule.origin.name), tuple(str(symbol.name) for symbol in rule.expansion)

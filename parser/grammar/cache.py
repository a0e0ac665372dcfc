"""Compiled grammars: finished tables and automata, kept in the user's cache folder.

They are kept as Python's own values, equal ones once, and read in a thirtieth of JSON's time. `marshal` runs nothing it reads, but a
hostile file could crash it: only this user's files with the right checksum are read. A file is named by a hash of everything its
result depends on, and holds the hashes of imported files; a file with any fault is built again. It is written under another name and
then renamed, so nobody reads half of one. Without a writable folder everything works, some 0.25 s slower for Python at its first use.
"""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import json
import marshal
import os
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from ...common import kept_files, untrusted
from ..completability.context_states import states_by_context
from ..errors import GrammarError
from ..lexing.dfa import Dfa
from ..lexing.dfa_lexer import DfaLexer
from ..lexing.grammar_automaton import automaton
from . import lalr, loader
from .indentation import Indentation
from .intersection import intersection
from .isolated import CompileLimits, compile_apart
from .lalr import Tables
from .loader import Grammar

_FORMAT = 4
"""To be raised when tables change for one and the same grammar text."""
_KEPT_FILES = 48
"""Files kept in the folder, of two megabytes at most each; the least recently written ones are removed."""
_MAX_SPLIT = 2_500
"""The most states of tables split by the lexer's contexts."""
_MAX_BYTES = 64_000_000
_OWNERS = frozenset((os.getuid(),)) if hasattr(os, "getuid") else None


@dataclass(frozen=True, eq=False)
class Compiled:
    """A grammar with its tables, and the automaton of its terminals where all of them have patterns."""

    grammar: Grammar
    tables: Tables
    automaton: Dfa | None
    more: Any = None
    """plain values computed by a language"""


Finish = Callable[[Compiled], Compiled]
"""Computes once, from compiled tables, those used by a language."""


def cache_folder() -> Path:
    """The folder of compiled grammars."""
    return kept_files.cache_folder() / "grammars"


def load(
    path: Path,
    start: str,
    language_version: str | None = None,
    *,
    lexer: bool = True,
    declared: bool = False,
    rewritten: Callable[[str], str] | None = None,
    finish: Finish | None = None,
    limits: CompileLimits | None = None,
) -> Compiled:
    """A grammar file, compiled, from the cache where possible. lexer: whether to build an automaton of its terminals; declared: leave
    those without a pattern out of it. rewritten: makes the grammar from the file's. finish: its result is kept.

    limits: of a separate compiling process; None: compile here. Raises GrammarError.
    """
    source = loader.read(path, language_version)
    source = source if rewritten is None else rewritten(source)
    key = [_FORMAT, _code(), _package("suture"), _package("lark"), sys.version_info[:2], unicodedata.unidata_version]
    key += [str(path), source, start, lexer, declared, None if finish is None else _code_of(finish)]
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    cached = cache_folder() / f"{path.stem}-{digest[:40]}.tables"
    compiled = _read(cached)
    if compiled is not None:
        return compiled
    if limits is not None:
        content = compile_apart(path, start, limits)
        compiled = _from_bytes(content)
        if compiled is None:  # the file has been changed meanwhile
            raise GrammarError(f"{path}: cannot be compiled: it changes; try again")
        kept_files.write(cached, content, _KEPT_FILES)
        return compiled
    compiled = compile_now(path, start, source, lexer=lexer, declared=declared)
    compiled = compiled if finish is None else finish(compiled)
    content = as_bytes(compiled)
    kept_files.write(cached, content, _KEPT_FILES)
    return _from_bytes(content) or compiled  # with equal parts once, as for those who read it later


def compile_now(
    path: Path, start: str, source: str | None = None, *, lexer: bool = True, declared: bool = False
) -> Compiled:
    """Compile a grammar file, or a text in its place; raises GrammarError."""
    parsed = loader.parse(loader.read(path) if source is None else source, start, str(path))
    dfa = automaton(parsed, declared=declared) if lexer else None
    if dfa is not None and dfa.alternatives:
        parsed = loader.with_alternatives(parsed, dfa.alternatives)
    tables = lalr.build(parsed)
    return Compiled(parsed, tables if dfa is None else _by_context(parsed, tables, dfa), dfa)


def _by_context(grammar: Grammar, tables: Tables, dfa: Dfa) -> Tables:
    """Tables with each state in one context of the lexer, where they are not too many: see completability/context_states.py."""
    if len(dfa.starts) == 1 or states_by_context(tables, DfaLexer(dfa, tables)) is not None:
        return tables
    rules = intersection(grammar.rules, grammar.start, dfa.after)
    if rules is None:
        return tables
    split = lalr.build(dataclasses.replace(grammar, rules=rules))
    is_split = len(split.shift) <= _MAX_SPLIT and states_by_context(split, DfaLexer(dfa, split)) is not None
    return split if is_split else tables


@cache
def _code() -> str:
    """A hash of the compiling modules: a change in any of them makes the cache stale."""
    here = Path(__file__).parent
    modules = [*sorted(here.glob("*.py")), *sorted((here.parent / "lexing").glob("*.py"))]
    return hashlib.sha256(b"".join(module.read_bytes() for module in modules)).hexdigest()


def _code_of(finish: Finish) -> str:
    return hashlib.sha256(Path(finish.__code__.co_filename).read_bytes()).hexdigest()


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _read(path: Path) -> Compiled | None:
    """The grammar of a file."""
    try:
        return _from_bytes(untrusted.read_bytes(path, _MAX_BYTES, _OWNERS))
    except OSError:
        return None


def _from_bytes(kept: bytes) -> Compiled | None:
    """The grammar from the result of `as_bytes`; None where it is damaged, or an imported file has changed.

    Garbage collection is off meanwhile: nothing in it is garbage, and collecting would take longer than reading.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        digest, _, content = kept.partition(b"\n")
        if digest != _checksum(content):
            return None
        grammar, indentation, tables, dfa, more = marshal.loads(content)
        if any(loader.file_hash(Path(name)) != digest for name, digest in grammar["files"]):
            return None
        blocks = None if indentation is None else Indentation(**indentation)
        automaton = None if dfa is None else Dfa(**dfa)
        return Compiled(Grammar(**grammar, indentation=blocks), Tables(**tables), automaton, more)
    except (OSError, EOFError, ValueError, TypeError, LookupError, AttributeError):
        return None
    finally:
        if collects:
            gc.enable()


def as_bytes(compiled: Compiled) -> bytes:
    """A compiled grammar as bytes of this version of Python, behind a checksum."""
    grammar = {name: getattr(compiled.grammar, name) for name in ("start", "rules", "texts", "name", "files")}
    parts = (compiled.grammar.indentation, compiled.tables, compiled.automaton)
    content = marshal.dumps(_shared((grammar, *(part and _fields(part) for part in parts), compiled.more), {}))
    return _checksum(content) + b"\n" + content


def _shared(value: Any, interned: dict[Any, Any]) -> Any:
    """A value whose equal parts are one object, written, read and held once. Nobody changes them."""
    if isinstance(value, dict):
        parts = {_shared(key, interned): _shared(each, interned) for key, each in cast(dict[Any, Any], value).items()}
        mark = "dict", tuple((id(key), id(each)) for key, each in parts.items())
    elif isinstance(value, list | tuple):
        parts = type(cast(Any, value))(_shared(each, interned) for each in cast(list[Any], value))
        mark = type(cast(Any, value)).__name__, tuple(map(id, parts))
    else:
        parts = value
        mark = type(value).__name__, value
    return interned.setdefault(mark, parts)


def _fields(part: Indentation | Tables | Dfa) -> dict[str, Any]:
    return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()

"""Putting Python's engine together.

Each version is exact against its own `ast.parse`, tested on snippets, libraries and random texts, except for:
- 3.8 finds repeated keyword arguments (`f(a=1, a=2)`) in its parser, which no context-free grammar can, gives up on some 95 nested brackets,
  accepts `del (a, __debug__)`, which is dead here, and rejects `((*x) for y in z)`, which is viable here.
- 3.14 and later check `from __future__ import` in `ast.parse`: features must exist, the import must not be lazy, and a feature decides
  between `!=` and `<>`.
- Names in `\\N{...}` are those of the running interpreter (see lexer/character_names.py). Integers of more than 4,300 digits, an error to
  `ast.parse`, are valid here: the lexer counts no digits. Recursion limits and encoding declarations are ignored.
- Up to 3.11 `ast.parse` accepts a last backslash before `\\r\\n` at the end of a text; here, as in a file, it is an error.
- Micro releases differ in f-strings (see lexer/templates.py); the last one of each version counts.

A file may begin with U+FEFF, which `ast.parse` rejects in a text.
"""

from __future__ import annotations

import weakref
from os import PathLike

from ....common.reach import Reach
from ...engine_runtime import EngineRuntime
from ...glr.gss import Gss
from ...glr.layout import Blocks
from ...glr.prefix import Engine
from ...glr.suffix import SuffixContext
from ...glr.suffix_viability import SuffixParser
from ...grammar.loader import version_key
from ...importing import Imports
from ...language_runtime import BuiltIn, Sample, Versions
from ...lexing.base import LexState
from ...pending import Closing
from .bridging import PythonBridging
from .closers import plain_closers
from .importing import PythonImporter
from .layout import HEADERS
from .lexer.dialect import dialect
from .lexer.fstrings import OldFStrings
from .lexer.python_lexer import PythonLexer
from .mending import PythonMender
from .semantics.line_reader import reader
from .semantics.modules import modules_for
from .semantics.state import DocumentSemantics
from .tables import tables_of
from .traits import TRAITS, declared_encoding
from .type_server import TY
from .versions import DEFAULT_VERSION, VERSIONS, release
from .workspace import problems_around, unknown_around, version_for

# CPython's limits (Parser/tokenizer.h): MAXLEVEL brackets, MAXINDENT columns including the file's own.
_MAX_BRACKETS = 200
_MAX_BLOCKS = 99
_STATEMENTS = (
    "def", "class", "while", "try", "with", "return", "raise", "import", "del", "pass", "break", "continue", "global",
)  # fmt: skip


def new_runtime(version: str) -> EngineRuntime:
    """A new engine for one version, with its companions; tables are shared."""
    engine, lexer, brackets = _engine(version)
    suffixes = SuffixParser(engine, brackets)
    reader()  # made with the engine, not while a key waits

    def viable_suffix(right: SuffixContext, lex: LexState) -> bool:
        """From the state at hand first, then from all states at the end of some text."""
        if suffixes.viable_from(right, (lex, *lexer.around(lex), *lexer.entries())) is not None:
            return True
        return suffixes.viable_from(right, (*lexer.named(right.text), *lexer.nested(lex, right.text))) is not None

    bridging = PythonBridging(engine, lexer, suffixes)
    source, _ = tables_of(version)
    release = version_key(version)
    return EngineRuntime(
        engine,
        bridging,
        viable_suffix,
        None,
        grammar=source,
        new_semantics=lambda: DocumentSemantics((release[0], release[1])),
        closing=Closing(plain_closers),
        mender=PythonMender(),
        foresee=lambda part, whole: suffixes.foresee(part, whole, lexer.clean),
    )


def _engine(version: str) -> tuple[Engine, PythonLexer, dict[int, int]]:
    source, tables = tables_of(version)
    lexer = PythonLexer(tables, source.texts, dialect(version))
    brackets = {lexer.operators[text]: 1 if text in "([{" else -1 for text in "()[]{}"}
    if lexer.templates.open_field >= 0:
        brackets |= {lexer.templates.open_field: 1, lexer.templates.close_field: -1}
    newline = tables.terminal("NEWLINE")
    factory = Gss(tables, brackets, _MAX_BRACKETS, tables.terminal("INDENT"), tables.terminal("DEDENT"))
    compound, colon, body = lexer.keywords["try"], lexer.operators[":"], lexer.keywords["pass"]
    statements = frozenset(lexer.keywords[word] for word in _STATEMENTS)
    headers = frozenset(lexer.keywords[word] for word in (*HEADERS, "async") if word in lexer.keywords) | {
        lexer.operators["@"]
    }
    engine = Engine(lexer, factory, Blocks(factory, newline, _MAX_BLOCKS, compound, colon, body, statements, headers))
    if lexer.templates.open_field >= 0:
        return engine, lexer, brackets
    in_parser = weakref.proxy(engine)  # the engine has the lexer, so this would be a cycle
    lexer.old_fstrings = OldFStrings(in_parser, lexer.clean, tables.terminal("LAMBDA"), newline, lexer.string)
    return engine, lexer, brackets


def _make(version: str | None) -> EngineRuntime:
    return new_runtime(version or DEFAULT_VERSION)


def _imports_for(path: str | PathLike[str] | None, version: str, at_once: bool, reach: Reach) -> Imports:
    release = version_key(version)
    return modules_for(path, (release[0], release[1]), at_once=at_once, reach=reach)


LANGUAGES = {
    "python": BuiltIn(
        _make,
        Sample("def f():\n    ", "return 1", "\n"),
        Versions(
            VERSIONS,
            DEFAULT_VERSION,
            version_for,
            release,
            raised_by_texts=True,
            problems=problems_around,
            unknown=unknown_around,
        ),
        declared_encoding,
        imports_for=_imports_for,
        importer=PythonImporter(),
        traits=TRAITS,
        type_server=TY,
    )
}

"""Putting Go's engine together.

A Go file is a header and declarations; any declaration can follow any other. So the left and the right context connect just where the
left one is a viable prefix and the right one a viable suffix (except in the header, see phases.py).
"""

from __future__ import annotations

import re

from ...bridging.tokens import TokenBridging
from ...engine_runtime import EngineRuntime
from ...glr.gss import Gss
from ...glr.prefix import Engine
from ...glr.suffix import SuffixContext
from ...glr.suffix_viability import SuffixParser
from ...language_runtime import BuiltIn, Repeats, Sample, Traits, Versions
from ...lexing.base import LexState
from .importing import GoImporter
from .lexer import GoLexer
from .mending import GoMender
from .package import names_elsewhere
from .phases import DECLARATIONS, Phases
from .semantics.state import DocumentSemantics
from .tables import compiled
from .type_server import GOPLS
from .workspace import DEFAULT_VERSION, VERSIONS, named, version_for

_NO_LIMIT = 1 << 60
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_EXAMPLES = {"IDENT": "x", "INT": "0", "FLOAT": "0.", "IMAG": "0i", "CHAR": "'x'", "STRING": '""'}
_PLAIN_FIRST = [")", "]", "}", ",", "x", ":", ";", "0", ":=", "=", ".", "nil", "(", "{", "[", "type", "func"]


def new_runtime(version: str) -> EngineRuntime:
    """A new engine for one version, with its companions; tables are shared."""
    definition = compiled(version)
    tables, automaton = definition.tables, definition.automaton
    assert automaton is not None
    texts = {text: tables.terminal(name) for name, text in definition.grammar.texts.items()}
    lexer = GoLexer(automaton, tables, texts)
    brackets = {texts[text]: delta for text, delta in _BRACKETS.items()}
    engine = Engine(lexer, Gss(tables, brackets, _NO_LIMIT, -1, -1), None)
    phases = Phases(engine, lexer, brackets)
    suffixes = SuffixParser(engine, brackets, phases.declarations, beneath=phases.beneath)

    def viable_suffix(right: SuffixContext, lex: LexState) -> bool:
        """From the state at hand first, then from all states at the end of some text."""
        return suffixes.viable_from(right, (lex, *lexer.all_states())) is not None

    rank = {text: i for i, text in enumerate(_PLAIN_FIRST)}
    words = {t: text for text, t in texts.items()} | {tables.terminal(name): text for name, text in _EXAMPLES.items()}
    words = dict(sorted(words.items(), key=lambda item: rank.get(item[1], len(rank))))
    bridging = TokenBridging(engine, lexer, lambda _: (suffixes, phases.in_imports), words, lexer.semicolon)

    return EngineRuntime(
        engine,
        bridging,
        viable_suffix,
        grammar=definition.grammar,
        restriction=phases.restriction,
        unrestricted=lambda left: phases.of(left) == DECLARATIONS,
        new_semantics=lambda: DocumentSemantics(version),
        mender=GoMender(engine),
    )


def _make(version: str | None) -> EngineRuntime:
    return new_runtime(version or DEFAULT_VERSION)


# Of 1,540 such directives in its library, 164 have the same as one of the three nearest lines; of other lines in one block 0.4 %.
_TRAITS = Traits("//", Repeats(re.compile(r"//go:.*")), candidates="go")

LANGUAGES = {
    "go": BuiltIn(
        _make,
        Sample("package p\n\nfunc f() int {\n\t", "return 1", "\n}\n"),
        Versions(VERSIONS, DEFAULT_VERSION, version_for, named),
        names_elsewhere=names_elsewhere,
        importer=GoImporter(),
        traits=_TRAITS,
        type_server=GOPLS,
    )
}

"""Putting the engine of TypeScript and JavaScript together: one for each dialect.

A file is a list of items in any order: a viable text can be ended, and another file may follow behind the end. So the left and the
right context connect just where the left one is a viable prefix and the right one a viable suffix.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....common.bounded import BoundedDict
from ...engine_runtime import EngineRuntime
from ...glr.prefix import Engine
from ...glr.ruled_gss import RuledGss
from ...glr.suffix import SuffixContext
from ...glr.suffix_viability import SuffixParser
from ...language_runtime import BuiltIn, Sample, Versions
from ...lexing.base import LexState
from ...pending import Closing
from ...type_server import TypeServer
from .bridging import TypeScriptBridging
from .lexer import TypeScriptLexer
from .mending import TypeScriptMender
from .project import names_elsewhere
from .semantics.state import DocumentSemantics
from .tables import dialect_tables
from .traits import TRAITS
from .type_server import tsgo
from .versions import DEFAULT_VERSION, VERSIONS, named, version_for

_NO_LIMIT = 1 << 60
_KEPT = 16
"""The most right contexts with a kept verdict on their viability."""
_OPENERS = (
    "", "{", "(", "switch (x) {", "class x {", "x(() => {", "x({", "x([", "x = {", "interface x {", "x(() => ",
    "if (x) ", "`", "/*",
)  # fmt: skip


def new_engine(dialect: str) -> tuple[Engine, TypeScriptLexer, RuledGss]:
    """A new engine for one dialect; tables are shared."""
    shared = dialect_tables(dialect)
    factory = RuledGss(shared.wide.tables, shared.brackets, _NO_LIMIT, shared.rules)
    lexer = TypeScriptLexer(shared.automaton, shared.wide, shared.texts, factory.named, factory.names)
    return Engine(lexer, factory, None), lexer, factory


def new_runtime(dialect: str, version: str = DEFAULT_VERSION) -> EngineRuntime:
    """A new engine for one dialect, with its companions."""
    engine, lexer, factory = new_engine(dialect)
    shared = dialect_tables(dialect)
    suffixes = SuffixParser(engine, dict(shared.brackets))

    viable_anywhere = BoundedDict[SuffixContext, bool](_KEPT)

    def viable_suffix(right: SuffixContext, lex: LexState) -> bool:
        """From the state at hand first, then from all states at the end of some text."""
        if suffixes.viable_from(right, (lex,)) is not None:
            return True
        viable: bool | None = viable_anywhere.get(right)
        if viable is None:
            viable = viable_anywhere[right] = suffixes.viable_from(right, lexer.all_states()) is not None
        return viable

    bridging = TypeScriptBridging(engine, lexer, lambda _: (suffixes,), shared, factory.names)

    return EngineRuntime(
        engine,
        bridging,
        viable_suffix,
        new_semantics=lambda: DocumentSemantics(dialect, version),
        closing=Closing(statements={"{\n}": "{;", "class _ {\n}": "", "static _;": "static"}, filler="true"),
        mender=TypeScriptMender(engine, typed=dialect != "js"),
        openers=_OPENERS,
    )


def _built_in(dialect: str, type_server: TypeServer | None = None) -> BuiltIn:
    return BuiltIn(
        lambda version: new_runtime(dialect, version or DEFAULT_VERSION),
        Sample("function f() {\n    ", "return 1", "\n}\n"),
        versions=None if dialect == "js" else Versions(VERSIONS, DEFAULT_VERSION, version_for, named),
        names_elsewhere=names_elsewhere,
        traits=TRAITS,
        type_server=type_server,
    )


LANGUAGES: Mapping[str, BuiltIn] = {
    "typescript": _built_in("ts", type_server=tsgo("typescript")),
    "typescriptreact": _built_in("tsx", type_server=tsgo("typescriptreact")),
    "javascript": _built_in("js"),
    "javascriptreact": _built_in("js"),
}
"""TypeScript and JavaScript as their own parsers read them, by the names used in editors. JSX is read in all but the first."""

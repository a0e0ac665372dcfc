"""Words for the search for a bridge in TypeScript and JavaScript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...bridging.astar import BLANK, cost
from ...bridging.heuristic import INF
from ...bridging.tokens import Suffixes, TokenBridging
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext
from ...lexing.base import Token
from .lexer import InTag, Tag, TypeScriptLexer
from .tables import DialectTables

_EXAMPLES = {
    "IDENT": "x",
    "T_PRIVATE": "#x",
    "T_NUMBER": "0",
    "T_BIGINT": "0n",
    "T_STRING": '""',
    "T_REGEX": "/x/",
    "TICK": "`",
    "TICKEND": "`",
    "HOLE": "${",
    "HOLEEND": "}",
    "JLT": "<",
    "JTAG": "x",
    "JNAME": "x",
    "JSTRING": '""',
    "JTEXT": "x",
    "JSLASH": "/",
    "JGT": ">",
    "JGTEND": ">",
    "JGTATTR": ">",
    "JGTOUT": ">",
    "JLTSLASH": "</",
    "JATTREND": "}",
    "JCHILDEND": "}",
    "GTADJ": ">",
    "EQADJ": "=",
}
_PLAIN_FIRST = (")", "]", "}", ",", "x", ":", ";", "0", "=", "=>", ".", "(", "{", "[", "`", ">", "/", "</", "<")


class TypeScriptBridging(TokenBridging):
    """See Bridging in hole.py."""

    patience = 60  # 0.1 s; of 113 searches 13 would go on to 1,000, which takes 2 s: 2 of them find a bridge by now, 1 further on

    def __init__(
        self,
        engine: Engine,
        lexer: TypeScriptLexer,
        suffixes: Suffixes,
        dialect: DialectTables,
        names: Mapping[str, int],
    ) -> None:
        tables, wide = dialect.wide.tables, dialect.wide
        examples = {tables.terminal(name): text for name, text in _EXAMPLES.items() if name in tables.terminals}
        rank = {text: i for i, text in enumerate(_PLAIN_FIRST)}
        words = {t: text for text, t in dialect.texts.items()} | examples
        words = dict(sorted(words.items(), key=lambda item: rank.get(item[1], len(rank))))
        costs = {wide.behind[t]: cost(text) + BLANK for t, text in words.items()}
        costs |= dict.fromkeys(wide.probes.values(), INF)
        costs[dialect.rules.inserted] = BLANK
        super().__init__(engine, lexer, suffixes, words, dialect.texts[";"], costs)
        self._engine, self._names = engine, names
        self._ending = tables.terminal("JLTSLASH")

    def opening(self, token: Token, behind: Token) -> str | None:
        if token != self._ending:
            return super().opening(token, behind)
        return f"<{next((name for name, t in self._names.items() if t == behind), '')}>"

    def words(self, left: PrefixState, right: SuffixContext) -> Iterable[str]:
        words = super().words(left, right)
        if left.lex.symbol != InTag(Tag.CLOSING):
            return words
        advance = self._engine.factory.advance
        open_ = [name for name, t in self._names.items() if advance(left.stacks, t) is not None]
        return [*open_, *words]

"""The tables of a dialect, and the steps of its stacks beyond them: unwritten semicolons, type arguments, names of tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from ...glr.ruled_gss import StackRules
from ...grammar import cache as grammar_cache
from ...grammar.lalr import END, Tables
from ...grammar.line_aware import LineAware, Widened, widened, without
from ...lexing.dfa import Dfa
from .dialect import grammar_text

_GRAMMAR = Path(__file__).with_name("typescript.lark")
_ALL = frozenset[str]()
_DECLARATIONS = frozenset(
    {"alias", "ts_decl", "ambient", "ambient_decl", "iface", "ns_decl", "class_decl", "class_default"}
)
_HELD_IN = {
    "asserts": frozenset({"asserted"}),
    **dict.fromkeys(("in", "out", "const"), frozenset({"tparam", "variant", "class_tparam"})),
    **dict.fromkeys(("public", "private", "protected", "readonly", "override"), frozenset({"pmods"})),
}
_SAME_LINE = {
    "S_INC": "++",
    "S_DEC": "--",
    "S_ARROW": "=>",
    "S_AS": "as",
    "S_SATISFIES": "satisfies",
    "S_BANG": "!",
    "S_LSQB": "[",
    "S_EXTENDS": "extends",
    "S_LT": "<",
    "S_LSHIFT": "<<",
    "S_IS": "is",
    "S_WITH": "with",
    "S_ASSERT": "assert",
}
_HELD = ("return", "break", "continue", "throw", "yield", "async", "using")
"""Symbols that never go on in the next line."""
_HELD_IN_DECLARATIONS = ("type", "declare", "abstract", "namespace", "module", "interface")
_PROBED = ("/", "/=", "<", "JLT")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_OTHER_BRACKETS = {
    "S_LSQB": 1,
    "TICK": 1,
    "TICKEND": -1,
    "HOLE": 1,
    "HOLEEND": -1,
    "JGT": 1,
    "JLTSLASH": -1,
    "JATTREND": -1,
    "JCHILDEND": -1,
}
_ENDS_ARGUMENTS = [
    "(", ")", "]", "}", ":", ";", ",", "?", "==", "===", "!=", "!==", "&&", "||", "??", "^", "&", "|", ".", "?.", "=",
]  # fmt: skip
"""Before these, as before the next line, the `>` of `f<T>` ends type arguments where it can."""
_COMPARES = ["<", ">", "+", "-"]
"""Before these it does not."""


@dataclass(frozen=True, eq=False)
class DialectTables:
    """The parts shared by engines of one dialect."""

    automaton: Dfa
    wide: Widened
    texts: Mapping[str, int]
    """fixed text -> terminal"""
    brackets: Mapping[int, int]
    rules: StackRules


@cache
def dialect_tables(dialect: str) -> DialectTables:
    """The tables of a dialect, compiled once."""
    compiled = grammar_cache.load(
        _GRAMMAR, "start", declared=True, rewritten=partial(grammar_text, dialect=dialect), finish=_finished
    )
    behind, probes, texts, brackets, rules = compiled.more
    assert compiled.automaton is not None
    return DialectTables(
        compiled.automaton, Widened(compiled.tables, behind, probes), texts, brackets, StackRules(**rules)
    )


def _finished(definition: grammar_cache.Compiled) -> grammar_cache.Compiled:
    """The tables shared by engines of a dialect, from those of its grammar."""
    tables = definition.tables
    texts = {text: tables.terminal(name) for name, text in definition.grammar.texts.items()}

    def name(text: str) -> str:
        return tables.terminals[texts[text]] if text in texts else text

    declared = LineAware(
        same_line={own: name(text) for own, text in _SAME_LINE.items()},
        held={name(word): _ALL for word in _HELD}
        | {name(word): _DECLARATIONS for word in _HELD_IN_DECLARATIONS if word in texts}
        | ({name("global"): _DECLARATIONS - {"ambient_decl"}} if "global" in texts else {})
        | {name(word): rules for word, rules in _HELD_IN.items() if word in texts},
        ends=name(";"),
        alone=frozenset({"S_LT", "S_LSHIFT"}),
        probed=frozenset(map(name, _PROBED)),
    )
    wide = widened(tables, declared)
    number = {terminal: t for t, terminal in enumerate(wide.tables.terminals)}
    every = {t: {t, wide.behind[t]} for t in range(len(tables.terminals))}
    less = every[texts["<"]]
    less |= {probe for t, probe in wide.probes.items() if t in less}
    closed = frozenset[int]()
    if "jsx_operand" in tables.nonterminals:
        closed = frozenset(_after(tables, "jsx_operand"))
        wide = Widened(without(wide.tables, closed, less), wide.behind, wide.probes)
    yielding, to = frozenset[int](), frozenset[int]()
    if "targs" in tables.nonterminals:
        compares = set[int]().union(*(every[texts[text]] for text in _COMPARES))
        compares |= {probe for t, probe in wide.probes.items() if t in compares}
        wide = Widened(without(wide.tables, _after(tables, "targs"), compares), wide.behind, wide.probes)
        closing = {texts[">"], number["GTADJ"]}
        yielding = frozenset(q for q, t in enumerate(wide.tables.accessing) if t in closing)
        ending = {texts[text] for text in _ENDS_ARGUMENTS} | {number["TICK"], END}
        to = frozenset((*ending, *wide.behind, *wide.probes.values()))
    brackets = {texts[text]: delta for text, delta in _BRACKETS.items()}
    brackets |= {number[own]: delta for own, delta in _OTHER_BRACKETS.items() if own in number}
    rules = StackRules(
        inserted=number["ASI"],
        before=frozenset((*wide.behind, texts["}"], END)),
        closed=closed,
        never_before=frozenset((*less, wide.behind[number["JLT"]])) if closed else frozenset(),
        yielding=yielding,
        to=to,
        pair=(number["JTAG"], number["JLT"]) if "JTAG" in number else None,
    )
    behind = {wide.behind[t]: delta for t, delta in brackets.items()}
    more = wide.behind, wide.probes, texts, brackets | behind, vars(rules)
    return replace(definition, tables=wide.tables, more=more)


def _after(tables: Tables, nonterminal: str) -> set[int]:
    """The states behind a nonterminal."""
    symbol = tables.nonterminals.index(nonterminal)
    return {row[symbol] for row in tables.goto if symbol in row}

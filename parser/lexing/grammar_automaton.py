"""The automaton of a grammar's terminals, with the keywords, contexts and columns of its directives."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from ..errors import GrammarError
from ..grammar.loader import Grammar, Terminal, line_of
from ..grammar.lr_states import LrStates
from . import dfa
from .contexts import contextual
from .dfa import IGNORED, Dfa
from .newlines import LINE_END, with_class_of_its_own, with_newlines
from .regex_nfa import UnsupportedRegexp

# Of common.ESCAPED_STRING: shortest text up to a quote after an even number of backslashes; the same without look-behind.
_ESCAPED_STRING = '".*?(?<!\\\\)(\\\\\\\\)*?"'
_PLAIN_STRING = '"(?:[^"\\\\\\n]|\\\\[^\\n])*"'
_BRACKETS = frozenset("()[]{}")


def automaton(grammar: Grammar, *, declared: bool = False) -> Dfa:
    """The automaton of a grammar's terminals; raises GrammarError. declared: whether there may be others, without patterns."""
    used = {s for _, rhs in grammar.rules for s in rhs} | grammar.ignored
    terminals = [t for t in grammar.definitions if t.name in used]
    missing = set(grammar.terminals) - {t.name for t in terminals} - ({LINE_END} if grammar.has_line_ends else set())
    blocks = grammar.indentation
    if blocks is not None:
        missing -= {blocks.indent, blocks.dedent}
    for name in sorted(missing if not declared else ()):
        where = f"{grammar.name}{_place(name, grammar)}"
        raise GrammarError(f"{where}: terminal {name} is declared without a pattern; {_instead(name)}")
    try:
        if grammar.states is not None:
            return _contextual(grammar, grammar.states, terminals)
        built = dfa.build(_patterns(grammar, used))
        if blocks is not None:
            return _with_columns(built, blocks.newline, blocks.tab, grammar)
        return with_newlines(built) if grammar.has_line_ends else built
    except UnsupportedRegexp:
        for t in terminals:  # say which one it is
            try:
                dfa.build([dfa.Pattern(t.name, _rewritten(t.regexp))])
            except UnsupportedRegexp as error:
                raise GrammarError(f"{grammar.name}{_place(t.name, grammar)}: {t.name}: {error}: {t.regexp}") from error
        raise


def _patterns(grammar: Grammar, used: Set[str]) -> list[dfa.Pattern]:
    """The patterns of these terminals for a scanner."""
    keywords, embedded = _keywords(grammar, used)
    return [
        dfa.Pattern(_label(t.name, grammar), _rewritten(t.regexp), tuple(keywords.get(t.name, ())))
        for t in grammar.definitions
        if t.name in used and t.name not in embedded
    ]


def _contextual(grammar: Grammar, states: LrStates[str], terminals: Sequence[Terminal]) -> Dfa:
    """The automaton of the contextual lexer."""
    patterns = [dfa.Pattern(t.name, _rewritten(t.regexp)) for t in terminals]
    classes = dfa.character_classes(patterns)
    singles = {pattern.name: dfa.build([pattern], classes) for pattern in patterns}
    made = contextual(
        states,
        singles,
        grammar.ignored,
        lambda accepts: dfa.build(_patterns(grammar, accepts | grammar.ignored), classes),
    )
    if made is None:
        raise GrammarError(
            f"{grammar.name}: the parser has too many states for `//@ lexer contextual`; leave the line out, and give each text one terminal"
        )
    brackets = {t for t, text in grammar.texts.items() if text in _BRACKETS}
    for alternatives in made.alternatives.values():
        if brackets.intersection(alternatives):
            names = " or ".join(alternatives)
            raise GrammarError(f"{grammar.name}: one text may be {names}: brackets must be terminals of their own")
    return made


def _with_columns(automaton: Dfa, newline: str, tab: int, grammar: Grammar) -> Dfa:
    """The automaton with separate classes for the characters counted in columns. Raises GrammarError."""
    for char in "\n \t":
        automaton = with_class_of_its_own(automaton, char)
    endings, (line, space, tabulator) = dfa.endings(automaton), map(automaton.class_of, "\n \t")
    todo = {
        row[line] for row in automaton.moves if line in row and newline in endings[row[line]]
    }  # after a newline in such a symbol
    seen: set[int] = set()
    while todo:
        q = todo.pop()
        seen.add(q)
        row = automaton.moves[q]
        todo |= {to for to in row.values() if newline in endings[to]} - seen
        counted = [row.get(c) for c in (space, tabulator)]
        if automaton.accepts[q] == newline and (counted[0] != q or counted[1] not in (None, q)):
            break
        if any(to is not None and newline in endings[to] and to != q for to in counted):
            break
    else:
        if seen:
            return automaton
    raise GrammarError(
        f"{grammar.name}{_place(newline, grammar)}: with `//@ indent` {newline} must be newlines with any blanks behind each, "
        f"such as {newline}: /(\\r?\\n[\\t ]*)+/"
    )


def _instead(name: str) -> str:
    """Advice for a terminal made only by the user's own program."""
    if name.lstrip("_") in ("INDENT", "DEDENT"):
        return (
            "for blocks by indentation write `//@ indent _INDENT _DEDENT after _NL`, with the terminal of your newlines"
        )
    return f"write one, such as {name}: /[a-z]+/"


def _label(name: str, grammar: Grammar) -> str:
    return IGNORED if name in grammar.ignored else name


def _place(name: str, grammar: Grammar) -> str:
    line = line_of(name, grammar.source)
    return f", line {line}" if line else ""


def _rewritten(regexp: str) -> str:
    return regexp.replace(_ESCAPED_STRING, _PLAIN_STRING)


def _keywords(grammar: Grammar, used: Set[str]) -> tuple[dict[str, list[tuple[str, str]]], set[str]]:
    """(terminal -> the fixed texts among its matches, as (terminal, pattern); the fixed texts that need no pattern of their own)."""
    keywords: dict[str, list[tuple[str, str]]] = {}
    embedded: set[str] = set()
    texts = [(t, t.text) for t in grammar.definitions if t.text is not None and t.name in used]
    for t in grammar.definitions:
        if t.text is not None or t.name not in used:
            continue
        for keyword, text in texts:
            match = re.match(t.regexp, text) if keyword.priority == t.priority else None
            if match and match[0] == text:
                keywords.setdefault(t.name, []).append((keyword.name, keyword.regexp))
                if keyword.flags <= t.flags:
                    embedded.add(keyword.name)
    return keywords, embedded

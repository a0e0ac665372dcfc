"""Look-ahead in terminals: the symbols are those found by Lark's basic lexer, and both sides of a hole agree with reading on."""

import random
import re
from pathlib import Path

import pytest
from suture.parser import GrammarError, load_language
from suture.parser.grammar.loader import Grammar, parse

from ..support.inside import runtime_of

GRAMMARS = {
    "numbers": (
        'start: (INT | NAME | FLOAT | "if" | ";")*\nINT: /[0-9]+(?![\\w.])/\nFLOAT: /[0-9]+\\.[0-9]*(?![\\w.])/\n'
        'NAME: /[a-z]\\w*/\n%ignore " "',
        ["1", "a", ".", " ", ";", "if", "_"],
    ),
    "keywords": (
        'start: (IF | NAME | OP)*\nIF.2: /if(?!\\w)/\nNAME: /[a-z]\\w*/\nOP: /[+*]|[?](?![a-z])/\n%ignore " "',
        ["i", "f", "if", "a", "?", "+", " "],
    ),
    "within": (
        'start: (RE | ";" | SL | NAME)*\nRE: /\\/(?!\\/)(\\\\\\/|[^\\/])*?\\/[ims]*/\nSL: "//"\nNAME: /[a-z]+/\n%ignore " "',
        ["/", " ", "a", "\\", ";", "i"],
    ),
}


def symbols(grammar: Grammar, text: str) -> list[str] | None:
    """The symbols by Lark's basic lexer: the first terminal in its order that matches; a match equal to a fixed text is that."""
    found: list[str] = []
    at = 0
    fixed = {t.text: t.name for t in grammar.definitions if t.text is not None}
    while at < len(text):
        matches = ((t, re.compile(t.regexp).match(text, at)) for t in grammar.definitions)
        terminal, match = next(((t, m) for t, m in matches if m), (None, None))
        if terminal is None or match is None:
            return None
        at = match.end()
        if terminal.name not in grammar.ignored:
            embedded = terminal.text is None and terminal.priority == 0
            found.append(fixed.get(match[0], terminal.name) if embedded else terminal.name)
    return found


@pytest.mark.parametrize("name", GRAMMARS)
def test_symbols_are_those_of_lark(name: str, tmp_path: Path) -> None:
    source, words = GRAMMARS[name]
    path = tmp_path / "g.lark"
    path.write_text(source)
    lang, grammar, rng = load_language(f"ahead-{name}", path), parse(source, "start"), random.Random(name)
    engine = runtime_of(lang).engine
    names, accepted = engine.factory.tables.terminals, 0
    for _ in range(400):
        text = "".join(rng.choice(words) for _ in range(rng.randrange(1, 8)))
        lex, tokens = engine.lexer.step_text(engine.lexer.start, text)
        end = None if lex is None else engine.lexer.finish(lex)
        read = None if end is None else [names[t] for t in (*tokens, *end)[:-1] if isinstance(t, int)]
        assert read == symbols(grammar, text), text
        left, whole = lang.hole(text, ""), rng.randrange(len(text) + 1)
        if left.viable and left.state is not None and left.state.complete:
            accepted += 1
            middle = lang.hole(text[:whole], "").state
            rest = None if middle is None else middle.advance(text[whole:])
            assert rest is not None and rest.complete, (text, whole)
            assert lang.hole("", text[whole:]).viable, (text, whole)
    assert accepted > 20


def test_what_cannot_be_had_exactly_is_refused(tmp_path: Path) -> None:
    for source, message in (
        ("start: INT*\nINT: /[0-9]+(?![a-z])/", "line 2: INT: what a look-ahead refuses must be all"),
        ("start: A\nA: /a(?=b)/", "look-around is not supported"),
        ("start: A\nA: /a(?!bc)/", "look-around is not supported"),
    ):
        path = tmp_path / "g.lark"
        path.write_text(source)
        with pytest.raises(GrammarError, match=message):
            load_language("ahead", path)

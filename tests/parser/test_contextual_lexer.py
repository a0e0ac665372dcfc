"""`//@ lexer contextual`: no text refused by Lark's LALR parser with its contextual lexer is accepted, and every text it accepts is, except
those in which only the parser's stack shows the end of a symbol; in whole files and in holes."""

import random
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from lark import Lark
from lark.exceptions import LarkError
from suture.parser import Language, load_language
from suture.parser.completability import list_closure
from suture.parser.errors import GrammarError
from suture.parser.glr.prefix import Engine
from suture.parser.grammar import cache
from suture.parser.languages.generic.language import CompletabilityCache, new_runtime
from suture.parser.lexing.dfa import Dfa

from ..support import oracle_general as general

DIRECTIVE = "//@ lexer contextual\n"
SETTINGS = """start: (section | entry | "\\n")*
section: "[" NAME "]" "\\n"
entry: NAME "=" VALUE? "\\n"
NAME: /[a-z]+/
VALUE: /[^\\n]+/
%ignore " "
"""
LET = """start: (stmt ";")*
stmt: "let" NAME "=" expr | "print" expr | NAME ":=" expr
?expr: term | expr "+" term | expr "in" term
term: NAME | NUMBER | "-" term
NAME: /[a-z]+/
NUMBER: /[0-9]+(\\.[0-9]+)?/
DATE: /[0-9]+-[0-9]+/
%ignore /[ \\n]+/
"""


class Case(NamedTuple):
    seed: int
    source: str
    oracle: Lark
    engine: Engine
    contexts: int


def engine_of(source: str) -> tuple[Engine, Dfa]:
    compiled = cache.compile_now(Path("x.lark"), "start", source)
    assert compiled.automaton is not None
    return new_runtime(compiled.grammar, compiled.tables, compiled.automaton).engine, compiled.automaton


def random_case(seed: int) -> Case | None:
    """A grammar that Lark accepts without resolving a conflict, with its contextual lexer if there is one."""
    rng = random.Random(seed)
    names, definitions = general.random_terminals(rng)
    source = DIRECTIVE + general.as_file(general.random_rules(rng, names), definitions)
    try:
        oracle = Lark(source, parser="lalr", lexer="contextual")
        if general.has_conflicts(source):
            return None
        engine, dfa = engine_of(source)
    except (LarkError, GrammarError):
        return None
    return Case(seed, source, oracle, engine, len(dfa.starts))


def random_cases(first: int, wanted: int) -> list[Case]:
    """Cases with several contexts."""
    found: list[Case] = []
    while len(found) < wanted:
        case = random_case(first)
        first += 1
        if case is not None and case.contexts > 1:
            found.append(case)
    return found


def parses(oracle: Lark, text: str) -> bool:
    try:
        oracle.parse(text)
    except LarkError:
        return False
    return True


def accepts(engine: Engine, text: str) -> bool:
    state = engine.read_text(engine.start, text)
    last = None if state is None else engine.lexer.finish(state.lex)
    return state is not None and last is not None and engine.feed(state.frame, state.stacks, last) is not None


def texts_of(rng: random.Random, alphabet: str = "abc") -> list[str]:
    short = ["".join(chars) for size in range(5) for chars in product(alphabet, repeat=size)]
    return short + ["".join(rng.choices(alphabet, k=rng.randint(5, 12))) for _ in range(40)]


def test_random_grammars_take_the_texts_that_lark_takes() -> None:
    taken = only_contextual = lost = 0
    for case in random_cases(0, 25):
        basic = Lark(case.source, parser="lalr", lexer="basic")
        for text in texts_of(random.Random(case.seed)):
            found, expected = accepts(case.engine, text), parses(case.oracle, text)
            assert expected or not found, (case.seed, text, case.source)
            taken += found
            lost += expected and not found
            only_contextual += found and not parses(basic, text)
    assert taken > 150 and only_contextual > 30 and lost <= taken // 100


def test_holes_in_random_grammars_are_those_that_some_text_fills(tmp_path: Path) -> None:
    middles = ["".join(chars) for size in range(4) for chars in product("abc", repeat=size)]
    bridged = 0
    for case in random_cases(5_000, 8):
        path = tmp_path / f"g{case.seed}.lark"
        path.write_text(case.source, encoding="utf-8")
        language, rng = load_language(path.stem, path), random.Random(case.seed)
        for _ in range(6):
            left, right = ("".join(rng.choices("abc", k=rng.randint(0, 4))) for _ in "lr")
            hole = language.hole(left, right)
            fitting = {middle for middle in middles if parses(case.oracle, left + middle + right)}
            assert hole.viable or not fitting, (case.seed, left, right, case.source)  # nothing is lost in these
            if not hole.viable or hole.state is None:
                continue
            bridges = hole.state.bridges()
            assert bridges, (case.seed, left, right, case.source)
            bridged += len(bridges)
            for bridge in bridges:
                assert parses(case.oracle, left + bridge + right), (case.seed, left, bridge, right, case.source)
            for middle in middles[:30]:
                state = hole.state
                for char in middle:
                    state = state.advance(char) if state is not None else None
                complete = state is not None and state.complete
                assert complete == (middle in fitting), (case.seed, left, middle, right, case.source)
    assert bridged > 5


@pytest.mark.parametrize(
    ("grammar", "words"),
    [
        (SETTINGS, ["[", "a", "]", "\n", "=", " ", "b c", "]\n", "=x\n"]),
        (LET, ["let", "print", "in", "x", " ", "=", ":=", ";", "1", "1.5", "1-2", "-", "+", "let in = in in in;"]),
    ],
)
def test_texts_in_grammars_as_people_write_them(grammar: str, words: list[str]) -> None:
    engine, dfa = engine_of(DIRECTIVE + grammar)
    oracle, rng = Lark(grammar, parser="lalr", lexer="contextual"), random.Random(3)
    assert len(dfa.starts) > 1
    taken = 0
    for _ in range(600):
        text = "".join(rng.choices(words, k=rng.randint(1, 9)))
        expected = parses(oracle, text)
        assert accepts(engine, text) == expected, text
        taken += expected
    assert taken > 10


def language(grammar: str, folder: Path) -> Language:
    path = folder / "x.lark"
    path.write_text(DIRECTIVE + grammar, encoding="utf-8")
    return load_language("x", path)


def test_a_keyword_is_a_name_where_only_a_name_can_be(tmp_path: Path) -> None:
    state = language(LET, tmp_path).hole("let ", " = 1;\n").state
    assert state is not None
    for text, fits in (("print", True), ("in", True), ("let", True), ("1", False), ("print in", False)):
        after = state
        for char in text:
            after = after.advance(char) if after is not None else None
        assert (after is not None and after.complete) == fits, text


def test_a_right_context_is_read_in_the_context_that_the_hole_ends_in(tmp_path: Path) -> None:
    hole = language(SETTINGS, tmp_path).hole("a=1\nb", "[ = ]\nc=\n")
    assert hole.viable and hole.state is not None
    for bridge in hole.state.bridges():
        assert parses(Lark(SETTINGS, parser="lalr"), "a=1\nb" + bridge + "[ = ]\nc=\n")


def test_a_compiled_grammar_keeps_its_contexts(tmp_path: Path) -> None:
    path = tmp_path / "x.lark"
    path.write_text(DIRECTIVE + LET, encoding="utf-8")
    first, second = cache.load(path, "start").automaton, cache.load(path, "start").automaton
    assert first is not None and second is not None and first is not second
    assert first.as_json() == second.as_json() and len(second.starts) > 1


def test_without_need_there_is_one_context() -> None:
    source = DIRECTIVE + 'start: (NAME "=" NUMBER ";")*\nNAME: /[a-z]+/\nNUMBER: /[0-9]+/\n%ignore " "\n'
    assert len(engine_of(source)[1].starts) == 1


@pytest.mark.parametrize(
    ("grammar", "part"),
    [
        ('start: a | "(" a ")"\na: "x" | "y"\n//@ lexer earley', "write `//@ lexer contextual`"),
        ('start: a a\na: "x" | b\nb: "x"\n//@ lexer contextual', "Reduce/Reduce"),
        (
            'start: (NAME ";")*\nNAME: "x"\n%ignore /\\n/\n//@ newline ";" after NAME\n//@ lexer contextual',
            "used together",
        ),
        (
            'start: NAME "(" w | "[" x\nw: W\nx: NAME\nNAME: /[a-z]+/\nW: /[a-z(]+/\n//@ lexer basic\n//@ lexer basic',
            "once",
        ),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_reason(grammar: str, part: str) -> None:
    with pytest.raises(GrammarError) as caught:
        engine_of(grammar + "\n")
    assert part in str(caught.value)


STATEMENTS = """start: (stmt ";")*
?stmt: "if" "(" expr ")" WORD | "let" NAME "=" expr | expr
?expr: term | expr IN term | expr "<" term
?term: NAME | "(" expr ")"
WORD: /[a-z]+/
NAME: /[a-z]+/
IN: "in"
%ignore " "
"""


def test_the_grammar_says_which_of_two_terminals_a_text_is() -> None:
    """After ")" the terminals so far do not tell whether an expression continues."""
    engine, dfa = engine_of(DIRECTIVE + STATEMENTS)
    oracle, rng = Lark(STATEMENTS, parser="lalr"), random.Random(5)
    assert dfa.alternatives
    words = ["if", "let", "in", "x", "(", ")", ";", "=", "<", " ", "(x)", "if (x) in;", "(x) in y;"]
    taken = 0
    for _ in range(600):
        text = " ".join(rng.choices(words, k=rng.randint(1, 8)))
        assert accepts(engine, text) == parses(oracle, text), text
        taken += parses(oracle, text)
    assert taken > 20


def test_where_only_the_stack_tells_the_longest_text_counts() -> None:
    engine, _ = engine_of(DIRECTIVE + STATEMENTS)
    oracle = Lark(STATEMENTS, parser="lalr")
    assert parses(oracle, "(x)iny;") and not accepts(engine, "(x)iny;")  # to Lark `(x) in y`
    assert parses(oracle, "if(x)iny;") and accepts(engine, "if(x)iny;")


@pytest.mark.parametrize("grammar", [LET, STATEMENTS])
def test_lists_are_decided_from_each_side_alone_in_several_contexts(grammar: str) -> None:
    compiled = cache.compile_now(Path("x.lark"), "start", DIRECTIVE + grammar)
    assert compiled.automaton is not None and len(compiled.automaton.starts) > 1
    bridging = new_runtime(compiled.grammar, compiled.tables, compiled.automaton).bridging
    assert isinstance(bridging, CompletabilityCache) and bridging.closure.anchors


def test_where_contexts_cannot_be_told_apart_nothing_is_decided_from_one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = cache.compile_now(Path("x.lark"), "start", DIRECTIVE + LET)
    assert compiled.automaton is not None
    bridging = new_runtime(compiled.grammar, compiled.tables, compiled.automaton).bridging
    assert isinstance(bridging, CompletabilityCache)
    monkeypatch.setattr(list_closure, "states_by_context", lambda tables, lexer: None)
    assert bridging.closure.anchors == []


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (LET, "let in = x in 1; print let in in; x := in + - 1.5; let let = in;"),
        (STATEMENTS, "if (x in in) in; let in = (in) in x; (x) < y; if (y) let; x in (if);"),
    ],
)
def test_holes_in_lists_are_filled_with_what_lark_takes(grammar: str, text: str, tmp_path: Path) -> None:
    found, oracle, rng = language(grammar, tmp_path).session(), Lark(grammar, parser="lalr"), random.Random(7)
    for _ in range(30):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.randrange(1, 12))
        left, right = text[:begin], text[end:]
        hole = found.hole(left + right, begin)
        state = hole.state
        assert hole.viable and state is not None, (left, right)
        bridges = state.bridges()
        assert bridges, (left, right)
        for bridge in bridges:
            assert parses(oracle, left + bridge + right), (left, bridge, right)
        for char in text[begin:end]:
            state = state.advance(char) if state is not None else None
        assert state is not None and state.complete, (left, right)


def test_a_text_is_not_a_name_where_lark_takes_it_for_a_keyword() -> None:
    """After ")", where the terminals so far leave several states, one accepts only names, another names and `in`."""
    grammar = """start: (stmt ";")*
stmt: "if" "(" part ")" NAME | part IN NAME | part NAME NUMBER
part: NAME | "(" part ")"
NAME: /[a-z]+/
NUMBER: /[0-9]+/
IN: "in"
%ignore " "
"""
    engine, _ = engine_of(DIRECTIVE + grammar)
    oracle = Lark(grammar, parser="lalr")
    for text in ("(x) in y;", "(x) y 1;", "if (x) y;", "(x) in 1;", "(x) in in 1;", "if (x) y 1;"):
        assert accepts(engine, text) == parses(oracle, text), text
    assert not parses(oracle, "(x) in 1;")


def test_the_author_is_told_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "own.lark"
    path.write_text(DIRECTIVE + STATEMENTS, encoding="utf-8")
    (note,) = load_language("own", path).notes
    assert "'in" in note and "WORD as a whole" in note and "would find IN first" in note
    path.write_text(DIRECTIVE + SETTINGS, encoding="utf-8")
    assert not load_language("own", path).notes

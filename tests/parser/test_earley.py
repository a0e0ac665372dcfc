"""The Earley reference: charts over an NFA and the explicit quotient, against brute force and the fast engine."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from suture.parser import GrammarError
from suture.parser.earley import (
    Cfg,
    Nfa,
    TooLarge,
    charts,
    left_quotient,
    quotient,
    right_quotient,
    simplified,
    trimmed,
)
from suture.parser.earley.chart import Item
from suture.parser.grammar import cache as grammar_cache
from suture.parser.grammar import lalr, loader
from suture.parser.language import Language
from suture.parser.languages import json as json_language
from suture.parser.languages.generic import language as generic

from ..support.oracle_general import Rules, as_file, reaches

LETTERS = "abc"
NAMES = ("start", "p", "q", "r")

JSON_GRAMMAR = Path(str(json_language.__file__)).with_name("json.lark")


def rules_of(names: tuple[str, ...]) -> st.SearchStrategy:
    """Random rules with epsilon, ambiguity, recursion of all kinds and useless symbols."""
    rhs = st.lists(st.sampled_from([*names, *LETTERS]), max_size=4).map(tuple)
    return st.fixed_dictionaries({name: st.lists(rhs, min_size=1, max_size=3, unique=True) for name in names})


GRAMMARS = st.integers(1, len(NAMES)).flatmap(lambda n: rules_of(NAMES[:n]))
WORDS = st.text(LETTERS, max_size=4)
RANDOM = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NASTY = [
    {"start": [("a", "start", "b"), ()]},
    {"start": [("p", "start", "a"), ("b",)], "p": [(), ("c",)]},  # hidden left recursion
    {"start": [("start", "start"), ("a",), ()]},  # infinitely ambiguous
    {"start": [("p", "q")], "p": [("q", "q")], "q": [("p",), (), ("c",)]},  # cycles through epsilon
    {"start": [("start", "a"), ("p",)], "p": [("b", "p"), ("b",)]},
    {"start": [("p", "p", "p", "p")], "p": [(), ("a",)]},
    {"start": [("start",), ("a", "p")], "p": [("p",)]},  # nothing at all
]


def cfg_of(rules: dict) -> Cfg:
    return Cfg("start", tuple((lhs, rhs) for lhs, alternatives in rules.items() for rhs in alternatives))


def short_words(cfg: Cfg, longest: int) -> set[str]:
    """The words of single letters that the grammar derives, up to a length: by iteration, from the definition."""
    found: dict[str, set[str]] = {name: set() for name in cfg.nonterminals}
    size = -1
    while size != (size := sum(map(len, found.values()))):
        for lhs, rhs in cfg.rules:
            texts = {""}
            for symbol in rhs:
                texts = {t + u for t in texts for u in found.get(symbol, {symbol}) if len(t + u) <= longest}
            found[lhs] |= texts
    return found[cfg.start]


def all_words(longest: int) -> list[str]:
    return ["".join(w) for n in range(longest + 1) for w in product(LETTERS, repeat=n)]


def check_quotient(rules: dict, left: str, right: str, longest: int = 4) -> None:
    """The quotient's words are exactly those that make left + word + right a word of the grammar."""
    cfg = cfg_of(rules)
    expected = {w for w in all_words(longest) if reaches(rules, "start", [*left, *w, *right])}
    found = quotient(cfg, Nfa.of_word(left), Nfa.of_word(right))
    assert short_words(found, longest) == expected
    assert found.is_empty == (not reaches(rules, "start", [*left, "*", *right]))
    assert trimmed(found) == found
    assert short_words(simplified(found, lambda name: "[" in name), longest) == expected


@RANDOM
@given(GRAMMARS, WORDS, WORDS)
def test_the_quotient_grammar_of_random_grammars(rules, left, right):
    check_quotient(rules, left, right)


@pytest.mark.parametrize("rules", NASTY)
def test_the_quotient_grammar_of_nasty_grammars(rules):
    for left, right in [
        ("", ""),
        ("a", ""),
        ("", "a"),
        ("b", "a"),
        ("a", "b"),
        ("c", "aa"),
        ("ab", "b"),
        ("aab", "bb"),
    ]:
        check_quotient(rules, left, right, 3)


@RANDOM
@given(GRAMMARS, WORDS)
def test_charts_recognise(rules, word):
    assert charts(cfg_of(rules), Nfa.of_word(word)).accepts == reaches(rules, "start", [*word])


EDGES = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(LETTERS), st.integers(0, 3)), max_size=6).map(tuple)
STATES = st.frozensets(st.integers(0, 3), min_size=1, max_size=2)


def accepted(nfa: Nfa, word: str) -> bool:
    now = nfa.starts
    for letter in word:
        now = {to for at, terminal, to in nfa.edges if at in now and terminal == letter}
    return bool(set(now) & nfa.finals)


@RANDOM
@given(GRAMMARS, st.builds(Nfa, STATES, STATES, EDGES), WORDS)
def test_quotients_by_automata_with_cycles(rules, nfa, word):
    """Membership on both sides of a set of contexts, possibly infinite; contexts up to a length are checked one by one."""
    cfg = cfg_of(rules)
    contexts = [u for u in all_words(3) if accepted(nfa, u)]
    for take, join in ((left_quotient, lambda u: u + word), (right_quotient, lambda u: word + u)):
        found = charts(take(cfg, nfa), Nfa.of_word(word)).accepts
        if any(reaches(rules, "start", [*join(u)]) for u in contexts):
            assert found
        elif not has_cycle(nfa):
            assert not found


def has_cycle(nfa: Nfa) -> bool:
    return any(accepted(Nfa(nfa.states, nfa.states, nfa.edges), w) for w in all_words(4) if len(w) == 4)


@RANDOM
@given(GRAMMARS, WORDS, WORDS, WORDS)
def test_the_fast_engine_and_the_reference_agree(rules: Rules, left: str, right: str, middle: str):
    """Viability and membership of each beginning of a middle; the two implementations share only the grammar's loader."""
    definitions = {letter: letter.upper() for letter in LETTERS}
    renamed: Rules = {
        lhs: [tuple(definitions.get(s, s) for s in rhs) for rhs in alternatives] for lhs, alternatives in rules.items()
    }
    source = loader.parse(as_file(renamed, "\n".join(f'{t}: "{letter}"' for letter, t in definitions.items())), "start")
    upper = [[*text.upper()] for text in (left, right)]
    found = quotient(Cfg.of(source), Nfa.of_word(upper[0]), Nfa.of_word(upper[1]))
    try:
        tables = lalr.build(source)
    except GrammarError:
        assert found.is_empty
        return
    automaton = grammar_cache.automaton(source)
    lang = Language("own", None, lambda: generic.new_runtime(source, tables, automaton))
    hole = lang.hole(left, right)
    state = hole.state if hole.viable else None
    for n in range(len(middle) + 1):
        if n and state is not None:
            state = state.advance(middle[n - 1])
        typed = Nfa.of_word(middle[:n].upper())
        assert (state is not None) == (not left_quotient(found, typed).is_empty), middle[:n]
        assert (state is not None and state.complete) == charts(found, typed).accepts, middle[:n]


def test_json_and_the_reference_agree():
    """On terminals; the text is cut between them."""
    source = grammar_cache.load(JSON_GRAMMAR, "start").grammar
    names = {text: name for name, text in source.texts.items()} | {"1": "NUMBER", '"a"': "STRING"}
    assert set(names.values()) == set(source.terminals)
    lang = Language("json", None, generic.maker(JSON_GRAMMAR, "start"))
    words = ["{", "}", "[", "]", ",", ":", '"a"', "1"]
    for left, right in (("[ 1 ,", "]"), ('{ "a" :', ", 1 ] }"), ("[ [", "] }"), ("{", ": 1 }"), ("", "")):
        hole = lang.hole(left + " ", " " + right)
        found = quotient(
            Cfg.of(source), Nfa.of_word(names[w] for w in left.split()), Nfa.of_word(names[w] for w in right.split())
        )
        for middle in (m for n in range(3) for m in product(words, repeat=n)):
            state = hole.state.advance(" ".join(middle)) if hole.viable and hole.state else None
            word = Nfa.of_word(names[w] for w in middle)
            if state is None or middle[-1:] != ("1",):  # the text may continue as a longer number
                assert (state is not None) == (not left_quotient(found, word).is_empty), (left, middle, right)
            assert (state is not None and state.complete) == charts(found, word).accepts, (left, middle, right)


def test_a_worked_example():
    """A call with its bracket open on the left and closed on the right: further arguments, or the end of this call, any code in between, and
    the beginning of another call that the bracket closes."""
    source = "e: ID | e CALL | e OPEN args CLOSE\nargs: e | args COMMA e\n"
    source += 'ID: "f"\nCALL: "()"\nOPEN: "("\nCLOSE: ")"\nCOMMA: ","\n'
    calls = Cfg.of(loader.parse(source, "e"))
    found = simplified(quotient(calls, Nfa.of_word(["ID", "OPEN"]), Nfa.of_word(["CLOSE"])), lambda name: "[" in name)
    assert {lhs: {" ".join(rhs) for rhs in found.by_lhs[lhs]} for lhs in found.nonterminals} == {
        "hole": {"args", "e[0..] OPEN args"},
        "e[0..]": {"args CLOSE", "e[0..] CALL", "e[0..] OPEN args CLOSE"},
        "e": {"ID", "e CALL", "e OPEN args CLOSE"},
        "args": {"e", "args COMMA e"},
    }


def test_who_waits():
    """The predictor of an item is the item waiting for its symbol."""
    found = charts(Cfg("s", (("s", ("a", "p")), ("p", ("b",)))), Nfa.of_word("ab"))
    assert found.waiting(0, "s") == [Item(0, 0, 0)]
    assert found.waiting(1, "p") == [Item(1, 1, 0)]
    assert found.waiting(2, "p") == ()


def test_an_ambiguous_symbol_is_a_set_of_paths():
    """`i` may become a name or a keyword; the possible continuations are the union."""
    cfg = Cfg("s", (("s", ("IF", "c")), ("s", ("NAME", "="))))
    paths = Nfa(frozenset({0}), frozenset({1}), ((0, "IF", 1), (0, "NAME", 1)))
    assert {rhs for _, rhs in simplified(left_quotient(cfg, paths), lambda name: "[" in name).rules} == {("c",), ("=",)}


def test_a_bound_on_the_work():
    cfg = Cfg("s", (("s", ("s", "s")), ("s", ("a",))))
    with pytest.raises(TooLarge):
        charts(cfg, Nfa.of_word("a" * 50), 100)

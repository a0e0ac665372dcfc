"""The automaton of a regular expression against interegular's: an independent construction.

Only for expressions that both read alike: interegular takes `*?` for greedy and classes such as `\\w` for ASCII, and among several matching
alternatives it takes any, ours the one of Python's `re`.
"""

import random
import warnings

import interegular
import pytest
from suture.parser.lexing.dfa import Pattern, build, endings

PATTERNS = [
    r"a",
    r"[a-c]+",
    r"a{2,4}b?",
    r"0|[1-9][0-9]*(\.[0-9]+)?([eE][+-]?[0-9]+)?",
    r'"([^"\\]|\\.)*"',
    r"//[^\n]*",
    r"/\*([^*]|\*+[^*/])*\*+/",
    r"(a|b)*abb",
]


def accepted(pattern: str, text: str) -> bool:
    """Whether our automaton, run over all of the text, ends in an accepting state."""
    dfa = build([Pattern("T", pattern)])
    state = 0
    for char in text:
        after = dfa.moves[state].get(dfa.class_of(char))
        if after is None:
            return False
        state = after
    return dfa.accepts[state] is not None


@pytest.mark.parametrize("pattern", PATTERNS)
def test_accepts_what_interegular_accepts(pattern: str) -> None:
    """On texts made of the pattern's own characters, members among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fsm = interegular.parse_pattern(pattern).to_fsm()
    rng, alphabet = random.Random(1), sorted({char for char in pattern + 'abcxyz019"\\*/ \n' if char not in "|(){}?+"})
    members = 0
    for _ in range(400):
        text = "".join(rng.choice(alphabet) for _ in range(rng.randrange(7)))
        expected = fsm.accepts(text)
        members += expected
        assert accepted(pattern, text) == expected, text
    for word, _ in zip(fsm.strings(), range(30), strict=False):
        text = "".join(char if isinstance(char, str) else "\u2603" for char in word)
        members += 1
        assert accepted(pattern, text) == fsm.accepts(text), text
    assert members


def test_the_shortest_ending_comes_first() -> None:
    """In an order of their own, whatever the order of a set of strings."""
    words = ("if", "else", "for", "function", "import", "in", "instanceof", "f")
    rows = [list(row.items()) for row in endings(build([Pattern(word.upper(), word) for word in words]))]
    assert [row for row in rows if len(row) > 3]
    assert all(row == sorted(row, key=lambda ending: (len(ending[1]), ending[0])) for row in rows)

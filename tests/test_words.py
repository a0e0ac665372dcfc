"""Names in any script, in regular expressions."""

import re
import sys

import pytest
from suture.common import words

EVERY = [chr(number) for number in range(sys.maxunicode + 1)]
PART = words.compiled(r"[\w→]")
"""With a sign beside them, the parts of words are spelled as they are, and not by all others."""


def is_part(char: str) -> bool:
    return char != "→" and PART.match(char) is not None


@pytest.mark.parametrize(
    "pattern, also, but",
    [
        *[(r"\w", "", ""), (r"[\w]", "", ""), (r"[^\W_]", "", "_"), (r"[^\W\d]", "", "0123456789")],
        *[(r"[\w.]", ".", ""), (r"[]\w-]", "]-", ""), (r"[\w(\[=]", "([=", ""), (r"[+-/\w\t\\]", "+,-./\t\\", "")],
        (r"[\wé·→]", "→", ""),
    ],
)
def test_a_set_holds_the_parts_of_words_and_what_it_says(pattern, also, but):
    one = words.compiled(pattern)
    wanted = {char for char in EVERY if is_part(char)} | set(also)
    assert {char for char in EVERY if one.match(char)} == wanted - set(but)
    if pattern[:2] not in (r"\w", "[^"):
        other = words.compiled(f"[^{pattern[1:]}" if pattern[1] != "]" else r"[^]\w-]")
        assert {char for char in EVERY if not other.match(char)} == wanted


def test_a_set_of_spaces_holds_those_of_unicode():
    both, neither = words.compiled(r"[\w\s]"), words.compiled(r"[^\w\s]")
    wanted = [is_part(char) or char.isspace() for char in EVERY]
    assert [bool(both.match(char)) for char in EVERY] == wanted
    assert [not neither.match(char) for char in EVERY] == wanted


def test_what_is_no_part_of_a_word_is_everything_else():
    part, no_part = words.compiled(r"\w"), words.compiled(r"\W")
    assert [char for char in EVERY if bool(part.match(char)) == bool(no_part.match(char))] == []


def test_every_name_of_this_python_is_a_name():
    part = words.compiled(r"\w")
    assert [char for char in EVERY if ("a" + char).isidentifier() and not part.match(char)] == []


def test_compiling_a_pattern_looks_at_few_characters():
    """`re` goes through a set character by character, and patterns with many edges are compiled at the start."""
    pattern = words.spelled(r"\w+\b\W[^\W\d][\w.][^\w\]]")
    sets = re.findall(r"\[(\^?)((?:\\[\s\S]|[^\]\\])+)\]", pattern)
    inside = [len(re.findall(f"[{ranges}]", "".join(EVERY))) for _, ranges in sets]
    assert len(sets) == 9 and max(inside) < 4_000, inside

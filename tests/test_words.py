"""Names in any script, in regular expressions."""

import re
import sys

import pytest
from suture.common import words

EVERY = [chr(number) for number in range(sys.maxunicode + 1)]


@pytest.mark.parametrize(
    "outside, inside", [(r"\w", r"[\w]"), (r"[^\W_]", r"(?!_)[\w]"), (r"[^\W\d]", r"(?![0-9])[\w]")]
)
def test_a_character_is_the_same_within_a_set_and_without(outside, inside):
    one, other = words.compiled(outside), words.compiled(inside)
    assert [char for char in EVERY if bool(one.match(char)) != bool(other.match(char))] == []


def test_what_is_no_part_of_a_word_is_everything_else():
    part, no_part = words.compiled(r"\w"), words.compiled(r"\W")
    assert [char for char in EVERY if bool(part.match(char)) == bool(no_part.match(char))] == []


def test_every_name_of_this_python_is_a_name():
    part = words.compiled(r"\w")
    assert [char for char in EVERY if ("a" + char).isidentifier() and not part.match(char)] == []


def test_compiling_a_pattern_looks_at_few_characters():
    """`re` goes through a set character by character, and patterns with many edges are compiled at the start."""
    pattern = words.spelled(r"\w+\b\W[^\W\d]")
    sets = re.findall(r"\[(\^?)((?:\\.|[^\]\\])+)\]", pattern)
    inside = [len(re.findall(f"[{ranges}]", "".join(EVERY))) for _, ranges in sets]
    assert len(sets) == 7 and max(inside) < 4_000, inside

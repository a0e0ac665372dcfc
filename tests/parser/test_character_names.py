r"""Names of characters in `\N{...}`, against all that `unicodedata` has."""

from __future__ import annotations

import random
import unicodedata
from bisect import bisect_left

import pytest
from suture.parser import language
from suture.parser.languages.python.lexer import character_names as names


def test_every_name_is_found() -> None:
    """Each name of the interpreter's Unicode may begin so, and nothing but names does."""
    rng = random.Random(1)
    found = [name for code in range(0, 0x110000, 7) if (name := unicodedata.name(chr(code), ""))]
    assert [name for name in found if not names.may_begin(name)] == []
    known = sorted(set(found) | set(names._names()))
    for name in rng.sample(found, 2_000):
        prefix = name[: rng.randrange(1, len(name) + 1)]
        assert names.may_begin(prefix), prefix
        assert names.is_name(prefix + names.shortest_rest(prefix)), prefix
        other = prefix + rng.choice("ABEGQZ09 -")
        if "IDEOGRAPH-" not in other and "HANGUL" not in other:
            next_known = known[min(bisect_left(known, other), len(known) - 1)]
            assert names.may_begin(other) == next_known.startswith(other), other


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("latin small", True),
        ("Line Feed", True),
        ("BOM", True),
        ("VS256", True),
        ("VS257", False),
        ("DIGIT  ", False),
        ("CJK UNIFIED IDEOGRAPH-4E00", True),
        ("CJK UNIFIED IDEOGRAPH-04E", True),
        ("CJK UNIFIED IDEOGRAPH-004", False),
        ("cjk unified", False),  # CPython needs these in their exact case
        ("CJK UNIFIED IDEOGRAPH-4e", False),
        ("HANGUL SYLLABLE GAG", True),
        ("hangul syllable g", False),
        ("LATIN SMALL LETTER A WITH MACRON AND GRAVE", False),  # the name of a sequence
    ],
)
def test_beginnings(text: str, expected: bool) -> None:
    """Case counts only in computed names."""
    assert names.may_begin(text) == expected


@pytest.mark.parametrize("end", ["ONE", "LETTER A", "4E00", "E00", "small letter a", ""])
def test_ends(end: str) -> None:
    """A right context may begin within a name."""
    beginning = names.beginning(end)
    assert beginning is not None and names.is_name(beginning + end)
    assert names.beginning("ZZZZQ" + end) is None


@pytest.mark.parametrize("prefix", ["", "f"])
@pytest.mark.parametrize("version", ["3.8", "3.12"])
def test_in_strings(prefix: str, version: str) -> None:
    """A name dies with its first wrong character, and is closed by the shortest end."""
    state = language("python", version).hole(f'x = {prefix}"\\N{{DIGIT', '"\n').state
    assert state is not None
    one = state.advance(" ON")
    assert one is not None and one.bridges() == ("E}",)
    assert state.advance(" OX") is None


def test_right_context_within_a_name() -> None:
    """Since 3.12 the text of an f-string may continue in a name only if the right context ends one."""
    python = language("python", "3.12")
    assert python.hole('x = f"\\N{LATIN SMALL ', 'LETTER A}"\n').viable
    assert python.hole("x = ", ' LETTER A}"\n').viable

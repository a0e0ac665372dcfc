"""Possessive groups, even on the Pythons that match them wrongly."""

import pytest
from suture.common import possessive
from suture.parser import language


def test_only_groups_become_greedy() -> None:
    assert (
        possessive.greedy(r"(?:[^\\]++|\\.)*+(?P<end>\"\)?+)?+[ ]*+x{2}+")
        == r"(?:[^\\]++|\\.)*(?P<end>\"\)?)?[ ]*+x{2}+"
    )


@pytest.mark.parametrize("wrongly", [True, False])
def test_text_and_bytes_are_matched(wrongly: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possessive, "MATCHED_WRONGLY", wrongly)
    text = possessive.compiled(r"(?:[^\"\\]++|\\.)*+\"")
    assert (text.pattern == possessive.greedy(text.pattern)) is wrongly
    found = text.match(r'a\"b" c')
    assert found is not None and found[0] == r'a\"b"'
    octets = possessive.compiled(rb"(?:[^\xff]|\xff.)*+\Z")
    assert octets.match(b"a\xffb") is not None


def test_parameters_are_seen() -> None:
    """Fails on Python 3.11.2 if the end of a function is searched with possessive groups."""
    hole = language("python").hole("def f(rooms):\n    x = ", "\n", level="names")
    assert hole.state is not None
    state = hole.state.advance("rooms")
    assert state is not None and state.complete

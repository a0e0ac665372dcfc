"""The kind of text at the cursor."""

import pytest
from suture.parser import language


@pytest.mark.parametrize("version", ["3.8", "3.11", "3.14", "3.15"])
@pytest.mark.parametrize(
    ("marked", "kind"),
    [
        ("x = |", "code"),
        ("x = 1  # a| comment\n", "comment"),
        ("# a|\n", "comment"),
        ("# a\n|\n", "code"),
        ("# a\r|\n", "code"),
        ("x = 'a|'\n", "string"),
        ("x = '|'\n", "string"),
        ("x = ''|\n", "code"),
        ("x = 'a'|\n", "code"),
        ('"""a\n|\n"""\n', "string"),
        ('"""a\r|\n"""\n', "string"),
        ("x = b'a|'\n", "string"),
        ("x = f'a|{y}'\n", "string"),
        ("x = f'a{|}'\n", "code"),
        ("x = f'a{y:|}'\n", "string"),
        ("x = f'a{y}|'\n", "string"),
        ("x = '#|'\n", "string"),
        ("x = 1  # '|\n", "comment"),
    ],
)
def test_regions(marked, kind, version):
    left, right = marked.split("|")
    state = language("python", version).hole(left, right).state
    assert state is not None and state.region == kind


def test_other_languages_are_code():
    state = language("json").hole('["a', '"]').state
    assert state is not None and state.region == "code"


@pytest.mark.parametrize(
    ("marked", "kind"),
    [
        ("f(/a|/g)\n", "string"),
        ("f(/[a|]/g)\n", "string"),
        ("f(/a/|g)\n", "code"),
        ("f(a /|b)\n", "code"),
        ("f(`a|`)\n", "string"),
        ("f(`${|a}`)\n", "code"),
        ("f('a|')\n", "string"),
        ("f(a // b|\n)\n", "comment"),
    ],
)
def test_regions_of_typescript(marked, kind):
    left, right = marked.split("|")
    state = language("typescript").hole(left, right).state
    assert state is not None and state.region == kind


@pytest.mark.parametrize(
    ("marked", "kind"),
    [
        ("`a\n|`", "string"),
        ('"a|"', "string"),
        ("'|a'", "string"),
        ("`a`|", "code"),
        ("1 /|1", "code"),
        ("1 // a|", "comment"),
        ("1 /* a|*/", "comment"),
        ("1 /* a */|", "code"),
    ],
)
def test_regions_of_go(marked: str, kind: str) -> None:
    left, right = ("package p\n\nvar x = " + marked + "\n").split("|")
    state = language("go").hole(left, right).state
    assert state is not None and state.region == kind

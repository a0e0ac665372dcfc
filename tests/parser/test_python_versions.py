"""Every version of Python against its own parser, if its interpreter is on this machine; and the choice of a version."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from suture.parser import UnknownLanguage, language
from suture.parser.glr.suffix import SuffixContext, SuffixText
from suture.parser.language import raised_version
from suture.parser.languages.python import versions
from suture.parser.languages.python.versions import VERSIONS

from ..fuzz.python import KINDS, Sample, accepts, cases, disagreements, library
from ..support import oracles
from ..support.inside import runtime_of

every_version = pytest.mark.parametrize("version", VERSIONS)


@pytest.fixture(scope="module", autouse=True)
def _close_interpreters() -> Iterator[None]:
    yield
    oracles.close_all(VERSIONS)


@every_version
def test_table(version: str) -> None:
    """The engine agrees with the table on each snippet."""
    column = VERSIONS.index(version)
    wrong = [text for mask, text in cases() if accepts(version, Sample("", text, "")) != (mask[column] in "xX")]
    assert wrong == []


@every_version
def test_table_is_true(version: str) -> None:
    """So do the interpreters, except for rows marked as different between micro releases, or as not modelled."""
    column, oracle = VERSIONS.index(version), oracles.oracle(version)
    marked = [(mask[column], text) for mask, text in cases() if mask[column] in "x."]
    truths = oracle.parse([text for _, text in marked])
    assert [text for (mark, text), truth in zip(marked, truths, strict=True) if truth != (mark == "x")] == []


@every_version
def test_every_seam(version: str) -> None:
    """Wherever a valid snippet is cut in two, the hole is viable and complete without text."""
    column, rng = VERSIONS.index(version), random.Random(version)
    python = language("python", version)
    valid = [text for mask, text in cases() if mask[column] == "x"]
    for text in rng.sample(valid, 40):
        for at in range(len(text) + 1):
            hole = python.hole(text[:at], text[at:])
            assert hole.viable and hole.state is not None and hole.state.complete, (text[:at], text[at:])


@every_version
def test_every_end_is_a_viable_suffix(version: str) -> None:
    """The end of a valid snippet is recognized as an end of some file, without its beginning."""
    column, rng = VERSIONS.index(version), random.Random(version)
    parts = runtime_of(language("python", version))
    valid = [text for mask, text in cases() if mask[column] == "x" and len(text) < 40]
    fstrings = [text for text in valid if "{" in text]
    for text in rng.sample(valid, 6) + rng.sample(fstrings, 6):
        for at in range(len(text) + 1):
            right = SuffixContext(parts.engine, SuffixText(text[at:]), len(text) - at)
            assert parts.viable_suffix(right, parts.engine.start.lex), (text[:at], text[at:])


def _blocks(count: int) -> str:
    return "".join(" " * i + "if x:\n" for i in range(count)) + " " * count + "x\n"


def _fstrings(count: int) -> str:
    return 'f"{' * count + "x" + '}"' * count


@every_version
def test_limits_of_nesting(version: str) -> None:
    """CPython's limits of blocks, brackets and, since 3.12, f-strings in fields; 3.8's parser gives up earlier on brackets."""
    texts = {_blocks(99): True, _blocks(100): False, "(" * 90 + "x" + ")" * 90: True}
    if version != "3.8":
        texts |= {"(" * 200 + "x" + ")" * 200: True, "(" * 201 + "x" + ")" * 201: False}
    if VERSIONS.index(version) >= VERSIONS.index("3.12"):
        texts |= {_fstrings(149): True, _fstrings(150): False}
    assert {text: accepts(version, Sample("", text, "")) for text in texts} == texts
    oracle = oracles.find(version)
    truths = texts.values() if oracle is None else oracle.parse(list(texts))
    is_shallow = oracles.interpreter(version) is None  # in WebAssembly the stack may end before Python's own limits
    assert [
        text
        for (text, valid), truth in zip(texts.items(), truths, strict=True)
        if truth != valid and not (valid and is_shallow)
    ] == []


@every_version
def test_whole_library_files(version: str) -> None:
    """Standard library files of the version are accepted."""
    for text in library(version, random.Random(version), 6, 20_000):
        assert accepts(version, Sample(text, "", ""))


@every_version
@pytest.mark.parametrize(
    ("kind", "count"),
    [("cases", 200), ("fstrings", 200), ("lines", 150), ("sentences", 60), ("files", 5), ("strings", 100)],
)
def test_random_texts(version: str, kind: str, count: int) -> None:
    """The engine and the interpreter agree on random texts; whole campaigns of these are run by hand."""
    oracles.oracle(version)
    samples = list(KINDS[kind](random.Random(f"{kind} {version}"), count, version))
    assert disagreements(version, samples) == []


@pytest.mark.parametrize(
    ("left", "right", "middle"),
    [
        ('x = f"{a', '"\n', "}"),
        ('x = f"{a[', '}"\n', "x]"),
        ('x = f"{f(', ', b["k"])}"\n', "x"),
        ('x = f"{a:{b', "\n", '}}"'),
        ('x = f"{a!', '}"\n', "r"),
        ("x = f'''{", "}'''\n", "x"),
        ('x = f"', "\n", '"'),
        ('x = f"{f"{', '}"}"\n', "x"),
    ],
)
def test_bridges_in_fields(left: str, right: str, middle: str) -> None:
    """A bridge out of an f-string, or into the rest of one, is found and is short."""
    state = language("python", "3.12").hole(left, right).state
    assert state is not None
    found = state.bridges()
    assert found and len(found[0]) == len(middle)
    assert all(accepts("3.12", Sample(left, bridge, right)) for bridge in found)


@pytest.mark.parametrize(
    ("text", "middle", "viable"),
    [
        ('f"{a|', " lambda", False),  # its ":" would begin the format spec
        ('f"{(a|', " or lambda", True),
        ('f"{x!|', "q", False),
        ('f"{x!|', "r", True),
        ('f"{x!r|', "a", False),
        ('f"{x:|', "\n", False),
        ('f"""{x:|', "\n", True),
        ('f"{x|', "\n# c\n", True),
        ('f"{x:{y:{z|', ":{", False),  # three fields deep
        ('f"{x|', "}}", True),  # "}}}" may follow
        ('f"{x|', "}}a", False),
        ('f"{x:\\|', "x4", True),
        ('f"{x:\\|', "xg", False),
        ('f"\\|', "N{DIG", True),
        ('f"\\|', "Nx", False),
        ('f"{x)|', "", False),
        ('rf"\\|', 'N{x}"', True),
        ("type |", "X[T: int", True),
        ("def f[|", "]", False),
    ],
)
def test_viable_in_progress(text: str, middle: str, viable: bool) -> None:
    """A text dies at the first character after which nothing can help, in 3.12."""
    left = text.removesuffix("|")
    hole = language("python", "3.12").hole(left, "")
    state = hole.state.advance(middle) if hole.viable and hole.state is not None else None
    assert (text, middle, state is not None) == (text, middle, viable)


def test_unknown_version() -> None:
    """The message lists the versions."""
    with pytest.raises(UnknownLanguage, match=r"3\.8, .*3\.15"):
        language("python", "2.7")


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({}, "3.11"),
        ({"python_version": "3.12.1"}, "3.12"),
        ({"python_version": "Python 3.13.0rc2"}, "3.13"),
        ({"python_version": "3.6.9"}, "3.8"),
        ({"python_version": "2.7.18"}, "3.11"),
        ({"python_version": "3.17.0"}, "3.15"),
        ({"python_version": "3.15.0rc1"}, "3.15"),
        ({"python_version": "3.10\n"}, "3.10"),
        ({"python_version": "# ours\npypy3.9-7.3.11\n3.12\n"}, "3.9"),
        ({"python_version": "system\n"}, "3.11"),
        ({"pyproject": '[project]\nrequires-python = ">=3.9"\n', "python_version": "3.12"}, "3.9"),
        ({"pyproject": '[project]\nrequires-python = ">=3.9.2, <4, !=3.9.*"\n'}, "3.10"),
        ({"pyproject": '[project]\nrequires-python = "~=3.12.1"\n'}, "3.12"),
        ({"pyproject": '[project]\nrequires-python = "~=3.12"\n'}, "3.12"),
        ({"pyproject": '[project]\nrequires-python = "==3.10.*"\n'}, "3.10"),
        ({"pyproject": '[project]\nrequires-python = ">3.6"\n'}, "3.8"),
        ({"pyproject": '[project]\nrequires-python = ">=3.20"\n'}, "3.15"),
        ({"pyproject": '[project]\nrequires-python = ">=3.15"\n'}, "3.15"),
        ({"pyproject": '[project]\nrequires-python = "<3.10"\n', "python_version": "3.12.0"}, "3.9"),
        ({"pyproject": '[project]\nrequires-python = "<3.13"\n', "python_version": "3.12.0"}, "3.12"),
        ({"pyproject": '[project]\nrequires-python = "<3.10.0"\n', "python_version": "3.12.0"}, "3.9"),
        ({"pyproject": '[project]\nrequires-python = ">=3.9.*"\n'}, "3.9"),
        ({"pyproject": '[project]\nrequires-python = ">=3.9, is that so"\n'}, "3.9"),
        ({"pyproject": '[tool.poetry.dependencies]\npython = "^3.9"\n'}, "3.9"),
        ({"pyproject": '[tool.poetry.dependencies]\npython = "~3.9 || ~3.12"\n'}, "3.9"),
        ({"pyproject": '[tool.poetry.dependencies]\npython = "3.10.*"\n'}, "3.10"),
        ({"pyproject": "[project]\nname = 'x'\n", "python_version": "3.12.0"}, "3.12"),
        ({"pyproject": "not [toml", "python_version": "3.12.0"}, "3.12"),
        ({"pyproject": "[project]\nrequires-python = 3\n"}, "3.11"),
    ],
)
def test_version_of_a_workspace(hints: dict[str, str], expected: str) -> None:
    """The lowest version required, else the one in use, else the default."""
    required = versions.requirement(hints["pyproject"]) if "pyproject" in hints else None
    assert versions.choose(required, hints.get("python_version")) == expected


@pytest.mark.parametrize(
    ("text", "version", "expected"),
    [
        ("x = 1\n", "3.8", "3.8"),
        ("match x:\n    case 1: pass\n", "3.8", "3.10"),
        ("match x:\n    case 1: pass\n", "3.11", "3.11"),
        ("type X = int\n", "3.9", "3.12"),
        ("def f[T = int](): pass\n", "3.9", "3.13"),
        ("try: pass\nexcept A, B: pass\n", "3.11", "3.14"),
        ("lazy import a\n", "3.11", "3.15"),
        ("x = [*y for y in z]\n", "3.11", "3.15"),
        ("def f():\n    lazy = 1\n", "3.11", "3.11"),
        ("x = (\n", "3.9", "3.9"),
        ("[x for x in y if lambda: 1]\n", "3.9", "3.9"),  # accepted only by older versions
    ],
)
def test_raise_for(text: str, version: str, expected: str) -> None:
    """A buffer that uses newer syntax raises the version; a broken one does not."""
    assert raised_version("python", text, version) == expected


def test_raise_for_a_buffer_in_progress() -> None:
    """With the cursor's offset the text need not be complete there."""
    text = "match x:\n    case 1:\n        y = f(\n"
    assert raised_version("python", text, "3.8") == "3.8"
    assert raised_version("python", text, "3.8", len(text) - 1) == "3.10"

"""Readings kept while a text is edited: equal to new ones, and not read again."""

import random
import re

import pytest
from suture.parser.languages.go.semantics import document as go
from suture.parser.languages.go.tables import CHANGES, grammar_version, source
from suture.parser.languages.go.workspace import VERSIONS
from suture.parser.languages.python.semantics.blocks import Open
from suture.parser.languages.python.semantics.document import Document as PythonDocument
from suture.parser.languages.python.semantics.reading import Reading as PythonReading
from suture.parser.languages.typescript.semantics.document import Document as TypeScriptDocument
from suture.parser.languages.typescript.semantics.document import Readings
from suture.parser.scoping.checkpoints import Checkpoints, strides

from ..support.oracle_python import stdlib_sources

_STRIDE = 2_000


def test_a_text_is_read_again_from_the_last_reading_that_holds() -> None:
    """Readings are the texts read; each edit costs at most a stride, and the new text."""
    rng = random.Random(68)
    kept = Checkpoints("")
    text = ""
    read: list[int] = []

    def advanced(before: str, more: str) -> str:
        read.append(len(more))
        return before + more

    for _ in range(300):
        place, size = rng.randrange(len(text) + 1), rng.choice((0, 1, 20, 5_000))
        gone = rng.choice((0, 1, 3_000)) if len(text) > 20_000 else 0
        text = text[:place] + rng.choice("ab") * size + text[place + gone :]
        kept.cut(place)
        read.clear()
        for offset in (place, rng.randrange(len(text) + 1), len(text)):
            assert kept.read(offset, strides(text, offset, advanced, None)) == text[:offset]
        assert max(read, default=0) <= _STRIDE
        assert sum(read) <= 2 * _STRIDE + len(text) - place
        read.clear()
        kept.read(len(text), strides(text, len(text), advanced, None))
        assert sum(read) <= _STRIDE


def test_the_versions_that_change_go_are_those_of_its_grammar() -> None:
    marked = set(re.findall(r"//= (\S+)\+$", source(), re.M))
    assert "//= -" not in source()
    assert (VERSIONS[0], *sorted(marked)) == CHANGES
    assert [grammar_version(version) for version in VERSIONS] == [CHANGES[0]] * 5 + [CHANGES[1]]


def test_only_a_reading_that_holds_is_read_on_from() -> None:
    kept = Checkpoints("")
    kept.read(9_000, strides("a" * 9_000, 9_000, str.__add__, None))
    assert kept.last(9_000)[0] == 8_000 or kept.last(9_000)[0] == 9_000
    assert kept.last(5_000, lambda position, _: position < 3_000) == (2_000, "a" * 2_000)
    assert kept.last(9_000, lambda *_: False) == (0, "")


@pytest.mark.parametrize("seed", range(3))
def test_documents_of_all_languages_read_as_new_ones(seed: int) -> None:
    """Documents are edited at random places, and read before and behind these."""
    rng = random.Random(seed)
    python = "\n".join(stdlib_sources(rng, 3))[:30_000]
    script = "function f(a) { const b = a + 1; { let c = [b, a]; } return b; }\n" * 150
    function = "\tfor i := range x {\n\t\ty = append(y, i+z)\n\t}\n"
    declared = "package p\n\nfunc f(x, y []int, z int) {\n" + function * 150 + "}\n"
    old_python, old_script, old_go = PythonDocument((3, 12)), TypeScriptDocument("typescript"), go.Document("1.24")
    for _ in range(12):
        typed = rng.choice(("x", " ", "\n", "(", ")", "q.r", "1"))
        python, script, declared = (_typed(text, typed, rng) for text in (python, script, declared))
        old_python.change(python)
        new_python = PythonDocument((3, 12))
        new_python.change(python)
        for _ in range(2):
            offset = rng.randrange(len(python))
            assert _described(old_python.before(offset)) == _described(new_python.before(offset))
            offset = rng.randrange(len(script))
            readings = TypeScriptDocument("typescript").before(script, offset)
            kept_readings = old_script.before(script, offset)
            assert _outcomes(old_script, kept_readings, offset) == _outcomes(old_script, readings, offset)
            offset = rng.randrange(len(declared))
            _, kept, begin = old_go.before(declared, offset)
            _, new, same = go.Document("1.24").before(declared, offset)
            assert begin == same
            assert (kept is None) == (new is None)
            if kept is not None and new is not None:
                assert (kept.lex, kept.number, kept.free, kept.errors) == (new.lex, new.number, new.free, new.errors)


def _typed(text: str, typed: str, rng: random.Random) -> str:
    place = rng.randrange(len(text))
    return text[:place] + typed + text[place:]


def _described(reading: PythonReading) -> tuple[object, ...]:
    line = None if reading.parser is None else reading.parser.ways
    columns: list[int | None] = []
    block: Open | None = reading.block
    while block is not None:
        columns.append(block.column)
        block = block.parent
    return columns, reading.lex, line, reading.broken, reading.late


def _outcomes(document: TypeScriptDocument, readings: Readings, offset: int) -> list[frozenset[str]]:
    return [outcome.errors for outcome in document.outcomes(readings, offset)]

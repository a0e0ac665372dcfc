"""Incremental use: the same answers as from scratch, and its work. Files broken elsewhere."""

from __future__ import annotations

import random
import sys

import pytest
from suture.parser import Cancelled, Hole, Session, language
from suture.parser.glr.incremental import PrefixText
from suture.parser.glr.prefix import PrefixState

from ..support.inside import runtime_of, session_of, state_of
from ..support.oracle_python import corrupted, parses, stdlib_sources


@pytest.mark.parametrize("seed", range(3))
def test_edits_give_what_a_fresh_start_gives(seed: int) -> None:
    """After any edits and cursor moves a session's answers about a hole are those of a new one."""
    rng = random.Random(seed)
    text = stdlib_sources(rng, 1, 15_000)[0]
    session = language("python").session()
    for _ in range(60):
        at = rng.randrange(len(text) + 1)
        if rng.random() < 0.7:
            end = min(len(text), at + rng.randrange(12))
            text = text[:at] + corrupted(text[at:end], rng) + text[end:]
        cursor = rng.choice([at, min(len(text), at + rng.randrange(200)), rng.randrange(len(text) + 1)])
        session_of(session).renewed_view(text, cursor)  # as in a pause
        hole = session.hole(text, cursor)
        fresh = language("python").session().hole(text, cursor)
        assert hole.fallback == fresh.fallback
        if hole.state is None or fresh.state is None:
            assert hole.state is fresh.state
            continue
        assert hole.state.complete == fresh.state.complete
        for middle in ("x", ")", "\n", " ", "''", text[cursor : cursor + 5]):
            one, other = hole.state.advance(middle), fresh.state.advance(middle)
            assert (one is None) == (other is None)
            assert one is None or other is None or one.complete == other.complete


def read_by(session: Session) -> int:
    return session_of(session)._left.characters_read


def test_a_keystroke_reads_a_line() -> None:
    """Typing at the end of a large text reads only from the last line end to the cursor."""
    text = "".join(f"def f{i}(a, b):\n    return a + {i}\n\n\n" for i in range(3000))
    session = language("python").session()
    cursor = len(text) // 2
    cursor = text.rindex("\n", 0, cursor) + 1
    session.hole(text, cursor)
    before = read_by(session)
    for i, char in enumerate("value = compute("):
        text = text[: cursor + i] + char + text[cursor + i :]
        session.hole(text, cursor + i + 1)
    assert read_by(session) - before <= sum(range(20))


def test_blocks_are_not_read_again_wherever_they_stand() -> None:
    """Another text with the same blocks costs only the new ones, and the readings are the same as without."""
    engine = runtime_of(language("python")).engine
    text = "".join(f"def f{i}(a, b):\n    c = [a, {i}]\n    return c + b\n\n\n" for i in range(200))
    first = PrefixText(engine)
    first.change(text)
    first.read(len(text))
    at = text.index("def f150")
    other = "class New:\n    def new(self):\n        pass\n\n\n" + text[:at] + "import new\n\n" + text[at:]
    second = PrefixText(engine)
    second.change(other)
    for offset in (len(other) // 2, len(other)):
        assert second.read(offset) is engine.read_text(engine.start, other[:offset])
    assert 0 < second.characters_read < len(text) // 20
    for offset in random.Random(4).sample(range(len(other)), 30):
        assert second.read(offset) is engine.read_text(engine.start, other[:offset])


def test_long_lines_have_checkpoints_too() -> None:
    """In a line of 300,000 characters a keystroke reads some thousand."""
    text = "x = [" + "1, " * 100_000 + "\n]\n"
    session = language("python").session()
    cursor = len(text) - 3
    session.hole(text, cursor)
    before = read_by(session)
    session.hole(text[:cursor] + "2" + text[cursor:], cursor + 1)
    assert read_by(session) - before < 5000


def test_reading_can_be_stopped() -> None:
    """Long work checks for cancellation; the part read until then is not lost."""
    text = "x = 1\n" * 20_000
    session = language("python").session()
    with pytest.raises(Cancelled):
        session.hole(text, len(text), lambda: True)
    assert session.hole(text, len(text)).viable


BROKEN = {
    "unclosed bracket above": (
        "x = foo(1,\n\ndef f():\n    pass\n\n\ndef g(a):\n    y = |\n    return y\n",
        "left",
        "a + 1",
    ),
    "half statement above": ("import\n\nclass A:\n    def f(self):\n        z = [|]\n", "left", "self"),
    "stray indent above": ("a = 1\n      b = 2\nc = 3\nd = |\n", "left", "c"),
    "bracket too many below": ("def f(a):\n    return |\n\n\nx = foo)1\n", "right", "a"),
    "half statement below": ("y = |\nif x\n    pass\n", "right", "1"),
    "unclosed triple quote below": ("y = |\n\n\nx = '''abc\n", "right", "1"),
    "merge conflict around": (
        "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> theirs\n\nb = |\n\n<<<<<<< HEAD\nc = 1\n=======\n",
        "both",
        "a",
    ),
    "merge conflict in the enclosing blocks": (
        "class A:\n    def e(self):\n<<<<<<< HEAD\n        a = 1\n        if x:\n            y = 2\n|pass\n",
        "left",
        "        z = 1\n    def h(self):\n        ",
    ),
    "the cursor in the second side of a conflict": (
        "def f():\n<<<<<<< HEAD\n    if a:\n=======\n    if b:\n        return |\n>>>>>>> theirs\n    g(1)\n",
        "both",
        "b",
    ),
    "a heading is no marker": ("x = (\n)\n'''\n=======\n'''\n<<<<<<< HEAD\ny = |\n", "left", "1"),
    "a broken line in the first column": (
        "class A:\n    def f(self):\n        try:\nfoo bar\n            x = |\n        except E:\n            pass\n",
        "left",
        "self",
    ),
    "a broken line within brackets": (
        "x = {\n    'a': 1,\nfoo bar\n    'b': 2,\n    'c': |,\n    'd': 4,\n}\ny = 1\n",
        "left",
        "3",
    ),
    "a quote that opens a string above": ("def f():\n    x = 1'''\n    y = 2\n    return |\nz = )\n", "both", "y"),
    "another bracket in the right context": (
        "class A:\n    f = {'a', |'g', 'h'}\n\n    s = {\n        for i in\n        'M': 0}\n\n    p = 1\n",
        "right",
        "'b', ",
    ),
    "a bracket that lacks above": ('x = ["a", b),\n     |\ny = 1\n', "left", '("c", d)]'),
    "an indented statement above goes on in the hole": (
        "def f():\n    a = 1\n      b = [1,\n         |\n    c = 2\n",
        "left",
        "2]",
    ),
    "a broken line above in the same brackets": ("a = [\n    1,\n    2, x y\n    |\n]\n", "left", "3"),
    "the hole closes a bracket, and the next line is broken": ("a = f(b, |)\nx = = 1\n", "right", "c)\nd = g(e"),
    "brackets that begin on the cursor's line are broken": (
        "a = |f(b,\n    c,{\n    d)\nif x\n    y\n",
        "right",
        "g + ",
    ),
    "a header above leaves a bracket open": (
        "class A:\n    def f(self, x:\n        g(x)\n        |\n\n    def h(self):\n        y = )\n",
        "both",
        "return x",
    ),
    "a block above is too far right": (
        "import\n\n\ndef f():\n     if a:\n        b()\n    |if c:\n            d()\n        e()\n    g()\n",
        "both",
        "    ",
    ),
    "the hole opens a bracket, far below a mistake": (
        "if y\n\n\nclass A:\n    def f(self):\n        a()\n        b()\n        c()\n|C,\n ) = g()\n",
        "left",
        "\n\n(B,\n ",
    ),
    "a column below that nothing explains": (
        "import\nclass A:\n    def f(self):\n        x = |a\n\n     def g(self):\n        pass\n",
        "both",
        "b + ",
    ),
    "the right context begins in a keyword": (
        "import a\ni|ort c\nimport d\n    import e\n\nx = 1\n",
        "right",
        "mport b\nimp",
    ),
    "the blocks around are kept": (
        "import\ntry:\n    for x in y:\n        z = |\nexcept ValueError:\n    pass\n",
        "left",
        "x",
    ),
}


BROKEN_AROUND_TEXT = {
    "the string around ends in a broken line": ("a = '''b |\nc\n''''' d\ne = 1\n", "right", "c\nd"),
    "a broken line above the string around": (
        "class A:\n    def f(self):\n)\n        '''Tell what\n        it |\n        and why.\n        '''\n        return 1\n",
        "left",
        "does",
    ),
    "an indented string at the beginning of a file": ('  """Tell\n\nx =\n\nThis|.\n"""\na = 1\n', "left", " and that"),
    "a bracket above a string": ('"""Tell"""{\n\nx = [\n    "a|",\n]\ny = """b"""\n', "left", "c"),
    "a comment at the beginning of a file": ("# Because |\n# of this\n(\nif a:\n    b\n", "right", "x"),
}
"""The same with the hole in a string or comment."""


@pytest.mark.parametrize("name", [*BROKEN, *BROKEN_AROUND_TEXT])
def test_files_broken_elsewhere(name: str) -> None:
    """The hole is found in the parsable part, and the obvious text completes it."""
    text, step, middle = (BROKEN | BROKEN_AROUND_TEXT)[name]
    left, right = text.split("|")
    assert not parses(left + middle + right)
    hole = language("python").hole(left, right)
    assert (hole.fallback, hole.viable) == (step, False)
    assert hole.state is not None
    after = hole.state.advance(middle)
    assert after is not None and after.complete
    if name in BROKEN_AROUND_TEXT:
        return
    closed_too_much = hole.state.advance(middle + ")")
    assert closed_too_much is None or not closed_too_much.complete


@pytest.mark.parametrize("left", ["for room id", "x = )\nfor room id", "x = 1\nprint(a b"])
@pytest.mark.parametrize("right", ["\n", ")\n", "\ny = )\n"])
def test_of_a_broken_line_the_end_counts(left: str, right: str) -> None:
    """A line broken before the cursor is distinguished from one that the file around it breaks."""
    hole = language("python").hole(left, right)
    assert (hole.fallback, hole.viable) == ("line", False)
    assert hole.state is not None


def test_a_broken_line_is_cut() -> None:
    """If nothing of the cursor's own line can be parsed, everything before the cursor is hidden, since the file around it is whole, and its
    names are known."""
    hole = language("python").hole("x = 1\ny = ) + ", "\n", level="names")
    assert (hole.fallback, hole.hidden) == ("line", ((6, 14),))
    assert hole.state is not None and hole.state.advance("print(x, y)") and not hole.state.advance("print(z)")


def _as_found(hole: Hole) -> object:
    """The part of the document used for a hole."""
    state = state_of(hole.state) if hole.state is not None else None
    return hole.fallback, hole.hidden, state and (state.left, state.context.right.text)


def test_an_edited_broken_document_is_read_as_if_it_were_opened_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a pause, state kept between edits and cursors makes no difference. Until then a view stays while it holds, and another is derived
    from it."""
    monkeypatch.setattr(
        sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 10**9
    )  # the readings of two engines are never the same objects
    rng = random.Random(3)
    for text in stdlib_sources(rng, 8, 8_000):
        for _ in range(3):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(("(", "]", '"""', "'", "{", "else:", "=", "\n", " ")) + text[at:]
        session, at = session_of(language("python").session()), rng.randrange(len(text))
        for _ in range(14):
            at = rng.randrange(len(text)) if rng.random() < 0.4 else at
            typed = rng.choice(("x", " ", "(", "\n    ", "= f(", ")", "if x:\n"))
            text, at = text[:at] + typed + text[at:], at + len(typed)
            kept, new = session.hole(text, at), language("python").session().hole(text, at)
            assert kept.state is not None or new.state is None, (text, at)
            session.renewed_view(text, at)  # as in a pause
            assert _as_found(session.hole(text, at)) == _as_found(new), (text, at)


def test_a_text_dies_at_the_first_character_after_which_nothing_follows() -> None:
    """However far it was read before, and even at the end of a string of several lines that fits nowhere."""
    rng, engine = random.Random(4), runtime_of(language("python")).engine
    strings = ['x = a """b\nc\n"""\n', "f(\n    a '''b\nc\n"]
    for text in [*strings, *(corrupted(source, rng) for source in stdlib_sources(rng, 6, 4_000))]:
        dead, left = len(text), engine.start
        for at, char in enumerate(text):
            after = engine.read(left, char)
            if after is None:
                dead = at
                break
            left = after
        readings = PrefixText(engine)
        readings.change(text)
        for _ in range(20):
            offset = rng.randrange(len(text) + 1)
            read = readings.read(offset)
            assert read == dead if offset > dead else isinstance(read, PrefixState), (text, offset)

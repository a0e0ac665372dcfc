"""The beginning of a prompt's middle: lines behind its mark, kept beginnings, and prompts true to the text."""

import random
from dataclasses import replace
from pathlib import Path
from typing import SupportsIndex

import pytest
from suture.model import Model, Options, Snippet, load
from suture.model.prompting.anchors import Anchors, anchor
from suture.model.prompting.chat import in_chat
from suture.model.prompting.prompt import build

from ..support.modelzoo import PIPE, TEXT, bytelevel, save_model

MIDDLE = "<|fim_middle|>"
ABOVE, BELOW = TEXT * 3, "\n    return None\n" + TEXT * 3
LINE = "        self.total = self.values[index] * 2\n"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("model"), bytelevel(PIPE))), device="cpu")


@pytest.fixture
def model(loaded: Model) -> Model:
    assert loaded.template.name == "qwen" and loaded.template.behind and loaded.line_last
    return replace(loaded, anchors=Anchors())


def parts(model: Model, ids: list[int]) -> tuple[tuple[int, ...], str]:
    """A prompt's ids up to the token for the middle, and the text behind it."""
    at = ids.index(model.vocabulary.ids[MIDDLE]) + 1
    return tuple(ids[:at]), model.vocabulary.decode(ids[at:]).decode(errors="replace")


def sides(model: Model, head: tuple[int, ...]) -> tuple[str, str]:
    """The texts before and behind the hole in the beginning of a prompt."""
    suffix = head.index(model.vocabulary.ids["<|fim_suffix|>"])
    before, behind = head[head.index(model.vocabulary.ids["<|fim_prefix|>"]) + 1 : suffix], head[suffix + 1 : -1]
    return model.vocabulary.decode(before).decode(errors="ignore"), model.vocabulary.decode(behind).decode(
        errors="ignore"
    )


def test_the_middle_begins_some_lines_above_the_cursor(model: Model) -> None:
    head, tail = parts(model, build(model, ABOVE + "    x = ", BELOW, budget=400, heal=False, outlined=False).ids)
    above, below = sides(model, head)
    assert (ABOVE + "    x = ").endswith(above + tail) and BELOW.startswith(below)
    assert sum(1 for line in tail.splitlines() if line.strip()) == 9 and above.endswith("\n")


@pytest.mark.parametrize("budget", [40, 96, 400])
def test_the_prompt_stays_within_its_budget_when_its_beginning_is_made(model: Model, budget: int) -> None:
    for typed in ("", "    x", LINE * 3, "x" * 50):
        ids = build(replace(model, anchors=Anchors()), ABOVE + typed, BELOW, budget=budget).ids
        assert len(ids) <= budget + model.template.overhead


def test_while_lines_are_typed_nothing_before_the_mark_is_read_again(model: Model) -> None:
    """As long as there is room behind it; then once."""
    heads: list[tuple[int, ...]] = []
    typed = LINE * 30
    for end in range(len(typed) + 1):
        prompt = build(model, ABOVE + typed[:end], BELOW, budget=400)
        head, tail = parts(model, prompt.ids)
        assert (ABOVE + typed[:end]).endswith(tail + prompt.forced.decode())
        assert len(prompt.ids) - len(head) <= model.template.behind
        if not heads or heads[-1] != head:
            heads.append(head)
    tokens = len(model.vocabulary.pieces(typed))
    assert 2 <= len(heads) <= 2 + tokens // (model.template.behind // 2)


def test_a_pause_moves_the_beginning_before_it_must_be(model: Model) -> None:
    early, late = 0, 0
    head = build(model, ABOVE, BELOW, budget=400).ids
    for lines in range(1, 30):
        left = ABOVE + LINE * lines
        before = parts(model, build(model, left, BELOW, budget=400).ids)[0]
        if before != parts(model, head)[0]:
            late = lines
            break
        other = replace(model, anchors=Anchors(list(model.anchors._kept)))  # pyright: ignore[reportPrivateUsage]
        moved = parts(other, build(other, left, BELOW, budget=400, pauses=True).ids)[0]
        if moved != before and not early:
            early = lines
            after = parts(other, build(other, left, BELOW, budget=400).ids)[0]
            assert after in (before, moved)
    assert 0 < early < late


def test_the_beginning_that_the_model_has_read_serves_until_the_next_one_is_read(model: Model) -> None:
    left = ABOVE
    first = build(model, left, BELOW, budget=400)
    model.runtime.prefill(first.ids)
    lines = 0
    while True:
        lines += 1
        left += LINE
        here = build(model, left, BELOW, budget=400)
        model.runtime.prefill(here.ids)
        ahead = build(model, left, BELOW, budget=400, pauses=True)
        if parts(model, ahead.ids)[0] != parts(model, here.ids)[0]:
            break
    assert build(model, left, BELOW, budget=400) == here
    model.runtime.prefill(ahead.ids)
    assert build(model, left, BELOW, budget=400) == ahead
    model.runtime.crop(0)


def test_a_place_that_was_left_has_its_prompt_again(model: Model) -> None:
    there, snippet = (ABOVE + TEXT * 2 + "\n", "\nend()\n" + BELOW), Snippet("a.py", "def best():\n    return 1\n")
    here = build(model, ABOVE + LINE, BELOW, budget=400, path="m.py", snippets=[snippet])
    other = build(model, *there, budget=400, path="m.py")
    assert parts(model, other.ids)[0] != parts(model, here.ids)[0]
    # New other files do not matter: the beginning stays.
    assert build(model, ABOVE + LINE, BELOW, budget=400, path="m.py") == here
    assert build(model, *there, budget=400, path="m.py", snippets=[snippet]) == other
    assert build(model, ABOVE + LINE, BELOW, budget=400, path="n.py") != here


def test_prompts_are_true_to_the_text_whatever_is_edited(model: Model) -> None:
    """Typing, erasing, jumping, and edits above and below: the window's text ends at the cursor, and the text behind begins there."""
    rng = random.Random(7)
    text, at = ABOVE + BELOW, len(ABOVE)
    served = 0
    for _ in range(400):
        act = rng.choice("tttttteejabl")
        if act == "t":
            piece = rng.choice(("x", "self.", " = ", "\n", LINE, "    if x:\n", ")", "é"))
            text, at = text[:at] + piece + text[at:], at + len(piece)
        elif act == "e":
            erased = min(at, rng.randrange(1, 60))
            text, at = text[: at - erased] + text[at:], at - erased
        elif act == "j":
            at = rng.randrange(len(text))
        elif act in "ab":
            where = rng.randrange(at + 1) if act == "a" else rng.randrange(at, len(text) + 1)
            text, at = text[:where] + "import y\n" + text[where:], at + 9 * (act == "a")
        left, right = text[:at], text[at:]
        kept = len(model.anchors._kept)  # pyright: ignore[reportPrivateUsage]
        prompt = build(model, left, right, budget=300, outlined=False)
        served += kept == len(model.anchors._kept)  # pyright: ignore[reportPrivateUsage]
        head, tail = parts(model, prompt.ids)
        above, below = sides(model, head)
        spelled = above + tail + prompt.forced.decode(errors="ignore")
        assert left.endswith(spelled) or "\ufffd" in spelled
        assert right.startswith(below)
        assert len(above) > 0 or left == spelled or len(tail) > 0
    assert served > 100


@pytest.mark.parametrize("cut", ["    retu", "    x = self.val", "    ", "\t", "    f(", "    return", "x"])
def test_the_end_is_healed_behind_the_mark_as_before_it(model: Model, cut: str) -> None:
    plain = replace(model, line_last=False)
    behind, before = (build(each, ABOVE + cut, BELOW, budget=300) for each in (model, plain))
    assert behind.forced == before.forced
    longer = build(model, ABOVE + LINE + cut, BELOW, budget=300)  # by the kept beginning
    assert longer.forced == before.forced


@pytest.mark.parametrize("right", ["", "\n", "\n\n   \n"])
def test_where_nothing_is_behind_the_cursor_only_its_line_comes_last(model: Model, right: str) -> None:
    _, tail = parts(model, build(model, ABOVE + "    x = ", right, budget=400, heal=False).ids)
    assert tail == "    x = "


def test_an_answer_is_asked_as_before(model: Model) -> None:
    marks = {"<|im_start|>": 4, "<|im_end|>": 5}
    vocabulary = model.vocabulary
    ids = {**vocabulary.ids, **marks}
    tuned = replace(model, answers=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "ids", ids)
        asked = in_chat(tuned, "", Options(language="python"))
    assert asked.template.name == "chat" and not asked.template.behind
    build(asked, ABOVE, BELOW, budget=300)
    assert not model.anchors._kept  # pyright: ignore[reportPrivateUsage]


def test_other_families_are_asked_as_before(tmp_path: Path) -> None:
    star = load(str(save_model(tmp_path, bytelevel())), device="cpu")
    assert star.template.behind == 0 and load().template.behind == 0
    middle = star.vocabulary.ids["<fim_middle>"]
    ids = build(star, ABOVE + "    x = ", BELOW, budget=400, heal=False).ids
    assert star.vocabulary.decode(ids[ids.index(middle) + 1 :]) == b"    x = "
    assert not star.anchors._kept  # pyright: ignore[reportPrivateUsage]


def test_a_longer_file_finds_its_beginning_again_after_lines_above_it(model: Model) -> None:
    left = ABOVE * 3
    first = build(model, left + "x", BELOW, budget=200)
    again = build(model, "import more\n" + left + "xy", BELOW, budget=200)
    assert parts(model, again.ids)[0] == parts(model, first.ids)[0]


class Searched(str):
    """A text that counts the possible places of a search in it, times the characters compared at each."""

    tried = 0

    def rfind(self, sub: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None) -> int:
        span = range(len(self))[slice(start, end)]
        Searched.tried += len(span) * len(sub)
        return super().rfind(sub, start, end)

    def endswith(
        self, suffix: str | tuple[str, ...], start: SupportsIndex | None = None, end: SupportsIndex | None = None
    ) -> bool:
        Searched.tried += len(suffix)
        return super().endswith(suffix, start, end)


def test_after_a_jump_far_below_no_text_is_read_for_the_kept_beginnings(model: Model) -> None:
    """The text from a kept beginning to the cursor may be all of the file."""
    for lines in range(4):
        build(model, ABOVE + LINE * lines, BELOW, budget=400, path=str(lines))
    read: list[int] = []
    encode = model.vocabulary.encode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model.vocabulary, "encode", lambda text: read.append(len(text)) or encode(text))  # pyright: ignore
        for lines in range(4):
            left = ABOVE + LINE * 5000 + "x"
            build(model, left, BELOW, budget=400, path=str(lines))
    assert max(read) < 400 * 6 + len(LINE)


@pytest.mark.parametrize("row", ["1,\n", "    1, 1, 1, 1, 1, 1,\n", "\n"])
def test_a_beginning_is_looked_for_near_the_cursor_alone(row: str) -> None:
    """In a table of equal lines any line could end the beginning, except for one at the table's start."""
    longest, seen = 3000, 4000
    above = "x = [\n" + row * (seen // len(row))
    kept = anchor((), [1], "y" * 50 + above, len(above), "]", "]")
    for lines in (1000, 100_000):
        Searched.tried = 0
        assert kept.middle(Searched("y = [\n" + row * lines), "]", longest) is None
        assert Searched.tried <= longest * (len(above) + longest)
    assert kept.middle("import z\n" + "y" * 50 + above + row, "]", longest) == row
    assert kept.middle("import z\n" + "y" * 50 + above + row * (longest + 1), "]", longest) is None


@pytest.mark.parametrize("longest", [0, 1, 2, 3, 5, 8, 100])
def test_a_moved_beginning_is_found_as_by_trying_each_place(longest: int) -> None:
    rng = random.Random(longest)
    found = 0
    for _ in range(3000):
        above = "".join(rng.choices("a\n", k=rng.randrange(1, 5)))
        start = rng.choice(["", "b", "ba", "a\na"]) + above
        kept = anchor((), [1], start, 0, "", "")
        object.__setattr__(kept, "above", above)  # shorter than anchors have it
        left = "".join(rng.choices("ab\n", k=rng.randrange(12)))
        places = range(len(left) + 1) if len(start) > len(above) else ()
        ends = [at for at in places if len(left) - at <= longest and left[:at].endswith(above)]
        if len(start) <= len(left) and len(left) - len(start) <= longest and left[: len(start)].endswith(above):
            ends.append(len(start))
        assert kept.middle(left, "", longest) == (left[ends[-1] :] if ends else None)
        found += bool(ends)
    assert found > 10

"""Where the middle of a prompt begins: lines behind its mark, kept beginnings, and prompts that are true to the text."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from suture.model import Model, Options, Snippet, load
from suture.model.prompting.anchors import Anchors
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
    # Other files that would come now do not matter: the beginning is as it was.
    assert build(model, ABOVE + LINE, BELOW, budget=400, path="m.py") == here
    assert build(model, *there, budget=400, path="m.py", snippets=[snippet]) == other
    assert build(model, ABOVE + LINE, BELOW, budget=400, path="n.py") != here


def test_prompts_are_true_to_the_text_whatever_is_edited(model: Model) -> None:
    """Typing, erasing, jumping, and edits above and below: the text of the window ends at the cursor, and that behind it begins there."""
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

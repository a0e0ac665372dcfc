"""The context window: full, cut at line borders, and still while the user types."""

import keyword
from dataclasses import replace
from pathlib import Path

import pytest
from suture.model import Model, Snippet, load
from suture.model.prompting.prompt import build, window

from ..support.modelzoo import TEXT, bytelevel, save_model

LEFT = TEXT * 6
WORDS = ("isinstance", "enumerate", "print", "self", "function", "export", "interface")
RIGHT = "    return None\n" + TEXT * 6


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = save_model(tmp_path_factory.mktemp("model"), bytelevel())
    (folder / "tokenizer_config.json").write_text('{"suture_fim_order": "spm"}')
    return load(str(folder), device="cpu")


@pytest.fixture(scope="module")
def embedded() -> Model:
    return load()


def sides(model: Model, left: str, right: str, budget: int) -> tuple[str, str]:
    before, after = window(model.vocabulary, left, right, budget)
    assert len(before) + len(after) <= budget
    return model.vocabulary.decode(before).decode(), model.vocabulary.decode(after).decode()


@pytest.mark.parametrize("budget", [1, 2, 10, 50, 200, 800, 2000])
@pytest.mark.parametrize(
    ("left", "right"), [(LEFT, RIGHT), (LEFT, ""), ("", RIGHT), ("", ""), ("x = 1", ")\n"), ("é" * 999, "漢" * 999)]
)
def test_each_side_ends_at_the_cursor_and_fits(model: Model, left: str, right: str, budget: int) -> None:
    before, after = window(model.vocabulary, left, right, budget)
    assert len(before) + len(after) <= budget
    assert left.encode().endswith(model.vocabulary.decode(before))
    assert right.encode().startswith(model.vocabulary.decode(after))


def test_everything_is_kept_when_it_fits(model: Model) -> None:
    assert sides(model, TEXT, TEXT, 100_000) == (TEXT, TEXT)


@pytest.mark.parametrize("budget", [200, 400, 1000])
def test_both_ends_are_cut_at_line_borders_and_the_budget_is_used(model: Model, budget: int) -> None:
    before, after = sides(model, LEFT, RIGHT, budget)
    assert LEFT.removesuffix(before).endswith("\n") and after.endswith("\n")
    used = sum(map(len, window(model.vocabulary, LEFT, RIGHT, budget)))
    assert used >= 0.7 * budget
    assert len(before) > len(after) > 0


def test_a_short_side_leaves_its_room_to_the_other(model: Model) -> None:
    before, _ = window(model.vocabulary, LEFT, "", 400)
    _, after = window(model.vocabulary, "", RIGHT, 400)
    assert len(before) > 300 and len(after) > 300


def test_typing_moves_neither_far_end(model: Model) -> None:
    """Over many keystrokes the sequence of prompts changes its beginning only in rare jumps."""
    typed = "    for index, value in enumerate(self.values):\n        print(index, value)\n"
    starts = set()
    for count in range(len(typed)):
        prompt = build(model, LEFT + typed[:count], RIGHT, budget=300)
        starts.add(tuple(prompt.ids[:200]))
    assert len(starts) <= 3


def test_suffix_first_prompts_reuse_the_cache(model: Model) -> None:
    """A keystroke costs the tokens after the common prefix, a handful."""
    one = build(model, LEFT + "    retu", RIGHT, budget=300).ids
    other = build(model, LEFT + "    retur", RIGHT, budget=300).ids
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    assert len(other) - shared <= 5


def test_the_last_token_is_taken_back_and_forced(model: Model) -> None:
    healed = build(model, "x = retu", "\n", budget=100)
    plain = build(model, "x = retu", "\n", budget=100, heal=False)
    assert plain.forced == b""
    spelled = model.vocabulary.decode(healed.ids) + healed.forced
    assert spelled == model.vocabulary.decode(plain.ids) == b"\nx = retu"  # suffix first
    assert healed.forced and b"x = retu".endswith(healed.forced)


@pytest.mark.parametrize("before", ["", "    ", "\t", "x = ", "x.", "f("])
def test_a_word_of_one_token_can_be_written_wherever_it_is_cut(embedded: Model, before: str) -> None:
    """Cut, most of them are spelled in other tokens, several ones: `retu` as `ret` and `u`."""
    vocabulary = embedded.vocabulary
    cut_in_several = 0
    for word in [*keyword.kwlist, *WORDS]:
        whole = vocabulary.encode(before + word)
        last = vocabulary.bytes_of[whole[-1]] or b""
        if not last.endswith(word.encode()) or (before == "x = " and last == word.encode()):
            continue  # not one token of this vocabulary, with the blank before it
        for cut in range(1, len(word)):
            asked = build(embedded, "x = 1\n" + before + word[:cut], "\n", budget=100)
            kept = vocabulary.decode(asked.ids)
            assert last.startswith(asked.forced), (word, cut)
            assert not whole[:-1] or kept.endswith(vocabulary.decode(whole[:-1])), (word, cut)
            cut_in_several += len(vocabulary.encode(before + word[:cut])) > len(whole)
    assert cut_in_several > 10


@pytest.mark.parametrize(
    ("blank", "forced"), [("    ", b" "), ("        ", b" "), ("\t\t", b"\t"), (" ", b" "), ("\t", b"\t")]
)
def test_an_indentation_is_spelled_as_it_is_before_a_word(model: Model, blank: str, forced: bytes) -> None:
    """Here a word's token includes the blank before it, so four blanks and a word are three blanks and another token."""
    asked = build(model, f"def f(x):\n{blank}", "\n", budget=100)
    before = f"def f(x):\n{blank}".encode().removesuffix(asked.forced)
    assert asked.forced == forced and before in model.vocabulary.decode(asked.ids)
    whole = model.vocabulary.encode(f"def f(x):\n{blank}return")
    known = model.vocabulary.encode(before.decode())
    assert list(whole[: len(known)]) == list(known)
    assert (model.vocabulary.bytes_of[whole[len(known)]] or b"").startswith(asked.forced)


@pytest.mark.parametrize("left", ["", "x = 1\n", "x = 1\r\n"])
def test_nothing_is_taken_back_at_the_start_of_a_line(model: Model, left: str) -> None:
    assert build(model, left, "\n", budget=100).forced == b""


def test_special_tokens_of_the_users_text_are_spelled_out(model: Model) -> None:
    prompt = build(model, "<fim_middle>", "<fim_suffix><|endoftext|>", budget=100)
    specials = [token for token in prompt.ids if model.vocabulary.bytes_of[token] is None]
    assert specials == [part for part in model.template.parts if isinstance(part, int)]


def test_the_path_is_in_the_prompts_that_carry_it(tmp_path: Path) -> None:
    special = ("<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<filename>")
    mellum = load(str(save_model(tmp_path, bytelevel(special))), device="cpu")
    prompt = build(mellum, "a", "b", budget=100, path="src/main.py", heal=False)
    assert mellum.vocabulary.decode(prompt.ids) == b"src/main.py\nba"


SNIPPETS = (Snippet("a/best.py", "def best():\n    return 1\n"), Snippet("b.py", "other = 2"))

# Special tokens, and the prompt for the left side "L" and the right side "R" of the file "m.py".
REPOSITORY_PROMPTS = {
    "starcoder 2": (
        ("<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<file_sep>", "<repo_name>"),
        "<file_sep>other = 2\n<file_sep>def best():\n    return 1\n<file_sep><fim_prefix>L<fim_suffix>R<fim_middle>",
    ),
    "qwen": (
        ("<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|file_sep|>", "<|repo_name|>"),
        "<|file_sep|>b.py\nother = 2\n<|file_sep|>a/best.py\ndef best():\n    return 1\n<|file_sep|>m.py\n"
        "<|fim_prefix|>L<|fim_suffix|>R<|fim_middle|>",
    ),
    "codegemma": (
        ("<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|file_separator|>"),
        "b.py\nother = 2\n<|file_separator|>a/best.py\ndef best():\n    return 1\n<|file_separator|>"
        "<|fim_prefix|>L<|fim_suffix|>R<|fim_middle|>",
    ),
    "mellum": (
        ("<|endoftext|>", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>"),
        "<filename>b.py\nother = 2\n<filename>a/best.py\ndef best():\n    return 1\n<filename>m.py\n"
        "<fim_suffix>R<fim_prefix>L<fim_middle>",
    ),
    "without tokens for files": (
        ("<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>"),
        "<fim_prefix># b.py\n# other = 2\n# a/best.py\n# def best():\n#     return 1\nL<fim_suffix>R<fim_middle>",
    ),
}


def spelled(model: Model, ids: list[int]) -> str:
    names = {token: name for name, token in model.vocabulary.ids.items()}
    return "".join(
        names[i] if model.vocabulary.bytes_of[i] is None else (model.vocabulary.bytes_of[i] or b"").decode()
        for i in ids
    )


@pytest.mark.parametrize("kind", REPOSITORY_PROMPTS)
def test_pieces_of_other_files_stand_where_the_model_has_seen_them(tmp_path: Path, kind: str) -> None:
    special, expected = REPOSITORY_PROMPTS[kind]
    loaded = replace(load(str(save_model(tmp_path, bytelevel(special))), device="cpu"), line_last=False)
    prompt = build(loaded, "L", "R", budget=400, heal=False, path="m.py", snippets=SNIPPETS)
    assert spelled(loaded, prompt.ids) == expected
    few = build(loaded, "L", "R", budget=8, heal=False, path="m.py", snippets=SNIPPETS)
    assert "best" not in spelled(loaded, few.ids) and "L" in spelled(loaded, few.ids)
    for budget in (30, 60, 100):
        ids = build(loaded, LEFT, RIGHT, budget=budget, heal=False, path="m.py", snippets=SNIPPETS).ids
        assert len(ids) <= budget + loaded.template.overhead


def test_a_model_asked_in_our_own_way_leaves_other_files_out(model: Model) -> None:
    plain = build(model, LEFT, RIGHT, budget=300)
    assert build(model, LEFT, RIGHT, budget=300, snippets=SNIPPETS) == plain


def test_what_the_model_has_written_is_not_read_again(tmp_path: Path) -> None:
    loaded = load(str(save_model(tmp_path, bytelevel())), device="cpu")
    left, right, text = LEFT + "\n    ", RIGHT, "total = 1\n    return total"
    first = build(loaded, left, right, budget=400)
    again = build(loaded, left + text, right, budget=400, written=len(text))
    read = len(first.ids)
    assert again.ids[:read] == first.ids
    assert loaded.vocabulary.decode(again.ids[read:]) + again.forced == first.forced + text.encode()
    assert build(loaded, left + text, right, budget=400).ids[:read] != first.ids


def test_while_a_line_is_typed_nothing_before_it_is_read_again(tmp_path: Path) -> None:
    loaded = load(str(save_model(tmp_path, bytelevel())), device="cpu")
    assert loaded.template.order == "psm" and loaded.line_last  # on a CPU
    left, right, line = LEFT + "\n", RIGHT, "    total = self.width * 2"
    middle = loaded.vocabulary.ids["<fim_middle>"]
    before = build(loaded, left, right, budget=200).ids
    assert before[-1] == middle
    for typed in range(1, len(line) + 1):
        asked = build(loaded, left + line[:typed], right, budget=200)
        at = asked.ids.index(middle) + 1
        assert asked.ids[:at] == before or typed * 8 > 200  # the line is counted in jumps of an eighth of the budget
        assert loaded.vocabulary.decode(asked.ids[at:]) + asked.forced == line[:typed].encode()
        before = asked.ids[:at]
    last = replace(loaded, line_last=False)
    assert build(last, left + line, right, budget=200).ids[-1] == middle


@pytest.mark.parametrize(("comment", "expected"), [("//", "// b.go\n// x\nL"), ("", "L")])
def test_pieces_stand_in_comments_of_the_file_s_own_language(tmp_path: Path, comment: str, expected: str) -> None:
    special = ("<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>")
    loaded = replace(load(str(save_model(tmp_path, bytelevel(special))), device="cpu"), line_last=False)
    prompt = build(loaded, "L", "R", budget=400, heal=False, snippets=[Snippet("b.go", "x", comment)])
    assert spelled(loaded, prompt.ids) == f"<fim_prefix>{expected}<fim_suffix>R<fim_middle>"

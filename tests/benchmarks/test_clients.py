"""The comparison of tools for completion: the keys typed, the texts accepted, and the part of a model's text each tool shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from suture.training.editing_places import File

from benchmarks.client_rules import Continue, LlamaVim, LlamaVscode, Proposal, is_nearly, repeats_what_follows
from benchmarks.clients import WAYS, Counts, Window, is_beyond_repair, row, typed, windows_in


class Says:
    """Shows a test's text, by the text before the cursor; `^` marks the place of the cursor."""

    def __init__(self, says: Callable[[str], str]) -> None:
        self.says, self.asked = says, list[str]()

    def proposal(self, left: str, right: str, path: str) -> Proposal:
        self.asked.append(f"{left}|{right}")
        text, _, behind = self.says(left).partition("^")
        return Proposal(text + behind, len(behind))


def keys(truth: str, says: Callable[[str], str], way: str) -> Counts:
    window = Window("p", "a.py", "x = 1\n", truth, "\ny = 2\n")
    return typed(Says(says), "said", window, "/p/a.py", way)


def test_what_nobody_shows_is_typed() -> None:
    counts = keys("total = 1\ncount = 2", lambda left: "", "whole")
    assert (counts.letters, counts.keys, counts.texts) == (19, 19, [])


@pytest.mark.parametrize(
    ("said", "whole", "words", "lines"),
    [
        ("total = price", 1, 1, 1),
        ("total = cost", 13, 2 + len(" price"), 13),
        ("tot", 1 + len("al = price"), 1 + len("al = price"), 1 + len("al = price")),
        ("count = price", 13, 13, 13),
        ("t", 13, 13, 13),
    ],
)
def test_whole_texts_words_and_lines_are_accepted(said: str, whole: int, words: int, lines: int) -> None:
    def says(left: str) -> str:
        return said if left.endswith("\n") else ""

    truth = "total = price"
    counted = [keys(truth, says, way) for way in WAYS]
    assert [counts.keys for counts in counted] == [whole, words, lines]
    assert all(counts.letters == len(truth) for counts in counted)


def test_right_lines_are_accepted_one_by_one() -> None:
    said = "a = first\nb = second\nc = wrong"

    def says(left: str) -> str:
        return said if left.endswith("1\n") else ""

    truth = "a = first\nb = second\nc = third"
    assert keys(truth, says, "lines").keys == 2 + len("\nc = third")
    assert keys(truth, says, "whole").keys == len(truth)


def test_a_text_stays_while_its_beginning_is_typed() -> None:
    tool = Says(lambda left: "total = pride" if left.endswith("\n") else "")
    counts = typed(tool, "said", Window("p", "a.py", "\n", "total = price", "\n"), "/p/a.py", "whole")
    assert (
        len(tool.asked) == 1 + len("e") and len(counts.texts) == 1
    )  # at the beginning, and behind the differing letter


def test_the_cursor_stays_before_what_closes_brackets() -> None:
    counts = keys("print(total)", lambda left: "print(^)" if left.endswith("\n") else "", "whole")
    assert counts.keys == 1 + len("total)")


def test_texts_are_judged() -> None:
    said = {"x = 1\n": "count = 1", "x = 1\nt": "otal = 2", "x = 1\nto": "tal = ("}
    texts = keys("total = 1", lambda left: said.get(left, ""), "whole").texts
    assert [(text.right, text.begun) for text in texts] == [(False, False), (False, True)]
    assert "| 2 | 0 | 1 | 2 |" in row("said", {"whole": Counts(9, 9, texts)})


def test_some_texts_are_beyond_repair() -> None:
    assert is_beyond_repair("a.py", "x = f(1", "]", "\n")
    assert not is_beyond_repair("a.py", "x = f(1", ", ", "\n")
    assert not is_beyond_repair("a.py", "x = f(1]", ", ", "\n")  # as it was before


# -- rules


class Writes:
    """A model that writes one text, token by token, and keeps its prompts."""

    def __init__(self, text: str, tokens: Sequence[str] | None = None) -> None:
        self._tokens = list(tokens or text)
        self.given: list[tuple[str, str]] = []

    def within(self, ms: int) -> int:
        return ms // 50

    def encoded(self, text: str) -> Sequence[str]:
        return list(text)

    def pieces(self, prefix: Sequence[str], suffix: Sequence[str]) -> Iterator[str]:
        self.given.append(("".join(prefix), "".join(suffix)))
        yield from self._tokens


def shows(rules: type[Any], text: str, left: str, right: str = "\n") -> str:
    return rules(Writes(text)).proposal(left, right, "/p/a.py").text


@pytest.mark.parametrize("rules", [LlamaVim, LlamaVscode, Continue])
def test_a_text_that_goes_on_is_shown(rules: type[Any]) -> None:
    assert shows(rules, "+ 1", "x = 2\ny = x ") == "+ 1"


def test_a_model_is_given_the_lines_around() -> None:
    writes = Writes("1")
    LlamaVim(writes).proposal("a\nb\nx = ", "2\nc\nd", "/p/a.py")  # pyright: ignore[reportArgumentType]
    assert writes.given == [("a\nb\nx = ", "2\nc\nd\n")]


@pytest.mark.parametrize("rules", [LlamaVim, LlamaVscode])
def test_nothing_is_shown_before_much_text(rules: type[Any]) -> None:
    assert shows(rules, "1", "x = ", " + other_total\n") == ""


def test_a_text_ends_with_its_block_and_with_its_time() -> None:
    assert shows(LlamaVim, "a\n  b\nc", "if x:\n  y = ") == "a\n  b"
    assert len(shows(LlamaVim, "abcdefgh\nbcdefgh", "x = ")) <= len("abcdefgh\n")
    assert shows(LlamaVscode, "abcdefgh\nbcdefgh", "x = ") == "abcdefgh\nb"


def test_indentation_that_is_there_is_left_out() -> None:
    assert shows(LlamaVim, "    return 1", "def f():\n    ") == "return 1"


@pytest.mark.parametrize(
    ("lines", "repeats"),
    [
        (["total = 1"], True),
        (["total = 1", "cou"], True),
        (["total = 1", "other"], False),
        (["", "", "total = 1"], True),
        (["other"], False),
    ],
)
def test_what_follows_is_not_shown(lines: list[str], repeats: bool) -> None:
    assert repeats_what_follows(lines, "", "", ["", "total = 1", "count = 2"]) is repeats


def test_continue_stops_where_what_follows_begins() -> None:
    assert shows(Continue, "1\ntotal = 2\nx", "x = ", "\ntotal = 2\n") == "1"
    assert shows(Continue, "1\n\n\ny", "x = ", "\n") == "1"
    assert shows(Continue, "total = compute(1)", "total = compute(2)\n", "\n") == ""


def test_lines_are_nearly_the_same() -> None:
    assert is_nearly("total = compute(1)", "total = compute(2)")
    assert not is_nearly("total = compute(1)", "count = 1") and not is_nearly("ab", "ab")


def test_windows_come_from_different_projects() -> None:
    code = "".join(f"name_{n} = {n}\n" for n in range(40))
    files = [File(project, f"{number}.py", code) for project in ("a", "b") for number in range(3)]
    windows = windows_in(files, 4, 6, 1)
    assert sorted(window.project for window in windows) == ["a", "a", "b", "b"]
    assert len({(window.project, window.path) for window in windows}) == 4
    assert all(window.left + window.truth + window.right == code for window in windows)
    assert all(window.truth.count("\n") == 5 for window in windows)
    assert windows == windows_in(files[::-1], 4, 6, 1)
    assert windows_in([File("a", "x.py", code * 20)], 1, 6, 1) == []

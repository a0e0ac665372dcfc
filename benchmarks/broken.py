"""Holes in files broken elsewhere: `python -m benchmarks.broken --files 300 [--language json]`, or a grammar of tests/data/grammars.

A valid file is cut: anywhere, within brackets of several lines, or within a string of several lines. Then it is broken in one to three other
places, at least one line away from the hole, half of them near it. It counts the holes
- with a state at all;
- whose true middle lives at each character, and is complete;
- whose wrong middle, refused by the unbroken file, is not complete;
- whose suggestions (the shortest bridge; the beginning of the true middle with some accident, closed by a bridge) add no new error: in the
  hole of the unbroken file, they give a valid file.
The last is stricter than a user's view: the engine cannot know the intention behind broken code.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import statistics
import sys
import time
import tokenize
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from suture.parser import HoleState, Language, State, language, load_language

from tests.support.oracle_json import json_parses, json_text
from tests.support.oracle_python import corrupted, parses, stdlib_sources

HALVES = (
    "x =",
    "for i in",
    "def ",
    "foo(a, ",
    "import",
    "return x +",
    "if y",
    "class A(",
    "x = [1,",
    "@",
    "else:",
    "print('a",
)
_COLUMN_0 = (
    "foo bar baz",
    "))",
    "x = = 1",
    "def",
    "<<<<<<< HEAD",
    ">>>>>>> branch",
    "]",
    "class",
    "~~~~",
    "$ python -m x",
    "if x",
)
_NEAR = 6
"""The distance of near lines from the hole."""


def bracket(lines: list[str], number: int, rng: random.Random) -> None:
    """An unclosed or unopened bracket."""
    places = [i for i, char in enumerate(lines[number]) if char in "()[]{}"]
    if places:
        i = rng.choice(places)
        lines[number] = lines[number][:i] + lines[number][i + 1 :]
    else:
        lines[number] = lines[number].rstrip("\n") + rng.choice("([{") + "\n"


def half(lines: list[str], number: int, rng: random.Random) -> None:
    """A half-written statement."""
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    lines[number] = indent + rng.choice(HALVES) + "\n" + lines[number]


def indent(lines: list[str], number: int, rng: random.Random) -> None:
    """A line indented too far."""
    lines[number] = rng.choice([" ", "  ", "    "]) + lines[number]


def quotes(lines: list[str], number: int, rng: random.Random) -> None:
    """An unclosed string."""
    lines[number] = lines[number].rstrip("\n") + rng.choice(['"""', "'''", '"', "'"]) + "\n"


def conflict(lines: list[str], number: int, rng: random.Random) -> None:
    """A merge conflict."""
    end = min(len(lines), number + rng.randrange(1, 4))
    ours, theirs = lines[number:end], [line.replace("e", "i") for line in lines[number:end]]
    lines[number:end] = ["<<<<<<< HEAD\n", *ours, "=======\n", *theirs, ">>>>>>> branch\n"]


def column(lines: list[str], number: int, rng: random.Random) -> None:
    """A line in the first column that is not Python."""
    lines.insert(number, rng.choice(_COLUMN_0) + "\n")


def conflict_around(left: str, right: str, rng: random.Random) -> tuple[str, str]:
    """A merge conflict around the hole, on our side of it or theirs."""
    before, after = left.splitlines(keepends=True), right.splitlines(keepends=True)
    start = max(0, len(before) - 1 - rng.randrange(4))
    end = min(len(after), 1 + rng.randrange(4))
    other = [line.replace("e", "i") for line in before[start:-1] + after[1:end]]
    if rng.random() < 0.5:
        before[start:start] = ["<<<<<<< HEAD\n"]
        after[end:end] = ["=======\n", *other, ">>>>>>> branch\n"]
    else:
        before[start:start] = ["<<<<<<< HEAD\n", *other, "=======\n"]
        after[end:end] = [">>>>>>> branch\n"]
    return "".join(before), "".join(after)


def json_half(lines: list[str], number: int, rng: random.Random) -> None:
    """Something begun."""
    lines[number] = lines[number].rstrip("\n") + rng.choice([' "a": ', " [", ' "', " tr", ","]) + "\n"


Breakage = Callable[[list[str], int, random.Random], None]
PYTHON: dict[str, Breakage] = {
    "bracket": bracket,
    "half": half,
    "indent": indent,
    "quotes": quotes,
    "conflict": conflict,
    "column": column,
}
AROUND = "around"
"""The accident of `conflict_around`."""


def cut_line(lines: list[str], number: int, rng: random.Random) -> None:
    """A line cut to its beginning, or to nothing."""
    lines[number] = lines[number][: rng.randrange(len(lines[number]))] + "\n"


JSON: dict[str, Breakage] = {
    "bracket": bracket,
    "half": json_half,
    "quotes": quotes,
    "conflict": conflict,
    "cut": cut_line,
}
GRAMMAR: dict[str, Breakage] = {"bracket": bracket, "quotes": quotes, "conflict": conflict, "cut": cut_line}
GRAMMARS = Path(__file__).parent.parent / "tests" / "data" / "grammars"


def broken(text: str, how: Sequence[Breakage], rng: random.Random, *, end: bool) -> str:
    """A context with accidents, none in the line at the hole (its last one where `end`, else its first one)."""
    lines = text.splitlines(keepends=True)
    kept = lines[-1:] if end else lines[:1]
    lines = lines[:-1] if end else lines[1:]
    for breakage in how:
        if lines:
            near = min(len(lines), _NEAR if rng.random() < 0.5 else len(lines))
            distance = rng.randrange(near)
            breakage(lines, len(lines) - 1 - distance if end else distance, rng)
    return "".join([*lines, *kept] if end else [*kept, *lines])


def place(text: str, rng: random.Random) -> int:
    """Where to cut: anywhere, or where a bracket or a string of several lines is open."""
    kind = rng.randrange(3)
    spans = [span for span in _spans(text) if span[2] == kind] if kind else []
    if not spans:
        return rng.randrange(len(text))
    start, end, _ = rng.choice(spans)
    return rng.randrange(start, end)


def _spans(text: str) -> list[tuple[int, int, int]]:
    """(start, end, 1 for brackets, 2 for a string) of brackets and strings over several lines."""
    lines = [0]
    for line in io.StringIO(text, newline=""):
        lines.append(lines[-1] + len(line))
    spans, opened = [], list[int]()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            start, end = (lines[row - 1] + column for row, column in (token.start, token.end))
            if token.string in tuple("([{"):
                opened.append(end)
            elif token.string in tuple(")]}") and opened:
                spans.append((opened.pop(), start, 1))
            elif token.type == tokenize.STRING:
                spans.append((start + 3, end - 3, 2))
    except (tokenize.TokenError, SyntaxError):  # tokenize may refuse what ast accepts
        pass
    return [(start, end, kind) for start, end, kind in spans if "\n" in text[start:end]]


def written(state: HoleState, text: str) -> HoleState | None:
    """A state after a text, by characters; None when it dies."""
    after: HoleState | None = state
    for char in text:
        after = after.advance(char) if after is not None else None
    return after


def suggestions(state: State, middle: str, rng: random.Random) -> list[str]:
    """The shortest bridge, and live text closed by one."""
    texts = list(state.bridges()[:1])
    for _ in range(2):
        here, text = state, ""
        for char in corrupted(middle[: rng.randrange(len(middle) + 1)], rng):
            after = here.advance(char)
            if after is None:
                break
            here, text = after, text + char
        texts += [text + bridge for bridge in here.bridges()[:1]]
    return texts


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.broken", description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--files", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--longest", type=int, default=12_000)
    arguments.add_argument("--language", default="python", help="python, json, or the name of a grammar")
    arguments.add_argument("--kinds", help="of accidents; all unless given")
    arguments.add_argument("--show", type=int, default=0, help="so many failures of each kind")
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    is_python = options.language == "python"
    subject = _subject(options.language)
    kinds, valid = subject.kinds, subject.valid
    names = options.kinds.split(",") if options.kinds else [*kinds, *([AROUND] if is_python else [])]
    texts = (
        stdlib_sources(rng, options.files, options.longest)
        if is_python
        else [subject.make(rng) for _ in range(options.files)]
    )
    counts: dict[str, Counter[str]] = {}
    times: list[float] = []
    for text in texts:
        offset = place(text, rng) if is_python else rng.randrange(len(text))
        end = min(len(text), offset + rng.randrange(1, 60))
        left, middle, right = text[:offset], text[offset:end], text[end:]
        accidents = rng.choices(names, k=rng.choice([1, 1, 2, 3]))
        sides = [rng.random() < 0.5 for _ in accidents]
        broken_left = broken(
            left,
            [kinds[a] for a, on_left in zip(accidents, sides, strict=True) if on_left and a in kinds],
            rng,
            end=True,
        )
        broken_right = broken(
            right,
            [kinds[a] for a, on_left in zip(accidents, sides, strict=True) if not on_left and a in kinds],
            rng,
            end=False,
        )
        if AROUND in accidents:
            broken_left, broken_right = conflict_around(broken_left, broken_right, rng)
        if valid(broken_left + middle + broken_right):
            continue
        began = time.thread_time()
        hole = subject.language.hole(broken_left, broken_right)
        times.append(time.thread_time() - began)
        side = "both" if len(set(sides)) == 2 else "left" if sides[0] else "right"
        count = [counts.setdefault(name, Counter()) for name in (f"{side} broken", *dict.fromkeys(accidents), "all")]

        def add(what: str, amount: int = 1, count: list[Counter[str]] = count) -> None:
            for counter in count:
                counter[what] += amount

        add("holes")
        add(f"fallback {hole.fallback}")
        if hole.state is None:
            continue
        add("state")
        assert isinstance(hole.state, State)
        after = written(hole.state, middle)
        add("true middle lives", after is not None)
        add("complete", after is not None and after.complete)
        whole = subject.language.hole(left, right)
        for wrong in wrongs(whole.state, middle, random.Random(offset)):
            after_wrong = written(hole.state, wrong)
            refused = after_wrong is None or not after_wrong.complete
            add("wrong")
            add("wrong refused", refused)
            if options.show and not refused and counts[accidents[0]]["shown wrong"] < options.show:
                counts[accidents[0]]["shown wrong"] += 1
                print("#####", accidents, sides, hole.fallback)
                print(f"{broken_left[-300:]}<<<{wrong}>>>{broken_right[:300]}")
        if options.show and not (after is not None and after.complete) and counts[accidents[0]]["shown"] < options.show:
            counts[accidents[0]]["shown"] += 1
            print("-----", accidents, sides, hole.fallback, "lives" if after else "dies")
            print(f"{broken_left[-400:]}<<<{middle}>>>{broken_right[:400]}")
        for suggestion in suggestions(hole.state, middle, random.Random(offset)):
            add("suggestions")
            good = valid(left + suggestion + right)
            add("no new error", good)
            if options.show and not good and counts[accidents[0]]["shown errors"] < options.show:
                counts[accidents[0]]["shown errors"] += 1
                print("=====", accidents, sides, hole.fallback)
                print(f"{broken_left[-300:]}<<<{suggestion}>>>{broken_right[:300]}")
    _report(counts, times)
    return 0


class Subject(NamedTuple):
    """A language of files to break."""

    language: Language
    kinds: dict[str, Breakage]
    valid: Callable[[str], bool]
    make: Callable[[random.Random], str]


def _subject(name: str) -> Subject:
    if name in ("python", "json"):
        is_python = name == "python"
        return Subject(language(name), PYTHON if is_python else JSON, parses if is_python else json_parses, json_file)
    made = load_language(name, GRAMMARS / f"{name}.lark")

    def valid(text: str) -> bool:
        hole = made.hole(text, "")
        return hole.viable and hole.state is not None and hole.state.complete

    sample = (GRAMMARS / f"{name}.txt").read_text("utf-8")
    text = sample * 3 if valid(sample * 3) else sample
    return Subject(made, GRAMMAR, valid, lambda _: text)


def json_file(rng: random.Random) -> str:
    """A JSON file of several lines."""
    value = {f"key {i}": json.loads(json_text(rng)) for i in range(rng.randrange(3, 30))}
    return json.dumps(value, indent=2) + "\n"


def wrongs(whole: HoleState | None, middle: str, rng: random.Random) -> list[str]:
    """Texts like a true middle, refused in the unbroken file."""
    corruptions = [corrupted(middle, rng) for _ in range(3)]
    return [
        text
        for text in corruptions
        if whole is not None and ((after := written(whole, text)) is None or not after.complete)
    ]


def _report(counts: dict[str, Counter[str]], times: list[float]) -> None:
    print(f"{'':14}{'holes':>7}{'state':>8}{'lives':>8}{'complete':>10}{'wrong refused':>15}{'no new error':>14}")
    for name, count in sorted(counts.items(), key=lambda item: (item[0] == "all", "broken" not in item[0], item[0])):
        holes, suggested = count["holes"], max(1, count["suggestions"])
        shares = [count[key] / holes for key in ("state", "true middle lives", "complete")]
        refused = count["wrong refused"] / max(1, count["wrong"])
        good = count["no new error"] / suggested
        print(f"{name:14}{holes:7}{shares[0]:8.1%}{shares[1]:8.1%}{shares[2]:10.1%}{refused:15.1%}{good:14.1%}")
    if times:
        times.sort()
        p99 = times[int(len(times) * 0.99)]
        print(
            f"a hole, from scratch: median {statistics.median(times) * 1e3:.0f} ms, 99th percentile {p99 * 1e3:.0f} ms"
        )


if __name__ == "__main__":
    sys.exit(main())

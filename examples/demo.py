"""Complete a few holes in inventory.py with the embedded model, beside what it writes without the constraint: `make demo`."""

from __future__ import annotations

import ast
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from suture import model, parser

SOURCE = Path(__file__).with_name("inventory.py").read_text(encoding="utf-8")

# (what it shows, the text that is taken out, how it is damaged elsewhere: text and what stands for it)
HOLES = [
    ("inside a call, with its bracket on the right", "item.total() for item in self.items.values()", None),
    ("a whole line in a block", "self.items[item.name].count += item.count", None),
    ("in an f-string", "{item.count} of {name}", None),
    ("a condition, its colon on the right", "item.count < count", None),
    ("an argument, with two brackets on the right", "json.dumps(data, indent=2", None),
    ("a loop, its bracket and colon on the right", "values in json.loads(path.read_text()).values(", None),
    ("in a file that is broken elsewhere", "cls()", ("price: float", "price: float = (")),
]
SHOWN = 60  # characters of context on a line of the screen
COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def main() -> int:
    """Print left, suggestion and right for each hole; exit status 1 when a suggestion does not fit."""
    start = time.perf_counter()
    print("Loading the model and the grammar ...", flush=True)
    embedded = model.load()
    python = parser.language("python")
    python.hole("", "")
    print(
        f"Loaded in {time.perf_counter() - start:.1f} s. A suggestion stands between the marks; below it is what the same "
        "model writes\nwithout the constraint, and where that breaks.\n"
    )
    fitting = [show(*hole, embedded, python) for hole in HOLES]
    constrained, unconstrained = (sum(each) for each in zip(*fitting, strict=True))
    print(f"{constrained} of {len(HOLES)} fit with the constraint, {unconstrained} of {len(HOLES)} without it.")
    if constrained < len(HOLES):
        print("A suggestion that does not fit is a bug: please report it.")
    return int(constrained < len(HOLES))


def show(
    title: str, hidden: str, damage: tuple[str, str] | None, embedded: model.Model, python: parser.Language
) -> tuple[bool, bool]:
    """Complete one hole with and without the constraint, and print both; does each fit?"""
    left, right = SOURCE.split(hidden, 1)
    if damage is not None:
        left = left.replace(*damage)
    start = time.perf_counter()
    hole = python.hole(left, right)
    hole_ms = (time.perf_counter() - start) * 1e3
    assert hole.state is not None
    options = model.Options(max_tokens=32, max_lines=0)
    done = model.complete(embedded, hole.state, left, right, options)
    free = model.complete(embedded, hole.state, left, right, replace(options, mode="unconstrained"))
    print(f"• {title}")
    in_context(left, done.text, right)
    problem = why_broken(hole, left, done.text, right)
    verdict = f"DOES NOT FIT: {problem}" if problem else "the file is valid" if hole.viable else "no new error"
    print(
        f"    {painted('→', not problem)} {verdict}; {done.tokens} tokens in {done.total_ms:.0f} ms "
        f"(model {done.model_ms:.0f}, constraint {done.constraint_ms:.1f}, looking at the file {hole_ms:.1f})"
    )
    without = why_broken(hole, left, free.text, right)
    print(f"    without the constraint: {mark(in_one_line(free.text))}")
    print(f"    {painted('→', not without)} {without or ('valid, too' if hole.viable else 'no new error, too')}\n")
    return not problem, not without


def in_context(left: str, text: str, right: str) -> None:
    """Print a suggestion between the lines that are around it."""
    before, after = left.splitlines()[-2:], right.splitlines()[:2]
    for line in before[:-1]:
        print(f"    {line[-SHOWN:]}")
    print(f"    {before[-1][-SHOWN:]}{mark(text)}{after[0][:SHOWN]}")
    for line in after[1:]:
        print(f"    {line[:SHOWN]}")


def in_one_line(text: str) -> str:
    """As much of a text as is shown, in one line."""
    shown = text.replace("\n", "⏎")
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"


def why_broken(hole: parser.Hole, left: str, text: str, right: str) -> str:
    """Where a text for a hole breaks the file, by Python's own parser; "" where it fits.

    Of a file that is broken elsewhere, Suture says it: the part around the hole has to hold together.
    """
    if hole.viable:
        try:
            ast.parse(left + text + right)
        except SyntaxError as error:
            return f"breaks the file at {error.lineno}:{error.offset}: {error.msg}"
        return ""
    assert hole.state is not None
    after = hole.state.advance(text)
    if after is not None and after.complete:
        return ""
    fits = next((end for end in range(len(text) + 1) if hole.state.advance(text[:end]) is None), len(text) + 1) - 1
    return f"does not fit after {in_one_line(text[:fits])!r}" if fits < len(text) else "leaves something open"


def mark(text: str) -> str:
    """The suggestion, so that a person sees where it is."""
    return f"\033[7m{text}\033[0m" if COLOUR else f"⟦{text}⟧"


def painted(text: str, good: bool) -> str:
    """The text in green or red, at a terminal."""
    return f"\033[{32 if good else 31}m{text}\033[0m" if COLOUR else text


if __name__ == "__main__":
    sys.exit(main())

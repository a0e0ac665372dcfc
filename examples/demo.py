"""Complete a few holes in inventory.py with the embedded model, and show how the text fits: `make demo`."""

from __future__ import annotations

import ast
import os
import sys
import time
from pathlib import Path

from suture import model, parser

SOURCE = Path(__file__).with_name("inventory.py").read_text(encoding="utf-8")

# (what it shows, the text that is taken out, how it is damaged elsewhere: text and what stands for it)
HOLES = [
    ("inside a call, with its bracket on the right", "item.total() for item in self.items.values()", None),
    ("a whole line in a block", "self.items[item.name].count += item.count", None),
    ("the rest of a line", " = self.items[name]", None),
    ("a condition, its colon on the right", "item.count < count", None),
    ("a list, half written", " for item in self.items.values() if tag in item.tags", None),
    ("in a file that is broken elsewhere", "cls()", ("price: float", "price: float = (")),
]
SHOWN = 60  # characters of context on a line of the screen


def main() -> int:
    """Print left, suggestion and right for each hole; exit status 1 when a suggestion does not fit."""
    start = time.perf_counter()
    embedded = model.load()
    python = parser.language("python")
    python.hole("", "")
    print(
        f"Model and grammar loaded in {time.perf_counter() - start:.1f} s. The suggestion stands between the marks.\n"
    )
    failed = 0
    for title, hidden, damage in HOLES:
        left, right = SOURCE.split(hidden, 1)
        if damage is not None:
            left = left.replace(*damage)
        failed += not show(title, left, right, embedded, python)
    if failed:
        print(f"{failed} suggestions do not fit: this is a bug, please report it.")
    return min(failed, 1)


def show(title: str, left: str, right: str, embedded: model.Model, python: parser.Language) -> bool:
    """Complete one hole and print it; does the whole parse?"""
    start = time.perf_counter()
    hole = python.hole(left, right)
    hole_ms = (time.perf_counter() - start) * 1e3
    assert hole.state is not None
    done = model.complete(embedded, hole.state, left, right, model.Options(max_tokens=32, max_lines=0))
    before, after = left.splitlines()[-2:], right.splitlines()[:2]
    print(f"• {title}")
    for line in before[:-1]:
        print(f"    {line[-SHOWN:]}")
    print(f"    {before[-1][-SHOWN:]}{mark(done.text)}{after[0][:SHOWN]}")
    for line in after[1:]:
        print(f"    {line[:SHOWN]}")
    fits = parses(left + done.text + right) if hole.viable else done.complete
    verdict = "the file is valid" if hole.viable and fits else "no new error" if fits else "DOES NOT FIT"
    print(
        f"    → {verdict}; {done.tokens} tokens in {done.total_ms:.0f} ms "
        f"(model {done.model_ms:.0f}, constraint {done.constraint_ms:.1f}, looking at the file {hole_ms:.1f})\n"
    )
    return fits


def mark(text: str) -> str:
    """The suggestion, so that a person sees where it is."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"\033[7m{text}\033[0m" if colour else f"⟦{text}⟧"


def parses(text: str) -> bool:
    """Does Python accept the file?"""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())

"""Names in files broken elsewhere: `python -m benchmarks.broken_names --language go --sources FOLDER --places 200`.

A place is a name in a valid file where the unbroken file settles the answer: it accepts the name there, and refuses an unknown one. Then one
or more other lines are broken, as people break them, and both are asked again: a true name still present elsewhere has to be accepted and
complete, a wrong one refused. The unbroken file is the oracle, so nothing depends on the handling of the breakage.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from suture.parser import Hole, HoleState, imports_for, language, names_elsewhere_at_last

from tests.support.oracle_python import stdlib_sources

from .broken import HALVES, bracket, conflict, quotes, written

WRONG = "zzq_nowhere"
_NAME = re.compile(r"(?<![\w\"'`])[A-Za-z_]\w*")
_SUFFIXES = {
    "python": (".py",),
    "go": (".go",),
    "typescript": (".ts",),
    "typescriptreact": (".tsx",),
    "javascript": (".js", ".mjs"),
}

Breakage = Callable[[list[str], int, random.Random], None]


def half_line(lines: list[str], row: int, rng: random.Random) -> None:
    """Leave the beginning of a line."""
    body = lines[row].rstrip("\n")
    start = len(body) - len(body.lstrip())
    lines[row] = body[: rng.randrange(start, len(body) + 1)] + "\n"


def half_token(lines: list[str], row: int, rng: random.Random) -> None:
    """Leave a line to the middle of a word, with an operator or a dot behind it."""
    words = list(re.finditer(r"\w{2,}", lines[row]))
    if words:
        word = rng.choice(words)
        lines[row] = (
            lines[row][: rng.randrange(word.start() + 1, word.end())] + rng.choice(["", ".", " =", "(", " +"]) + "\n"
        )


def no_body(lines: list[str], row: int, rng: random.Random) -> None:
    """Remove the block below a header."""
    headers = [i for i, line in enumerate(lines[:-1]) if line.rstrip().endswith((":", "{"))]
    if not headers:
        return half_line(lines, row, rng)
    row = min(headers, key=lambda i: abs(i - row))
    width = len(lines[row]) - len(lines[row].lstrip())
    end = row + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > width):
        end += 1
    if lines[row].rstrip().endswith("{") and end < len(lines) and lines[end].lstrip().startswith("}"):
        end += 1
    del lines[row + 1 : end]


def begun(starts: tuple[str, ...]) -> Breakage:
    """Insert a half-written statement."""

    def breakage(lines: list[str], row: int, rng: random.Random) -> None:
        indent = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
        lines.insert(row, indent.rstrip("\n") + rng.choice(starts) + "\n")

    return breakage


def template(lines: list[str], row: int, rng: random.Random) -> None:
    """Insert a line of a template, or put a field of one into a line."""
    if rng.random() < 0.5:
        lines.insert(row, rng.choice(["{% if x %}", "{{ body }}", "<% end %>", "{{#each items}}"]) + "\n")
    else:
        lines[row] = re.sub(r"\w+", "{{ value }}", lines[row], count=1)


_PYTHON_STARTS = (*HALVES, "try:", "with open(p) as")
_GO_STARTS = (
    "x :=",
    "for i := range",
    "func ",
    "foo(a, ",
    "if y",
    "type A struct {",
    "x = []int{1,",
    "return x +",
    "switch x {",
    "var",
    "go func() {",
    "} else {",
)
_TS_STARTS = (
    "const x =",
    "for (const i of",
    "function ",
    "foo(a, ",
    "import {",
    "if (y",
    "class A {",
    "x = [1,",
    "return x +",
    "switch (x) {",
    "try {",
    "} else {",
    "export const f = (",
    "interface",
)
_COMMON: dict[str, Breakage] = {
    "half line": half_line,
    "half token": half_token,
    "no body": no_body,
    "bracket": bracket,
    "quote": quotes,
    "conflict": conflict,
    "template": template,
}
PYTHON = {
    **_COMMON,
    "begun": begun(_PYTHON_STARTS),
    "magic": begun(("%matplotlib inline", "!ls -l", "%%time", "?x")),
    "other version": begun(('print "x"', "exec code", "raise E, 'x'", "x = 0777", "match = <> 3")),
}
GO = {**_COMMON, "begun": begun(_GO_STARTS)}
TYPESCRIPT = {**_COMMON, "begun": begun(_TS_STARTS)}
BREAKAGES = {"python": PYTHON, "go": GO}


def taken(state: HoleState | None, name: str) -> bool:
    """Whether a hole is complete with a name."""
    after = None if state is None else written(state, name)  # pyright: ignore[reportArgumentType]
    return after is not None and after.complete


def hole_at(left: str, right: str, name: str, path: Path) -> Hole:
    """The hole with checks of names and attributes, and the pending closers behind it."""
    session = language(name).session(path)
    session.doubts = True  # as an editor's
    session.imports = imports_for(name, language(name).version, path, at_once=True)
    session.elsewhere = names_elsewhere_at_last(name, path, left + right)
    hole = session.hole(left + right, len(left), level="names")
    return session.mended(hole, left + right, len(left), level="names")


def is_valid(text: str, name: str) -> bool:
    """Whether a text is a whole file of a language."""
    state = language(name).hole("", "").state
    after = state.advance(text) if state is not None else None
    return after is not None and after.complete


def places(text: str, name: str, path: Path, rng: random.Random, count: int) -> Iterator[tuple[int, int, str]]:
    """(begin, end, kind) of names decided by the unbroken file."""
    matches = list(_NAME.finditer(text))
    rng.shuffle(matches)
    for match in matches[: 12 * count]:
        begin, end = match.span()
        state = hole_at(text[:begin], text[end:], name, path).state
        if taken(state, match[0]) and not taken(state, WRONG) and is_valid(text[:begin] + WRONG + text[end:], name):
            yield begin, end, "attribute" if text[begin - 1 : begin] == "." else "name"
            count -= 1
            if not count:
                return


def break_elsewhere(
    left: str, right: str, kinds: dict[str, Breakage], count: int, rng: random.Random
) -> tuple[str, str, list[str]]:
    """Both contexts with accidents in lines other than the hole's and its neighbours, and the kinds of the accidents."""
    before, after = left.splitlines(keepends=True), right.splitlines(keepends=True)
    used = list[str]()
    for _ in range(count):
        kind = rng.choice(list(kinds))
        above, below = before[:-2], after[2:]
        near = rng.random() < 0.5
        if above and (not below or rng.random() < 0.5):
            rows = [i for i in range(max(0, len(above) - 8) if near else 0, len(above)) if above[i].strip()]
            if rows:
                kinds[kind](above, rng.choice(rows), rng)
                before[:-2] = above
                used.append(kind)
        elif below:
            rows = [i for i in range(min(len(below), 8) if near else len(below)) if below[i].strip()]
            if rows:
                kinds[kind](below, rng.choice(rows), rng)
                after[2:] = below
                used.append(kind)
    return "".join(before), "".join(after), used


def sources(options: argparse.Namespace, rng: random.Random) -> Iterator[tuple[str, Path]]:
    """Texts of files with their paths, in a random order."""
    if not options.sources:
        yield from ((text, Path("/nowhere/file.py")) for text in stdlib_sources(rng, options.places, options.longest))
        return
    paths = sorted(
        p for p in Path(options.sources).rglob("*") if p.suffix in _SUFFIXES[options.language] and p.is_file()
    )
    rng.shuffle(paths)
    for path in paths:
        text = path.read_bytes().decode("utf-8", "replace")
        if 400 < len(text) < options.longest and "\r" not in text:
            yield text, path


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(
        prog="python -m benchmarks.broken_names", description=(__doc__ or "").splitlines()[0]
    )
    arguments.add_argument("--language", choices=list(_SUFFIXES), default="python")
    arguments.add_argument("--sources", help="a folder of valid files; Python's library unless given")
    arguments.add_argument("--places", type=int, default=200)
    arguments.add_argument("--broken", type=int, default=1, help="places that are broken")
    arguments.add_argument("--longest", type=int, default=12_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", type=int, default=0, help="so many failures")
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    kinds = BREAKAGES.get(options.language, TYPESCRIPT)
    counts: dict[str, Counter[str]] = {}
    times, shown, left_over = list[float](), 0, options.places
    for text, path in sources(options, rng):
        if left_over <= 0:
            break
        for begin, end, what in places(text, options.language, path, rng, 2):
            left, right, used = break_elsewhere(text[:begin], text[end:], kinds, options.broken, rng)
            name = text[begin:end]
            stands_elsewhere = re.search(rf"\b{name}\b", left) or re.search(rf"\b{name}\b", right)
            if not used or not stands_elsewhere or is_valid(left + name + right, options.language):
                continue
            left_over -= 1
            started = time.thread_time()
            hole = hole_at(left, right, options.language, path)
            times.append(time.thread_time() - started)
            true, wrong = taken(hole.state, name), taken(hole.state, WRONG)
            for row in (*used, what, "all"):
                counts.setdefault(row, Counter()).update(
                    {"places": 1, "state": hole.state is not None, "true": true, "refused": not wrong}
                )
            if shown < options.show and (wrong or not true):
                shown += 1
                print("-----", used, what, hole.fallback, f"{true=} {wrong=}", path)
                print(f"{left[-700:]}<<<{name}>>>{right[:700]}")
    print(f"{'':14}{'places':>8}{'state':>8}{'true taken':>12}{'wrong refused':>15}")
    for row, count in sorted(
        counts.items(), key=lambda item: (item[0] == "all", item[0] in ("name", "attribute"), item[0])
    ):
        share = {key: count[key] / count["places"] for key in ("state", "true", "refused")}
        print(f"{row:14}{count['places']:8}{share['state']:8.1%}{share['true']:12.1%}{share['refused']:15.1%}")
    if times:
        times.sort()
        print(
            f"a hole, from scratch, thread time: median {times[len(times) // 2] * 1e3:.0f} ms, p99 {times[int(len(times) * 0.99)] * 1e3:.0f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Times of the engine on Python files of growing size, beside `ast.parse`, and on TypeScript: `python -m benchmarks.engine [--write]`.

Each size is one text, joined from standard library files; a *broken* one is the same text with three accidents in it. Times are of the thread
(without other processes; the clock itself costs some 0.3 microseconds), and each part runs in a process of its own, so that work done once
per process is among the times. A keystroke is timed after each character of `value = f(x`, typed at random places, with a pause between these
to free retired engines and read the text ahead, as in the server; "elsewhere" inserts a character at a random place, which mostly breaks the
file; "membership" is timed after each character of the text behind the cursor. "check, advance, end" is a decoder's cost for one token of
four characters: whether it is allowed, the state after it, and whether the file could end there. First holes are those of
`benchmarks.first_hole`, at level "names", each file's first. The last table is about keys typed within lines of whole files, which break the
line: the share of keys with all names still known, except one in a hundred, of those known before.

`--write` keeps the tables in benchmarks/results/engine.txt. `benchmarks.against` compares two versions.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from suture import parser
from suture.parser import Language, freeze_garbage
from suture.parser.language import release_retired
from suture.parser.languages.registry import BUILT_IN

from benchmarks.broken import bracket, half
from benchmarks.first_hole import places
from tests.support import oracle_go
from tests.support.oracle_python import parses, stdlib_sources

SIZES = (2_000, 20_000, 100_000, 400_000)
TYPESCRIPT_SIZE = 80_000
_TYPESCRIPT_ROUNDS = 16
"""At least: by what was read before, a bridge takes up to 200 ms; fewer rounds compare the places."""
_JUMPS = 40
"""More than one a round: by what was read before, a jump takes 24 to 900 us."""
RESULTS = Path(__file__).parent / "results" / "engine.txt"
_CLIENTS = Path(__file__).parent.parent / "editors"
PAUSE = "pause of garbage collection"
_COLD = 3
"""The number of times to open a file with an empty engine."""
_TYPED = "value = f(x"
_BREAKING = (_TYPED, "foo(a, ", "if x", "[1, ", "= y", "print(a)")
_MOST_OF_NAMES = 0.99
_FILES, _PLACES = 30, 6
"""Files with broken lines, and places in each."""
_OWN_LINES = "names known at keys that break their line"
Times = dict[str, list[float]]


def text_of(size: int, rng: random.Random) -> str:
    """A valid file of about this many characters."""
    parts: list[str] = []
    for source in stdlib_sources(rng, 400, 60_000):
        if "from __future__" not in source and sum(map(len, parts)) < size:
            parts.append(source[: max(2_000, size)])
            while not parses("\n".join(parts)):
                cut = parts[-1].rfind("\n\n\n", 0, len(parts[-1]) - 1)
                if cut <= 0:
                    parts.pop()
                    break
                parts[-1] = parts[-1][: cut + 1]
    return "\n".join(parts).replace("\r\n", "\n").replace("\r", "\n")


def typescript_text(size: int) -> str:
    """A valid file of at most this many characters, joined from the editors' clients."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(_CLIENTS.glob("*/src/*.ts")))
    return text[: text.rfind("\n}\n", 0, size) + 3]


def broken_text(text: str, rng: random.Random) -> str:
    """The same with three accidents."""
    lines = text.splitlines(keepends=True)
    for breakage in (bracket, half, bracket):
        breakage(lines, rng.randrange(len(lines)), rng)
    return "".join(lines)


class Clock:
    """Times in microseconds by the name of the work, and the pauses of garbage collection."""

    def __init__(self, *, lenient: bool = False) -> None:
        """lenient: rows missing in the version are left out."""
        self.times: Times = {}
        self.known: list[float] = []  # of the names of a file, at keys that break their line
        self._lenient = lenient
        self._pause = 0.0
        gc.callbacks.append(self._collected)

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        start = time.thread_time()
        result = work()
        self.times.setdefault(name, []).append((time.thread_time() - start) * 1e6)
        return result

    @contextmanager
    def row(self, name: str) -> Iterator[None]:
        """The measurement of one row, possibly missing in another version."""
        try:
            yield
        except (AttributeError, ImportError, TypeError):
            if not self._lenient:
                raise
            self.times.pop(name, None)

    def _collected(self, phase: str, _: object) -> None:
        if phase == "start":
            self._pause = time.thread_time()
        else:
            self.times.setdefault(PAUSE, []).append((time.thread_time() - self._pause) * 1e6)


def of_suture(text: str, rounds: int, rng: random.Random, clock: Clock) -> None:
    """Measure this engine with Python."""
    _of_language("python", text, rounds, rng, clock)


def of_typescript(text: str, rounds: int, rng: random.Random, clock: Clock) -> None:
    """Measure this engine with TypeScript."""
    if "typescript" not in BUILT_IN:  # missing in other versions
        return
    _of_language("typescript", text, max(rounds, _TYPESCRIPT_ROUNDS), rng, clock)
    with clock.row("keystroke, broken file"):  # the oldest versions fail in some places
        _of_broken("typescript", text, rounds, rng, clock)
    for _ in range(rounds):
        cursor = rng.randrange(len(text) - 60)
        cut = text[:cursor] + text[text.index("\n", cursor) :]
        session = _empty("typescript").session()
        clock("first hole, in a cut line", lambda s=session, t=cut, c=cursor: s.hole(t, c))


def _empty(name: str) -> Language:
    """A language with its tables, and an empty engine."""
    version, make = parser.language(name).version, BUILT_IN[name].make
    language = Language(name, version, lambda: make(version))
    language.hole("", "")
    return language


def _of_language(name: str, text: str, rounds: int, rng: random.Random, clock: Clock) -> None:
    freeze_garbage()
    for _ in range(_COLD):
        language = _empty(name)
        session, cursor = language.session(), len(text) // 2
        clock("open: left context", lambda s=session, c=cursor: s.hole(text[:c], c))
        clock("open: right context", lambda s=session, c=cursor: s.hole(text, c))
    _opened(session, text)
    for _ in range(rounds):
        _pause(session, text)
        cursor = rng.randrange(len(text) - 140)
        clock("cursor jump", lambda offset=cursor: session.hole(text, offset))
        _type(session, text, cursor, "keystroke", clock)
        state = session.hole(text, cursor).state
        if state is None:
            continue
        for offset in range(cursor, cursor + 40):
            state = clock("character", lambda s=state, c=text[offset]: s.advance(c))
            clock("membership", lambda s=state: s.complete)
        token = state
        for offset in range(cursor + 40, cursor + 80, 4):  # not read as characters before: a model writes tokens
            token = clock("4-character token", lambda s=token, t=text[offset : offset + 4]: s.advance(t))
        with clock.row("check, advance, end"):
            _decode(token, text[cursor + 80 : cursor + 120], clock)
        clock("bridge", lambda s=state: s.bridges())
        for name, place in (("above", rng.randrange(cursor + 1)), ("below", rng.randrange(cursor, len(text)))):
            edited = text[:place] + "x" + text[place:]
            clock(
                f"edit elsewhere, {name}", lambda t=edited, offset=cursor + (name == "above"): session.hole(t, offset)
            )
            clock("and back again", lambda offset=cursor: session.hole(text, offset))
    for _ in range(_JUMPS):
        cursor = rng.randrange(len(text))
        clock("cursor jump", lambda offset=cursor: session.hole(text, offset))


def _opened(session: Any, text: str) -> None:
    """Do the server's background work for an opened document (`CompletionEngine.warm`)."""
    for offset in (len(text), 0):
        session.hole(text, offset)
    _pause(session, text)


def _pause(session: Any, text: str) -> None:
    """Do the server's background work while nobody types."""
    release_retired(lambda: False)
    if hasattr(session, "foresee"):  # missing in other versions
        session.foresee(text)


def _type(session: Any, text: str, cursor: int, row: str, clock: Clock) -> None:
    typed = text
    for i, char in enumerate(_TYPED):
        typed = typed[: cursor + i] + char + typed[cursor + i :]
        clock(row, lambda offset=cursor + i + 1, now=typed: session.hole(now, offset))


def _decode(state: Any, text: str, clock: Clock) -> None:
    from suture.model.decoding.token_step import DecodingState, TokenChecker

    here = DecodingState(state)

    def step(piece: str) -> Any:
        after = TokenChecker(here).read(piece.encode())
        assert after is not None, "the file's own text"
        after.state.complete  # noqa: B018 (asked for its time)
        return after

    for index in range(0, len(text), 4):
        here = clock("check, advance, end", lambda t=text[index : index + 4]: step(t))


def of_broken(text: str, rounds: int, rng: random.Random, clock: Clock) -> None:
    """Measure keystrokes in a file broken elsewhere."""
    _of_broken("python", text, rounds, rng, clock)


def _of_broken(name: str, text: str, rounds: int, rng: random.Random, clock: Clock) -> None:
    freeze_garbage()
    text = broken_text(text, rng)
    session = parser.language(name).session()
    _opened(session, text)
    for _ in range(rounds):
        _pause(session, text)
        cursor = rng.randrange(len(text) - 60)
        session.hole(text, cursor)
        _type(session, text, cursor, "keystroke, broken file", clock)


def of_files(_: str, rounds: int, __: random.Random, clock: Clock) -> None:
    """Measure the first look at a file."""
    freeze_garbage()
    python = parser.language("python")
    python.hole("x = 1\n", "", level="names")
    for text, offset in places(rounds):
        clock(
            "first hole of a file, names", lambda t=text, place=offset: python.session().hole(t, place, level="names")
        )


def of_own_lines(name: str) -> Callable[[str, int, random.Random, Clock], None]:
    """The measurement of line-breaking keys in files of a language."""

    def measure(_: str, rounds: int, rng: random.Random, clock: Clock) -> None:
        freeze_garbage()
        for text in _valid_texts(name, rounds, rng):
            session = parser.language(name).session()
            _opened(session, text)
            for __ in range(_PLACES):
                _pause(session, text)
                _break_line(session, text, rng.randrange(len(text) - 5), rng.choice(_BREAKING), clock)

    return measure


def _valid_texts(name: str, count: int, rng: random.Random) -> list[str]:
    if name == "python":
        return list(stdlib_sources(rng, count, 40_000))
    if name == "go":
        return oracle_go.library_sources(rng, count, 40_000) if oracle_go.goroot() is not None else []
    paths = sorted(path for path in _CLIENTS.glob("*/src/*.ts") if not path.name.endswith(".d.ts"))
    return [path.read_text("utf-8") for path in rng.sample(paths, min(count, len(paths)))]


def _break_line(session: Any, text: str, cursor: int, letters: str, clock: Clock) -> None:
    valid = session.hole(text, cursor, level="names").state
    names = set(valid.names() or ()) if valid is not None and valid.region == "code" else set()
    for end in range(1, len(letters) + 1 if names else 0):
        typed = text[:cursor] + letters[:end] + text[cursor:]
        hole = clock("key", lambda t=typed, at=cursor + end: session.hole(t, at, level="names"))
        if not hole.viable:
            known = set(hole.state.names() or ()) if hole.state is not None and hole.state.region == "code" else set()
            clock.known.append(len(names & known) / len(names))


def of_ast(text: str, rounds: int, __: random.Random, clock: Clock) -> None:
    """Measure a complete reparse for each character."""
    for _ in range(min(rounds, 5)):
        clock("membership", lambda: ast.parse(text))


OWN_LINES = {"Python": "python", "Go": "go", "TypeScript": "typescript"}
PARTS = {"suture": of_suture, "typescript": of_typescript, "broken": of_broken, "files": of_files, "ast": of_ast}
PARTS |= {f"{name}'s own lines": of_own_lines(name) for name in OWN_LINES.values()}


def measured(part: str, text: Path | None, rounds: int, seed: int, *, lenient: bool = False) -> dict[str, Any]:
    """Times of one part with one text, in this process; `tree` is the folder of the measured packages."""
    clock = Clock(lenient=lenient)
    PARTS[part](text.read_text("utf-8") if text else "", rounds, random.Random(seed), clock)
    pauses = {PAUSE: clock.times.pop(PAUSE)} if PAUSE in clock.times else {}
    return {"times": clock.times | pauses, "known": clock.known, "tree": str(Path(parser.__file__ or "").parent.parent)}


def run(part: str, text: Path | None, rounds: int, seed: int, tree: Path | None = None) -> dict[str, Any]:
    """The same in a process of its own; tree: a folder with the folder `suture` to measure."""
    command = [sys.executable, "-m", "benchmarks.engine", "--part", part, "--rounds", str(rounds), "--seed", str(seed)]
    environment = dict(os.environ)
    if text is not None:
        command += ["--text", str(text)]
    if tree is not None:
        command.append("--lenient")
        environment["PYTHONPATH"] = str(tree)
    root = Path(__file__).parent.parent
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=root, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def p99(values: Sequence[float]) -> float:
    """The 99th percentile; of fewer than 100 values the largest."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


def table(title: str, parts: Mapping[str, Mapping[str, Any]]) -> str:
    """A table in Markdown of one size; parts: results by the name of their column."""
    cells = [f"| {title} |" + "".join(f" {name}, median | 99th percentile |" for name in parts) + " times |"]
    cells.append("| --- |" + " --: | --: |" * len(parts) + " --: |")
    for row in dict.fromkeys(row for part in parts.values() for row in part["times"]):
        line, times = f"| {row} |", 0
        for part in parts.values():
            values = part["times"].get(row, ())
            times = times or len(values)
            line += f" {_ms(statistics.median(values))} | {_ms(p99(values))} |" if values else " | |"
        cells.append(f"{line} {times:,} |")
    return "\n".join(cells)


def table_of_names(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """A table in Markdown of line-breaking keys; parts: results by language."""
    rows = [f"| {_OWN_LINES} | nearly all | in the mean | keys | a key, median | 99th percentile |"]
    rows.append("| --- |" + " --: |" * 5)
    for name, part in parts.items():
        known, times = part["known"], part["times"]["key"]
        most = sum(share >= _MOST_OF_NAMES for share in known) / max(1, len(known))
        line = f"| {name} | {most:.1%} | {statistics.fmean(known or [1.0]):.1%} | {len(known):,} |"
        rows.append(f"{line} {_ms(statistics.median(times))} | {_ms(p99(times))} |")
    return "\n".join(rows)


def _ms(microseconds: float) -> str:
    """Milliseconds, to three figures where they are small."""
    digits = next(
        digits for digits, below in ((4, 100), (3, 1_000), (2, 10_000), (0, float("inf"))) if microseconds < below
    )
    return f"{microseconds / 1e3:.{digits}f}"


def main() -> int:
    """Print a table for each size."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    arguments.add_argument("--write", action="store_true", help="keep the tables in benchmarks/results/engine.txt, too")
    arguments.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    arguments.add_argument("--text", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--lenient", action="store_true", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    rounds, seed = options.rounds, options.seed
    if options.part:
        print(json.dumps(measured(options.part, options.text, rounds, seed, lenient=options.lenient)))
        return 0
    tables: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            path = Path(folder, str(size))
            path.write_text(text := text_of(size, random.Random(seed)), encoding="utf-8", newline="")
            suture, of_the_ast = run("suture", path, rounds, seed), run("ast", path, rounds, seed)
            suture["times"] |= {
                row: times for row, times in run("broken", path, rounds, seed)["times"].items() if row != PAUSE
            }
            tables.append(table(f"{len(text):,} characters", {"Suture": suture, "`ast.parse`": of_the_ast}))
            print(tables[-1], flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "typescript")
        path.write_text(text := typescript_text(TYPESCRIPT_SIZE), encoding="utf-8", newline="")
        title = f"{len(text):,} characters of TypeScript"
        tables.append(table(title, {"Suture": run("typescript", path, rounds, seed)}))
    print(tables[-1], flush=True)
    tables.append(table("40 files of 8 to 60 kB", {"Suture": run("files", None, 40, seed)}))
    print(tables[-1], flush=True)
    own = {name: run(f"{language}'s own lines", None, _FILES, seed) for name, language in OWN_LINES.items()}
    tables.append(table_of_names({name: part for name, part in own.items() if part["known"]}))
    print(tables[-1])
    if options.write:
        RESULTS.write_text("\n\n".join(tables) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

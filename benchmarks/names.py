"""The effect of the layers of Python's static semantics on completions: the same holes, the same weights, each layer on or off.

    python -m benchmarks.names [--holes 60] [--seed 1] [--seconds 300]

Holes are cut out of installed packages reserved from training (the SHA-256 of their name begins with 0 to 3): ends of lines, whole lines, and
the text in the parentheses of a call. `fails` counts completed files refused by `compile()`, `names` those in which pyflakes finds a new
undefined name, absent from the original file and the file with the hole; `taken` those that lost a binding of the removed text, so that
pyflakes finds a name undefined that the original file defines. Those impossible at a layer with names are written to the standard error as
JSON lines. An interrupted run reports its results.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import math
import random
import re
import statistics
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from pyflakes import checker, messages
from suture import model, parser
from suture.lsp_server.completion.proposing.filling import fill
from suture.lsp_server.completion.proposing.suggestion import LOOKS

KINDS = ("ends of lines", "whole lines", "arguments", "after a dot")
LAYERS = (*parser.LEVELS, "attributes", "ranking")  # each with those before it
_VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
_DOT = re.compile(r"(?<=[\w)\]]\.)(?=[^\W\d]\w*[^\n]*\n)")
_LONGEST = 30_000
_SHORTEST = 800


class CutOut(NamedTuple):
    """A hole and its original text."""

    kind: str
    left: str
    middle: str
    right: str
    path: str = ""


class Result(NamedTuple):
    """The text that fills a hole."""

    kind: str
    exact: bool
    open: bool
    fails: bool
    names: bool
    taken: bool
    ms: float
    check: float


def held_out_files(rng: random.Random) -> list[str]:
    """Texts of compiling Python files in reserved installed packages, in random order."""
    paths: list[Path] = []
    for distribution in metadata.distributions():
        name = (distribution.metadata["Name"] or "").lower()
        if not name or name == "suture" or hashlib.sha256(name.encode()).hexdigest()[0] not in "0123":
            continue
        paths += [
            Path(str(distribution.locate_file(path)))
            for path in distribution.files or ()
            if path.suffix == ".py" and "test" not in str(path)
        ]
    rng.shuffle(paths)
    return [str(path) for path in paths]


def compiles(text: str) -> bool:
    """Whether the running interpreter's compiler accepts a file."""
    try:
        compile(text, "<text>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def undefined(text: str) -> set[str]:
    """The names undefined by pyflakes; none where the text does not parse."""
    try:
        reported = checker.Checker(ast.parse(text)).messages
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {str(message.message_args[0]) for message in reported if isinstance(message, messages.UndefinedName)}


def cut_outs(text: str, rng: random.Random) -> Iterator[CutOut]:
    """One hole of each kind, where the text has a place for it."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    code = [n for n, line in enumerate(lines) if len(line.strip()) > 5 and not line.strip().startswith(("#", '"', "'"))]
    if code:
        number = rng.choice(code)
        line = lines[number].rstrip("\r\n")
        indent = len(line) - len(line.lstrip())
        begin = starts[number] + rng.randrange(indent + 1, len(line))
        end = starts[number] + len(line)
        yield CutOut(KINDS[0], text[:begin], text[begin:end], text[end:])
        number = rng.choice(code)
        line = lines[number].rstrip("\r\n")
        begin, end = starts[number] + len(line) - len(line.lstrip()), starts[number] + len(line)
        yield CutOut(KINDS[1], text[:begin], text[begin:end], text[end:])
    begins = {starts[number] for number in code}
    dots = [match.end() for match in _DOT.finditer(text) if text.rfind("\n", 0, match.end()) + 1 in begins]
    if dots:
        begin = rng.choice(dots)
        end = text.find("\n", begin)
        yield CutOut(KINDS[3], text[:begin], text[begin:end], text[end:])
    calls = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and node.args and node.lineno == node.end_lineno and text.isascii()
    ]
    if calls:
        node = rng.choice(calls)
        assert node.end_col_offset is not None
        end = starts[node.lineno - 1] + node.end_col_offset - 1
        begin = starts[node.lineno - 1] + node.args[0].col_offset
        if text[end : end + 1] == ")" and begin < end:
            yield CutOut(KINDS[2], text[:begin], text[begin:end], text[end:])


def main(arguments: list[str]) -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--holes", type=int, default=60, help="of each kind")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--layers", default=",".join(LAYERS), help="which, with commas between")
    options.add_argument("--kinds", default=",".join(KINDS), help="which, with commas between")
    options.add_argument(
        "--seconds", type=float, default=math.inf, help="of processor time, after which no hole is begun"
    )
    options.add_argument("--model", help="a folder or name; the embedded one unless given")
    given = options.parse_args(arguments)
    warnings.simplefilter("ignore")
    rng = random.Random(given.seed)
    holes: list[CutOut] = []
    kinds = given.kinds.split(",")
    counts = dict.fromkeys(kinds, 0)
    for path in held_out_files(rng):
        if min(counts.values()) >= given.holes:
            break
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if not _SHORTEST < len(text) < _LONGEST or not compiles(text):
            continue
        for hole in cut_outs(text, rng):
            if counts.get(hole.kind, given.holes) < given.holes:
                counts[hole.kind] += 1
                holes.append(hole._replace(path=path))
    loaded = model.load(given.model)
    python = parser.language("python", _VERSION)
    random.Random(given.seed).shuffle(holes)
    layers = given.layers.split(",")
    results: dict[str, list[Result]] = {layer: [] for layer in layers}
    end_s = time.process_time() + given.seconds
    with contextlib.suppress(KeyboardInterrupt):  # report the results so far
        for hole in holes:
            if time.process_time() > end_s:
                break
            results_of = [_fill(hole, layer, python, loaded) for layer in layers]
            for layer, result in zip(layers, results_of, strict=True):
                results[layer].append(result)
    _report(results, kinds)


def _fill(hole: CutOut, layer: str, python: parser.Language, loaded: model.Model) -> Result:
    """The text for a hole with one layer."""
    start = time.thread_time()
    imports = parser.imports_for("python", _VERSION, hole.path, at_once=True) if layer in LAYERS[3:] else None
    levels: dict[str, parser.Level] = {name: name for name in parser.LEVELS}
    level = levels.get(layer, "names")
    place = python.hole(hole.left, hole.right, level=level, imports=imports)
    options = model.Options(max_lines=0, max_tokens=64, looks_ms=5000, ranking=layer == LAYERS[-1])
    done = fill(place, hole.left, hole.right, loaded, replace(options, looks=LOOKS))
    ms = (time.thread_time() - start) * 1e3
    whole = hole.left + done.text + hole.right
    after, before = undefined(whole), undefined(hole.left + hole.middle + hole.right)
    result = Result(
        hole.kind,
        exact=done.text.strip() == hole.middle.strip(),
        open=not done.complete,
        fails=not compiles(whole),
        names=bool(after - before - undefined(hole.left + hole.right) - _needed(hole)),
        taken=bool(after - before),
        ms=ms,
        check=done.constraint_ms,
    )
    if layer in LAYERS[2:] and (result.open or result.fails or result.names):
        place_in = {"path": hole.path, "begin": len(hole.left), "end": len(hole.left) + len(hole.middle)}
        print(json.dumps({"layer": layer, **result._asdict(), **place_in, "text": done.text}), file=sys.stderr)
    return result


def _report(results: dict[str, list[Result]], kinds: list[str]) -> None:
    counted = ("exact", "open", "fails", "names", "taken")
    print(f"{'layer':11}{'kind':15}{'holes':>6}" + "".join(f"{name:>7}" for name in (*counted, "ms", "check")))
    before: list[Result] | None = None
    for layer, layered in results.items():
        for kind in kinds:
            rows = [result for result in layered if result.kind == kind]
            sums = "".join(f"{sum(getattr(result, name) for result in rows):7}" for name in counted)
            ms, check = (
                statistics.median([getattr(result, name) for result in rows] or [0]) for name in ("ms", "check")
            )
            print(f"{layer:11}{kind:15}{len(rows):6}{sums}{ms:7.0f}{check:7.1f}")
        if before is not None:
            pairs = list(zip(before, layered, strict=True))
            gained = sum(new.exact and not old.exact for old, new in pairs)
            lost = sum(old.exact and not new.exact for old, new in pairs)
            print(
                f"{layer:11}exact against the layer above: {gained} gained, {lost} lost, p = {sign_test(gained, lost):.3f}"
            )
        before = layered


def sign_test(gained: int, lost: int) -> float:
    """The probability of a difference this large by chance, in either direction."""
    count = gained + lost
    return min(1.0, 2 * sum(math.comb(count, k) for k in range(min(gained, lost) + 1)) / 2**count)


def _needed(hole: CutOut) -> set[str]:
    """The names read in the rest of the file and bound in the removed statement, or in a part of it."""
    whole = hole.left + hole.middle + hole.right
    first = hole.left.count("\n") + 1
    last = first + hole.middle.count("\n")
    lines = whole.split("\n")
    for node in ast.walk(ast.parse(whole)):
        if not isinstance(node, ast.stmt | ast.ExceptHandler):
            continue
        body: list[ast.stmt] = getattr(node, "body", [])
        end = node.end_lineno or node.lineno
        if body and body[0].lineno > node.lineno:  # of a compound statement, its header
            end = body[0].lineno - 1
        begin = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
        if end < first or last < node.lineno or isinstance(node, ast.Try):
            continue
        blank = " " * node.col_offset
        header = "except Exception:" if isinstance(node, ast.ExceptHandler) else "if True:"
        kept = header if body and end < body[0].lineno else "pass"
        lines[begin - 1 : end] = [blank + kept, *[""] * (end - begin)]
    return undefined("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])

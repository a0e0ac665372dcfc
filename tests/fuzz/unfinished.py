"""Files as they are written from top to bottom: is what is pending behind a hole enough, and is it pending where it is needed alone?

Each kind cuts valid files of a language within a line. Below the cut is nothing, or what stands at the margin further below: then the right
context with its closers must give a valid file with what was written in the line, and with any other text that is said to complete the hole.
Or below is all that was there: then nothing is pending behind the rest of the line, which makes the file valid. The judges are the languages' own.
"""

from __future__ import annotations

import json
import keyword
import random
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from suture.parser import language, pending_behind
from suture.parser.pending import mended

from ..support import oracle_go
from ..support.oracle_json import json_parses, json_text
from ..support.oracle_python import stdlib_sources

_LONGEST = 12_000
_WORD = re.compile(r"[^\W\d]\w*")
_PLAIN = {"Exception", "_"} | set(keyword.kwlist)
_MARGIN = re.compile(r"^[^\s)\]}#'\"]", re.MULTILINE)


@dataclass(frozen=True)
class Begun:
    """A file that is cut at a cursor."""

    left: str
    rest: str  # of the cursor's line, as it was
    right: str
    whole: bool  # is nothing taken out but the rest of the line?


def begun(text: str, rng: random.Random) -> Begun | None:
    """A cut in a line of a file; None where there is nothing to write."""
    at = rng.randrange(len(text))
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    start = text.rfind("\n", 0, at) + 1
    if not text[start:end].strip() or at > len(text[:end].rstrip()) or "__future__" in text[start:end]:
        return None  # a feature that does not exist is an error without any text, too
    left, rest = text[:at], text[at:end]
    kind = rng.choice(("whole", "nothing", "margin"))
    if kind == "whole":
        return Begun(left, rest, text[end:], True)
    below = _MARGIN.search(text, min(len(text), end + 1)) if kind == "margin" else None
    return Begun(left, rest, "\n" if below is None else "\n\n" + text[below.start() :], False)


def problems(name: str, sample: Begun) -> Iterator[tuple[str, str]]:
    """(a whole text that is said to be valid, or "", what is wrong otherwise) for a sample; the first is for a judge."""
    session = language(name).session()
    text, at = sample.left + sample.right, len(sample.left)
    level = "compile" if name == "python" else "syntax"
    hole = session.hole(text, at, level=level)
    if not hole.viable:
        return  # such as a string of several lines that is not closed
    found = session.mended(hole, text, at, level=level)
    words = {word for closer in found.pending for word in _WORD.findall(closer.text)}
    if words - (_PLAIN if name == "python" else set()):
        yield "", f"words: {found.pending}"
    assert found.state is not None
    for middle in (sample.rest, *found.state.bridges()):
        after = found.state.advance(middle)
        is_enough = after is not None and after.complete and not pending_behind(found, middle)
        if sample.whole and middle is sample.rest and not is_enough:
            yield "", f"pending: {found.pending}"
        if after is not None and after.complete:
            yield sample.left + middle + mended(sample.right, pending_behind(found, middle)), ""


def _python_sources(rng: random.Random, count: int) -> list[str]:
    return [text for text in stdlib_sources(rng, count, _LONGEST) if "\r" not in text and "\f" not in text]


def _go_sources(rng: random.Random, count: int) -> list[str]:
    return oracle_go.library_sources(rng, count, _LONGEST)


def _json_sources(rng: random.Random, count: int) -> list[str]:
    return [json.dumps(json.loads(json_text(rng)), indent=2) for _ in range(count)]


def _compiles(texts: list[str]) -> list[bool]:
    return [_is_python(text) for text in texts]


def _is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "x.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
    return True


_LANGUAGES: dict[str, tuple[Callable[[random.Random, int], list[str]], Callable[[list[str]], list[bool]]]] = {
    "python": (_python_sources, _compiles),
    "go": (_go_sources, oracle_go.parses),
    "json": (_json_sources, lambda texts: [json_parses(text) for text in texts]),
}


def campaign(name: str) -> Callable[[random.Random, int], tuple[int, list[dict[str, object]]]]:
    """The campaign of a language."""
    sources, judge = _LANGUAGES[name]

    def run(rng: random.Random, count: int) -> tuple[int, list[dict[str, object]]]:
        samples, texts, found = list[Begun](), list[tuple[str, Begun]](), list[dict[str, object]]()
        files = sources(rng, max(1, count // 8))
        while len(samples) < count:
            sample = begun(rng.choice(files), rng)
            if sample is not None:
                samples.append(sample)
        for sample in samples:
            for text, wrong in problems(name, sample):
                if wrong:
                    found.append(_failure(name, sample, wrong))
                else:
                    texts.append((text, sample))
        valid = judge([text for text, _ in texts])
        found += [
            _failure(name, one, "invalid: " + text[len(one.left) :][:200])
            for (text, one), ok in zip(texts, valid, strict=True)
            if not ok
        ]
        return len(samples), found

    return run


def _failure(name: str, sample: Begun, wrong: str) -> dict[str, object]:
    fields: dict[str, object] = {
        "check": "unfinished",
        "language": name,
        "left": sample.left,
        "middle": sample.rest,
        "right": sample.right,
    }
    return fields | {"whole": sample.whole, "wrong": wrong}


def is_mended(line: dict[str, object]) -> bool:
    """Is a line of the file of failures no failure (any more)?"""
    name = str(line["language"])
    sample = Begun(str(line["left"]), str(line["middle"]), str(line["right"]), bool(line["whole"]))
    found = list(problems(name, sample))
    return not any(wrong for _, wrong in found) and all(_LANGUAGES[name][1]([text for text, _ in found]))


KINDS = {f"unfinished-{name}": campaign(name) for name in _LANGUAGES}
COUNTS = dict.fromkeys(KINDS, 40)


def kinds() -> list[str]:
    """Those whose judges are here."""
    return [kind for kind in KINDS if kind != "unfinished-go" or oracle_go.goroot() is not None]

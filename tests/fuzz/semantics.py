"""Texts that parse and may not compile, or read unbound names: the static semantics against `compile()` and pyflakes.

Each kind yields holes with their texts; `disagreements` finds those on which the version's compiler, or pyflakes, disagrees.
"""

from __future__ import annotations

import random
import re
import sys
import zlib
from collections.abc import Callable, Iterator

from suture.parser import Session, language

from ..parser.compile_snippets import snippets
from ..support import oracle_names, oracles
from . import constructs
from .python import Sample, library

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"
_NAME = re.compile(r"(?<![\w.'\"])[^\W\d]\w*")
_STATEMENTS = (
    *("return", "return x", "yield x", "x = yield", "await x", "break", "continue", "pass", "del x", "x: int", "x: int = 1", "x += 1"),
    *("global x", "nonlocal x", "from os import *", "from __future__ import annotations", "from __future__ import nothing"),
    *("a, *b, *c = x", "*a, b = x", "(x := 1)", "[x := y for y in z]", "[y := 1 for y in z]", "[(yield) for x in y]"),
    *("lambda: (yield)", "__debug__ = 1", "f(x=1, x=2)", "f(**x, *y)", "async with x: pass", "async for x in y: pass"),
    *("[x async for x in y]", "import x", "import x.y as z", "print(f'{(yield)}')", "def x(a, a): pass", "lambda a, a: 1", "class x: y = x"),
    *("x = x", "for x in x: x", "with x as x: pass", "try: x\n{}except: y\n{}except z: w", "print(x, y)", "assert (x := y)"),
)  # fmt: skip
_WRAPPERS = (
    *("def f(x):", "async def f(x, *y):", "class A:", "class A(x):", "for x in y:", "while x:", "if x:", "with x as y:", "try:", "def x():"),
    *("async def g():", "else:", "except:", "except E as x:", "finally:", "match x:", "case x:", "case _:", "case [x, y]:", "def f[T](x: T):"),
    *("@x", "def f(x=x, *, y):", "def f(x: (y := 1)):", "class A[T]:", "except* E:"),
)  # fmt: skip

_BEHIND_STAR = re.compile(r"\bimport\s*\*[^\n]*;")
_STAR_IN_BRACKETS = re.compile(r"\(\s*\*[^*()]*\)")
_CUT_HEADER = re.compile(r"^([ \t]*)((?:async|def|class|for|while|if|elif|with)\b[^\n]*)\Z", re.MULTILINE)
_HEADERS = ("if ", "elif ", "while ", "for x in ", "with ", "class ", "def x(", "async def x(", "if x(", "if (")


def from_files(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Files of the version's library: the true middle of a cut, and the same after accidents typical for such errors."""
    for text in library(version, rng, count, 30_000, installed=rng.random() < 0.5):
        for _ in range(6):
            begin = rng.randrange(len(text))
            end = min(len(text), begin + rng.choice((10, 40, 80, 400)))
            if rng.random() < 0.6:  # whole lines
                begin, end = text.rfind("\n", 0, begin) + 1, text.find("\n", end) + 1 or len(text)
            sample = Sample(text[:begin], text[begin:end], text[end:])
            yield sample
            for _ in range(3):
                yield Sample(sample.left, accident(sample, rng), sample.right)


def from_snippets(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Short statements in random blocks, cut anywhere."""
    found = snippets()
    for _ in range(count):
        text = ""
        for _ in range(rng.choice((1, 1, 2, 3))):
            kind = rng.random()
            inner = rng.choice(found) if kind < 0.5 else rng.choice(_STATEMENTS).replace("{}", "")
            for _ in range(rng.choice((0, 1, 1, 2))):
                wrapper = rng.choice(_WRAPPERS)
                lines = inner.split("\n")
                inner = (
                    wrapper
                    + "\n"
                    + "\n".join("    " + line if line.strip() and wrapper[0] != "@" else line for line in lines)
                )
            text += inner.rstrip("\n") + "\n"
        begin = rng.randrange(len(text))
        yield Sample(text[:begin], text[begin : (end := rng.randrange(begin, len(text)) + 1)], text[end:])


KINDS: dict[str, Callable[[random.Random, int, str], Iterator[Sample]]] = {
    "compiled": from_files,
    "snippets": from_snippets,
    **constructs.KINDS,
    "named": from_files,
    "named-constructs": constructs.KINDS["constructs"],
}


def accident(sample: Sample, rng: random.Random) -> str:
    """The middle with a name put in place of another, a statement put in, a keyword repeated, lines moved or doubled, or another header."""
    middle, kind = sample.middle, rng.random()
    if (header := _CUT_HEADER.search(middle)) and rng.random() < 0.5:  # the rest and the body are behind the cut
        return middle[: header.start(2)] + rng.choice(_HEADERS)
    words = list(_NAME.finditer(middle))
    if kind < 0.35 and words:
        old = rng.choice(words)
        others = _NAME.findall(rng.choice((sample.left[-3000:], sample.right[:3000], middle))) or ["zzz"]
        return middle[: old.start()] + rng.choice((*rng.choices(others, k=4), "zzz")) + middle[old.end() :]
    if kind < 0.45 and "=" in middle:
        found = re.findall(r"\b\w+=[\w.]+", middle)
        return middle.replace(one := rng.choice(found), f"{one}, {one}", 1) if found else middle
    lines = middle.splitlines(keepends=True)
    at = rng.randrange(len(lines)) if lines else 0
    if kind < 0.6 and lines:
        line = lines.pop(at)
        lines.insert(rng.randrange(len(lines) + 1), line)
        return "".join(lines if rng.random() < 0.5 else [*lines, line])
    if kind < 0.7:
        words_in = rng.choice(
            (("async ", ""), ("def ", "async def "), ("def ", "class "), ("await ", ""), ("self, ", ""), (", ", ", *"))
        )
        return middle.replace(*words_in, 1)
    if kind < 0.8 and words:
        name = rng.choice(words)[0]
        return re.sub(rf"\b{name}\b", rng.choice(("x", "zzz", name + "_")), middle, count=1)
    indent = re.match(r"[ \t]*", lines[at])[0] if lines else ""  # type: ignore[index]
    name = rng.choice(words)[0] if words else "x"
    statement = re.sub(r"\bx\b", name, rng.choice(_STATEMENTS)).replace("{}", indent)
    lines.insert(at, indent + statement + "\n")
    return "".join(lines)


def accepts(version: str, sample: Sample, level: str, session: Session | None = None) -> bool:
    """Whether the middle completes the hole, written character by character, in pieces of a few, or at once."""
    session = session or language("python", version).session()
    hole = session.hole(sample.left + sample.right, len(sample.left), level=level, exact=True)  # type: ignore[arg-type]
    state = hole.state if hole.viable else None
    step = (1, 1, 7, len(sample.middle) + 1)[zlib.crc32(sample.text.encode(errors="replace")) % 4]
    for begin in range(0, len(sample.middle), step):
        state = state.advance(sample.middle[begin : begin + step]) if state is not None else None
    return state is not None and state.complete


def truths(version: str, samples: list[Sample], level: str) -> list[bool | None]:
    """The verdict of the version's compiler on each whole text, or pyflakes' on the names in its middle; None: none."""
    oracle = oracles.compiler(version)
    assert oracle is not None
    compiled = oracle.verdicts([sample.text for sample in samples])
    if level == "compile":
        return compiled
    return [_names_exist(sample) if valid else None for sample, valid in zip(samples, compiled, strict=True)]


def _names_exist(sample: Sample) -> bool | None:
    """pyflakes' verdict; None where it cannot parse the text, forgives a failure at run time, or a line has a name behind `import *`."""
    if _BEHIND_STAR.search(sample.text):
        return None
    answers = set[bool]()
    for strict in (False, True):
        without = oracle_names.undefined(sample.left + sample.right, strict)
        whole = oracle_names.undefined(sample.text, strict)
        if without is None or whole is None:
            return None
        answers.add(not whole - without)
    return answers.pop() if len(answers) == 1 else None


def disagreements(version: str, samples: list[Sample], level: str) -> list[tuple[Sample, bool]]:
    """(sample, the verdict of the compiler or pyflakes) where the semantics disagree."""
    samples = [s for s in samples if "\0" not in s.text and not s.text.startswith("\ufeff") and "\r" not in s.text]
    found: list[tuple[Sample, bool]] = []
    session, left = language("python", version).session(), None
    for sample, truth in zip(samples, truths(version, samples, level), strict=True):
        if sample.left != left:
            session, left = language("python", version).session(), sample.left
        if truth and version == "3.8" and _STAR_IN_BRACKETS.search(sample.text):
            continue  # `(x, (*y))`, accepted only by that version
        if truth is not None and accepts(version, sample, level, session) != truth:
            found.append((sample, truth))
    return found

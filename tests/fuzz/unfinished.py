"""Files written from top to bottom: the closers pending behind a hole suffice, and are pending only where needed.

Each kind cuts valid files of a language within a line. Below the cut is nothing, or only code at the margin further below: then the right
context with its closers must give a valid file with the line's own text, and with any other text said to complete the hole. Or below is the
whole rest: then nothing is pending behind the rest of the line, which makes the file valid. The judges are the languages' own.

"operators" cut within symbols spelled by the grammar, such as `==` and `and`: where the whole symbol and the rest of the line complete the
hole before it, the rest completes the hole within it. In an otherwise complete file they also cut out the line's text before a symbol, which
then touches the cursor: that text completes the hole, too.
"""

from __future__ import annotations

import json
import keyword
import random
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from suture.parser import language, pending_behind
from suture.parser.languages.python.versions import DEFAULT_VERSION, VERSIONS
from suture.parser.languages.typescript.tables import dialect_tables
from suture.parser.pending import mended

from ..support import oracle_go, oracle_typescript, oracles
from ..support.inside import runtime_of
from ..support.oracle_json import json_parses, json_text
from ..support.oracle_python import stdlib_sources
from . import constructs, typescript

_LONGEST = 12_000
_OPERATORS_IN_A_FILE = 4
_WORD = re.compile(r"[^\W\d]\w*")
_PLAIN = {
    "python": {"Exception", "_", "case"} | set(keyword.kwlist),
    "typescript": {"from", "class", "static", "_", "catch"},
}
_MARGIN = re.compile(r"^[^\s)\]}#'\"]", re.MULTILINE)


@dataclass(frozen=True)
class Begun:
    """A file cut at a cursor."""

    left: str
    rest: str  # of the cursor's line, in the original
    right: str
    whole: bool  # whether only the rest of the line is cut out


def begun(text: str, rng: random.Random) -> Begun | None:
    """A cut in a line of a file; None for a blank place."""
    return begun_at(text, rng.randrange(len(text)), rng)


def begun_at(text: str, at: int, rng: random.Random) -> Begun | None:
    """The same for a place, with one of the three right contexts."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    start = text.rfind("\n", 0, at) + 1
    if not text[start:end].strip() or at > len(text[:end].rstrip()) or "__future__" in text[start:end]:
        return None  # a nonexistent feature is an error without any text, too
    left, rest = text[:at], text[at:end]
    kind = rng.choice(("whole", "nothing", "margin")) if "nonlocal" not in left else "whole"
    if kind == "whole":
        return Begun(left, rest, text[end:], True)
    below = _MARGIN.search(text, min(len(text), end + 1)) if kind == "margin" else None
    return Begun(left, rest, "\n" if below is None else "\n\n" + text[below.start() :], False)


@cache
def _spelled(name: str) -> re.Pattern[str]:
    """The grammar's symbols of more than one character."""
    if name == "typescript":
        texts = set(dialect_tables("ts").texts)
    else:
        grammar = runtime_of(language(name)).grammar
        assert grammar is not None
        texts = set(grammar.texts.values())
    longest_first = sorted((text for text in texts if len(text) > 1), key=len, reverse=True)
    return re.compile("|".join(rf"\b{text}\b" if text.isalpha() else re.escape(text) for text in longest_first))


def at_operators(name: str, text: str, rng: random.Random) -> Iterator[tuple[Begun, Begun]]:
    """A cut at a symbol of a file, and another cut whose hole must be completed if the first is; none without a symbol in code."""
    engine = runtime_of(language(name)).engine
    symbols = list(_spelled(name).finditer(text))
    for symbol in rng.sample(symbols, min(len(symbols), _OPERATORS_IN_A_FILE)):
        before = engine.read_text(engine.start, text[: symbol.start()])
        cut = begun_at(text, symbol.start(), rng)
        if cut is None or before is None or engine.lexer.region(before.lex) != "code":
            continue
        within = rng.randrange(1, len(symbol[0]))
        yield cut, Begun(cut.left + symbol[0][:within], cut.rest[within:], cut.right, cut.whole)
        start = cut.left.rfind("\n") + 1
        blank = len(cut.left[start:]) - len(cut.left[start:].lstrip())
        at = rng.randrange(start + blank, len(cut.left) + 1)
        left, middle = cut.left[:at], cut.left[at:]
        if middle.strip() and cut.whole:
            yield Begun(left, middle + cut.rest, cut.right, True), Begun(left, middle, cut.rest + cut.right, True)


def is_enough(name: str, sample: Begun) -> bool:
    """Whether the rest of the line completes the hole."""
    session, text, at = language(*name.split()).session(), sample.left + sample.right, len(sample.left)
    found = session.mended(session.hole(text, at), text, at)
    after = None if found.state is None or found.fallback != "none" else found.state.advance(sample.rest)
    return after is not None and after.complete


def problems(name: str, sample: Begun) -> Iterator[tuple[str, str]]:
    """(a whole text claimed to be valid, or "", the fault otherwise) for a sample; the first is for a judge."""
    session = language(*name.split()).session()
    text, at = sample.left + sample.right, len(sample.left)
    level = "compile" if name.startswith("python") else "syntax"
    hole = session.hole(text, at, level=level)
    if not hole.viable:
        return  # such as an unclosed string of several lines
    found = session.mended(hole, text, at, level=level)
    words = {word for closer in found.pending for word in _WORD.findall(closer.text)}
    if words - _PLAIN.get(name.split()[0], set()):
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


def _newest_sources(rng: random.Random, count: int) -> list[str]:
    """Files of constructs in their blocks, accepted by the newest compiler available."""
    files = ["".join(constructs.construct(rng) for _ in range(rng.choice((1, 2, 4)))) for _ in range(8 * count)]
    return [
        text
        for text, is_valid in zip(files, _compiles_newest(files), strict=True)
        if is_valid and "__future__" not in text
    ] or ["pass\n"]


def _compiles_newest(texts: list[str]) -> list[bool]:
    compiler = oracles.compiler(NEWEST)
    assert compiler is not None
    return [verdict is not False for verdict in compiler.verdicts(texts)]


def _go_sources(rng: random.Random, count: int) -> list[str]:
    return oracle_go.library_sources(rng, count, _LONGEST)


def _typescript_sources(rng: random.Random, count: int) -> list[str]:
    paths = typescript.sources("ts", (300, _LONGEST))
    return [typescript.read(path)[0] for path in rng.sample(paths, min(count, len(paths)))]


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


NEWEST = next((version for version in reversed(VERSIONS) if oracles.find(version)), DEFAULT_VERSION)
"""The newest Python with a compiler here."""
_LANGUAGES: dict[str, tuple[Callable[[random.Random, int], list[str]], Callable[[list[str]], list[bool]]]] = {
    "python": (_python_sources, _compiles),
    f"python {NEWEST}": (_newest_sources, _compiles_newest),
    "go": (_go_sources, oracle_go.parses),
    "typescript": (_typescript_sources, lambda texts: [oracle_typescript.parses(text, "ts") for text in texts]),
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


def operators(name: str) -> Callable[[random.Random, int], tuple[int, list[dict[str, object]]]]:
    """The campaign of a language's symbols."""

    def run(rng: random.Random, count: int) -> tuple[int, list[dict[str, object]]]:
        asked, found = 0, list[dict[str, object]]()
        files = _LANGUAGES[name][0](rng, max(1, count // 8))
        while asked < count:
            for whole, sample in at_operators(name, rng.choice(files), rng):
                if is_enough(name, whole):
                    asked += 1
                    if not is_enough(name, sample):
                        found.append(_failure(name, sample, "operator"))
        return asked, found

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
    """Whether a line of the file of failures is fixed."""
    name = str(line["language"])
    sample = Begun(str(line["left"]), str(line["middle"]), str(line["right"]), bool(line["whole"]))
    if line["wrong"] == "operator":
        return is_enough(name, sample)
    found = list(problems(name, sample))
    return not any(wrong for _, wrong in found) and all(_LANGUAGES[name][1]([text for text, _ in found]))


KINDS = {f"unfinished-{name.replace(NEWEST, 'new').replace(' ', '-')}": campaign(name) for name in _LANGUAGES} | {
    f"operators-{name}": operators(name) for name in _LANGUAGES if " " not in name
}
COUNTS = dict.fromkeys(KINDS, 40)


def kinds() -> list[str]:
    """The kinds with their judges here."""
    missing = set[str]()
    if oracle_go.goroot() is None:
        missing |= {"unfinished-go", "operators-go"}
    if oracle_typescript.missing() is not None:
        missing.add("unfinished-typescript")
    return [kind for kind in KINDS if kind not in missing]

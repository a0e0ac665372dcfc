"""Campaigns about TypeScript's errors independent of types, and about names, with TypeScript's checker and acorn as oracles.

ts-bodies    small random programs (typescript_bodies.py) are refused exactly where the checker finds one of the errors in scope; js: where
             acorn does
ts-joined    the same programs, cut anywhere: both sides, read each on its own, mean the same as the whole
ts-middles   the true middle of a cut is never refused at the level of names, at once and character for character; files are the project's own, or those below the folder SUTURE_FUZZ_TYPESCRIPT
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from suture.parser import language
from suture.parser.hole import HoleState
from suture.parser.languages.typescript.project import DIALECTS
from suture.parser.languages.typescript.semantics.document import Document
from suture.parser.languages.typescript.semantics.joining import Outcome
from suture.parser.languages.typescript.semantics.kinds import Use
from suture.parser.languages.typescript.semantics.libraries import library

from ..support import oracle_typescript as oracle
from ..support.oracle_typescript import Error
from .typescript_bodies import Bodies

Fields = dict[str, object]


def _codes(text: str) -> frozenset[int]:
    return frozenset(map(int, re.findall(r"\d+", text)))


NAMES = _codes(
    """2301 2304 2503 2552 2580 2581 2582 2583 2584 2585 2591 2592 2593 2662 2663 2686 2693 2694 2702 2708 2709 2713 2724 2749 2833 2868 18004"""
)
"""The checker's errors about a name that does not exist, or not in the role it is read in."""
COVERED = _codes(
    """1016 1102 1103 1104 1105 1107 1108 1113 1114 1115 1116 1117 1163 1184 1214 1232 1233 1244 1245 1308 1355 1375 1378 2300 2337 2338 2369 2389 2392 2393 2451
    2492 2528 2567 2588 2628 2629 2632 2660 2661 2815 17013 18016 18037 18038"""
)
"""Errors in scope. The checker may report one of them as another."""
POSSIBLE = _codes(
    """1344 1361 2302 2323 2449 2481 2630 2309 2339 2371 2372 2373 2376 2391 2395 2397 2440 2448 2450 2484 2526 2631 2651 2652 2669 2670 2813 2814 17009 17011"""
)
"""Errors in scope only in part: they may be found."""


def dialect_of(rng: random.Random) -> str:
    """One of the dialects."""
    return rng.choice(("ts", "ts", "tsx", "js"))


def whole(text: str, dialect: str, version: str = "5.9", cut: int = 0) -> list[Outcome]:
    """The errors in a file, for each way to read it; version: of TypeScript; cut: where to read it in two parts."""
    document = Document(dialect, version=version)
    return document.outcomes(document.before(text, cut), cut)


def names_of(outcome: Outcome) -> set[str]:
    """The nonexistent names in a module."""
    if not outcome.module:
        return set()
    read = Use.VALUE | Use.TYPE | Use.SPACE | Use.ANY | Use.QUERY
    return {name for name, how in outcome.free.items() if how & read and not library().has(name, how & read)}


_NO_NAMESPACE = 2713
"""A type is read as a namespace: this message names a property, too."""


def said_of(errors: Iterable[Error]) -> set[str]:
    """The nonexistent names in the checker's errors."""
    found: set[str] = set()
    for error in errors:
        if error.code in NAMES:
            m = error.code != _NO_NAMESPACE and re.search(r"(?:name|namespace|property) '([^']*)'", error.message)
            m = m or re.search(r"'([^']*)'", error.message)
            found.add(m[1].split(".")[0] if m is not None else error.message)
    return found


def _is_sloppy(text: str, outcome: Outcome) -> bool:
    """Whether it uses words as names that are names only in scripts."""
    return not outcome.module and re.search(r"\b(?:yield|await|label)\b|:|#", text) is not None


_LENIENT = re.compile(r"\bnamespace |\bglobal |get \w\(\): any")
"""Texts in which errors may be missed: other parts of a namespace may declare its names."""


def disagreement(text: str, dialect: str) -> str | None:
    """The disagreement with the oracle; None without one, or where the text does not parse."""
    if dialect == "js":
        return _against_acorn(text)
    if oracle.typescript(text, dialect):
        return None
    found = whole(text, dialect)
    if not found:
        return "not understood"
    outcome = min(found, key=lambda one: len(one.errors))
    said = oracle.checker(text, dialect)
    codes = {error.code for error in said}
    sought = codes & COVERED
    if outcome.errors and "extends" in text and all(error.startswith("'#") for error in outcome.errors):
        return None  # no errors are reported about a private name in a class with an unknown base
    if outcome.errors and not (
        sought or codes & POSSIBLE or 2304 in codes or any(1000 <= code < 2000 for code in codes)
    ):
        return None if _is_sloppy(text, outcome) else f"refused: {min(outcome.errors)}"
    if _LENIENT.search(text) is None and sought and not outcome.errors and not _is_sloppy(text, outcome):
        return f"not refused: {min(sought)}"
    if outcome.module and not outcome.errors and not codes & (COVERED | POSSIBLE):
        mine, theirs = names_of(outcome), said_of(said)
        if mine - theirs:
            return f"names refused: {sorted(mine - theirs)}"
        missed = theirs - mine - {"arguments"}
        if missed and not _LENIENT.search(text) and not re.search(r"\btypeof\b|\binfer\b", text):
            return f"names not refused: {sorted(missed)}"
    return None


_NO_EARLY_ERROR = re.compile(r"Unexpected|Unterminated|reserved|Assigning to rvalue|Binding|keyword|Malformed")


def _against_acorn(text: str) -> str | None:
    said = oracle.acorn(text)
    if said is not None and _NO_EARLY_ERROR.search(said):
        return None
    found = whole(text, "js")
    if not found:
        return "not understood" if said is None else None
    errors = {
        error
        for error in min(found, key=lambda one: len(one.errors)).errors
        if not error.startswith("cannot assign") and not error.endswith("before its declaration")
    }
    if errors and said is None:
        return f"refused: {min(errors)}"
    if said is not None and not errors and found[0].module and not _is_of_modules(text, said):
        return f"not refused: {said}"
    return None


def _is_of_modules(text: str, said: str) -> bool:
    """Whether it is a function beside another declaration of its name, refused only in modules and blocks."""
    m = re.search(r"Identifier '([^']*)' has already", said)
    return m is not None and re.search(rf"function\*? {m[1]}\b|\({m[1]}\b|\b{m[1]}\)", text) is not None


def program(rng: random.Random, dialect: str) -> str:
    """A random program."""
    return Bodies(rng, ts=dialect != "js").program()


def bodies(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Random programs, against the checker or acorn."""
    found: list[Fields] = []
    for _ in range(count):
        dialect = dialect_of(rng)
        text = program(rng, dialect)
        problem = disagreement(text, dialect)
        if problem is not None:
            found.append({"check": "ts-body", "dialect": dialect, "text": text, "problem": problem})
    return count, found


def _meaning(outcomes: list[Outcome]) -> list[tuple[frozenset[str], frozenset[tuple[str, int]], bool]]:
    """The meaning of the best readings. A name declared in an outer scope counts as that one, though an inner scope may declare it later:
    only a cut between them tells."""
    fewest = min((len(one.errors) for one in outcomes), default=0)
    found = [
        (frozenset(error for error in one.errors if not _ORDER.search(error)), frozenset(one.free.items()), one.module)
        for one in outcomes
        if len(one.errors) == fewest
    ]
    return found[:1]


_ORDER = re.compile(r"before its declaration$|^cannot assign")


def joined(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Random programs, cut anywhere in a persistent document."""
    found: list[Fields] = []
    for _ in range(count):
        dialect = dialect_of(rng)
        text = "".join(program(rng, dialect) for _ in range(rng.randrange(1, 4)))
        found += _joined(text, dialect, rng)
    return count, found


def _joined(text: str, dialect: str, rng: random.Random, cuts: int = 5) -> list[Fields]:
    expected = _meaning(whole(text, dialect))
    document = Document(dialect)
    found: list[Fields] = []
    for _ in range(cuts):
        at = rng.randrange(len(text) + 1)
        if _meaning(document.outcomes(document.before(text, at), at)) != expected:
            found.append({"check": "ts-joined", "dialect": dialect, "text": text, "at": at})
    return found


_LANGUAGES = {"ts": "typescript", "tsx": "typescriptreact", "js": "javascriptreact"}
_LONGEST = 40_000
_CUTS = 5
"""Cuts in each file."""


@cache
def _sources() -> tuple[Path, ...]:
    own = Path(__file__).resolve().parents[2] / "editors"
    folder = Path(os.environ.get("SUTURE_FUZZ_TYPESCRIPT", own))
    found = (path for path in folder.rglob("*") if path.suffix in DIALECTS and path.is_file())
    return tuple(
        sorted(path for path in found if "node_modules" not in path.parts and 100 < path.stat().st_size <= _LONGEST)
    )


def middles(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """True middles of parsing files, with their own unknown names as known."""
    asked, found = 0, list[Fields]()
    for _ in range(-(-count // _CUTS)):
        path = rng.choice(_sources())
        text, dialect = path.read_text("utf-8", "replace"), DIALECTS[path.suffix]
        free = {name for outcome in whole(text, dialect) for name in outcome.free}
        session = language(_LANGUAGES[dialect]).session(path)
        session.elsewhere = frozenset(free)
        for _ in range(_CUTS):
            begin = rng.randrange(len(text))
            end = min(len(text), begin + rng.randrange(1, rng.choice((5, 20, 60, 200))))
            line = {"check": "ts-middle", "dialect": dialect, "text": text, "at": begin, "end": end}
            if _is_refused(session.hole(text[:begin] + text[end:], begin, level="syntax").state, text[begin:end]):
                continue  # the grammar's business
            asked += 1
            for pieces in ([text[begin:end]], list(text[begin:end])):
                hole = session.hole(text[:begin] + text[end:], begin, level="names")
                if _is_refused(hole.state, *pieces):
                    found.append({**line, "whole": len(pieces) == 1, "elsewhere": sorted(free)})
    return asked, found


def _is_refused(state: HoleState | None, *pieces: str) -> bool:
    for piece in pieces:
        state = state.advance(piece) if state is not None else None  # type: ignore[assignment]
    return state is None or not state.complete


def is_mended(line: Fields) -> bool:
    """Whether a line of the file of failures is fixed."""
    text, dialect = str(line["text"]), str(line["dialect"])
    if line["check"] == "ts-body":
        return disagreement(text, dialect) is None
    at = int(str(line["at"]))
    if line["check"] == "ts-middle":
        end = int(str(line["end"]))
        known = frozenset(str(name) for name in line["elsewhere"])  # type: ignore[attr-defined]
        hole = language(_LANGUAGES[dialect]).hole(text[:at], text[end:], level="names", elsewhere=known)
        return not _is_refused(hole.state, *([text[at:end]] if line["whole"] else text[at:end]))
    document = Document(dialect)
    return _meaning(document.outcomes(document.before(text, at), at)) == _meaning(whole(text, dialect))


KINDS: dict[str, Callable[[random.Random, int], tuple[int, list[Fields]]]] = {
    "ts-bodies": bodies,
    "ts-joined": joined,
    "ts-middles": middles,
}
COUNTS = {"ts-bodies": 200, "ts-joined": 60, "ts-middles": 25}

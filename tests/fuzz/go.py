"""Go's campaigns: cuts of the standard library's files, whole packages known, with Go's own tools as oracles.

go-middles    the true middle of a cut is never refused, character for character, at each level
go-verdicts   a changed middle is refused at the level of names exactly where go/types finds one of the errors in scope
go-bodies     the same of small files of random statements (go_bodies.py)
go-uses       the same of names, literals and declarations where they may stand or not (go_uses.py)
go-forms      every form in every place (go_forms.py): accepted only if both of Go's parsers accept it, and certainly if it has no type error
go-mutants    a text accepted after an accident parses with go/parser
go-random     completions of a model with random logits, held to the hole, parse with go/parser
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from suture.parser import Session, language
from suture.parser.hole import LEVELS, HoleState, Level
from suture.parser.languages.go.package import declared_names, package_name
from suture.parser.languages.go.semantics.imports import imports_of, known_name

from ..support import oracle_go
from ..support.oracle_python import corrupted, cut
from . import go_forms, go_oracle, go_uses
from .go_bodies import Bodies

Fields = dict[str, object]
_LONGEST = 60_000
_HOLES = 5
"""Holes in each file."""
_WORD = re.compile(r"[^\W\d]\w*")
_SCRAPS = (*"(){}[];,.:=+-*/<>!&|\"'`\n \t0x", "func ", "if ", "for ", "return", ":=", "...", "//", "/*", "<-")
_STATEMENTS = (
    "break", "continue", "fallthrough", "return", "goto L", "L:", "for {\n}", "_ = 1", "new0 := 1", "var new1 int", "panic(1)",
    "if true {\n\tbreak\n}", "for {\n\tbreak\n}", "switch {\ncase true:\n\tfallthrough\ndefault:\n}", "func() int {\n}()", "const new2 = 1",
    "select {}", "L:\nfor {\n\tcontinue L\n}", "goto L\nL:", "1", "new5", "new6 := nil", "_ = iota", "_ = _", "return 1", "return 1, 2", "new7, new8 := 1", "(panic)(1)", "_, _ = 1", "type new9 struct{ a, a int }", "switch new3 := any(1).(type) {\n}", "for new4 := range 3 {\n}",
)  # fmt: skip
# The errors of go/types in scope. An undefined name with a point belongs to a package not read by the oracle.
_ERRORS = re.compile(
    r": (\S+ declared and not used|declared and not used: |\"[^\"]*\" imported( as \S+)? and not used|undefined: [^.\s]+$|missing return|label \S+ (not|declared and not|already|de)|invalid (break|continue) label"
    r"|goto \S+ jumps|break not in|continue not in|break is not|continue is not|fallthrough statement out|cannot fallthrough|\S+ redeclared|\S+ repeated on left|no new variable|duplicate method|result parameter"
    r"|method \S+ already declared|\S+ already declared through|missing init expr|extra init expr|cannot use _ as value|cannot use iota outside|use of untyped nil in (assignment|variable decl)"
    r"|assignment mismatch: .* but \d+ value|field and method with the same name|multiple defaults|func init must|func init has no body|cannot declare init|\(*nil\)* is not constant|methods must have a unique non-blank|[^\n]*[^)\s] \([^\n]*\) is not used$)"
)
# Errors detected where they need no types.
_POSSIBLE = re.compile(
    r"return values|is not used|assignment mismatch|must be called|invalid recursive type|initialization cycle|not in selector|is not a(n expression| type)|cannot call non-function"
    r"|argument(s)? in (call|conversion)|invalid operation|used as value|non-boolean|cannot assign|not constant|must be constant|duplicate|multiple nil cases|invalid receiver|non-local type|invalid import path"
    r"|(few|many) values in struct|unknown field|mixture of|missing key|discards result|must be function call|invalid array length|multiple-value|use of untyped nil|non-name|is not a package"
)


def library() -> list[Path]:
    """The standard library's files."""
    root = oracle_go.goroot()
    assert root is not None
    return sorted(path for path in (root / "src").rglob("*.go") if "testdata" not in path.parts)


@cache
def _files() -> tuple[Path, ...]:
    return tuple(library())


def _some(rng: random.Random, count: int) -> Iterator[tuple[Path, str]]:
    while count > 0:
        path = rng.choice(_files())
        text = path.read_text(encoding="utf-8")
        if 100 < len(text) <= _LONGEST:
            count -= 1
            yield path, text


def _cuts(rng: random.Random, count: int) -> Iterator[tuple[Path, str, Session]]:
    """Files, each several times, with a session of its own."""
    for path, text in _some(rng, -(-count // _HOLES)):
        session = language("go").session()
        for _ in range(min(_HOLES, count)):
            yield path, text, session
        count -= _HOLES


@cache
def _declared(folder: Path) -> tuple[tuple[Path, str | None, frozenset[str]], ...]:
    found: list[tuple[Path, str | None, frozenset[str]]] = []
    for path in sorted(folder.glob("*.go")):
        text = path.read_text(encoding="utf-8")
        found.append((path, package_name(text), declared_names(text, "1.27")))
    return tuple(found)


def elsewhere(path: Path, text: str) -> frozenset[str]:
    """The names declared in a package's other files."""
    own = package_name(text)
    return frozenset[str]().union(
        *(names for other, package, names in _declared(path.parent) if other != path and package == own)
    )


def reached(
    left: str,
    middle: str,
    right: str,
    level: Level,
    known: frozenset[str] | None,
    *,
    exact: bool = False,
    whole: bool = False,
    session: Session | None = None,
) -> HoleState | None:
    """The state after a middle, character by character or at once; None where it is refused."""
    session = session or language("go").session()
    session.elsewhere = known
    found = session.hole(left + right, len(left), level=level, exact=exact)
    state = found.state if found.viable else None
    for piece in (middle,) if whole else middle:
        state = state.advance(piece) if state is not None else None
    return state


def _fields(
    left: str, middle: str, right: str, level: Level, known: frozenset[str], *, valid: bool, **more: object
) -> Fields:
    words = set(_WORD.findall(left + middle + right))
    return {
        "check": "go",
        "left": left,
        "middle": middle,
        "right": right,
        "level": level,
        "elsewhere": sorted(known & words),
        "valid": valid,
        **more,
    }


def accepts(line: Fields) -> bool:
    """Whether the middle of a line of the file of failures is accepted."""
    known = line.get("elsewhere")
    names = None if known is None else frozenset(str(name) for name in known)  # type: ignore[attr-defined]
    level: Level = str(line.get("level", "syntax"))  # type: ignore[assignment]
    state = reached(
        str(line["left"]),
        str(line["middle"]),
        str(line["right"]),
        level,
        names,
        exact=bool(line.get("exact")),
        whole=bool(line.get("whole")),
    )
    return state is not None and state.complete


def is_mended(line: Fields) -> bool:
    """Whether a line of the file of failures is fixed."""
    if line["check"] == "go":
        return accepts(line) == line["valid"]
    known = line.get("elsewhere")
    names = None if known is None else frozenset(str(name) for name in known)  # type: ignore[attr-defined]
    state = reached(str(line["left"]), str(line["middle"]), str(line["right"]), str(line.get("level", "syntax")), names)  # type: ignore[arg-type]
    return state is not None and bool(state.bridges())


def middles(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """True middles of cuts, long and short."""
    found: list[Fields] = []
    for path, text, session in _cuts(rng, count):
        left, middle, right = cut(text, rng, rng.choice((20, 100, 100, 600)))
        known = elsewhere(path, text)
        level = rng.choice(LEVELS)
        # A text that reaches into another function may read its own later declarations: judge it whole.
        whole = level == "names" and re.search(r"^\S", middle, re.M) is not None
        state = reached(left, middle, right, level, known, whole=whole, session=session)
        if state is None or not state.complete:
            found.append(_fields(left, middle, right, level, known, valid=True, whole=whole))
    return count, found


def verdicts(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Changed middles, against go/types."""
    asked, found = 0, []
    for path, text in _some(rng, count):
        known = elsewhere(path, text)
        if any(map(_ERRORS.search, _said(path, text))):
            continue  # the declarations of other files depend on build constraints
        for _ in range(4):
            lines = text.splitlines(keepends=True)
            at = rng.randrange(len(lines))
            last = min(len(lines), at + rng.randrange(1, 6))
            left, middle, right = "".join(lines[:at]), "".join(lines[at:last]), "".join(lines[last:])
            middle = changed(middle, text, rng)
            if {one.path for one in imports_of(left + middle + right)} - {one.path for one in imports_of(text)}:
                continue  # the name of a nonexistent package is unknown
            syntax = reached(left, middle, right, "syntax", None)
            if syntax is None or not syntax.complete:
                continue
            asked += 1
            said = [error for error in _said(path, left + middle + right) if not _is_elsewhere(error, known)]
            found += _judged(left, middle, right, known, said)
    return asked, found


def _judged(left: str, middle: str, right: str, known: frozenset[str], said: list[str]) -> list[Fields]:
    """A failure, where the verdict on a file at the level of names differs from go/types'."""
    if any(error.startswith("syntax: ") for error in said):
        return []
    lines = (left + middle + right).split("\n")
    certain = [error for error in said if _ERRORS.search(error) and not _may_be_of_a_map(error, lines)]
    state = reached(left, middle, right, "names", known, exact=True, whole=True)
    taken = state is not None and state.complete
    if taken == (not certain) or (not taken and said):
        return []
    return [_fields(left, middle, right, "names", known, valid=not taken, exact=True, whole=True, said=said[:3])]


def _may_be_of_a_map(error: str, lines: list[str]) -> bool:
    """Whether it is about the number of an index's values, known only from its type."""
    place = re.search(r"x\.go:(\d+):\d+: assignment mismatch: 2 variables but 1 value", error)
    return place is not None and re.search(r"= \(*\w+\[[^\]]*\]\)*(?:; | *\{?$)", lines[int(place[1]) - 1]) is not None


def bodies(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Small files with random statements, against go/types."""
    found: list[Fields] = []
    for _ in range(count):
        text = Bodies(rng).file()
        at = sorted(rng.randrange(len(text)) for _ in range(2))
        said = [error for error in go_oracle.errors(text) if _is_sought(error)]
        found += _judged(text[: at[0]], text[at[0] : at[1]], text[at[1] :], frozenset(), said)
    return count, found


def uses(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Names, literals and declarations where they may stand or not, against go/types."""
    found: list[Fields] = []
    for _ in range(count):
        text = go_uses.file(rng)
        said = go_uses.errors(text)
        if any(error.startswith("syntax: ") for error in said):
            continue
        at = sorted(rng.randrange(len(text)) for _ in range(2))
        left, middle, right = text[: at[0]], text[at[0] : at[1]], text[at[1] :]
        state = reached(left, middle, right, "names", frozenset(), exact=True, whole=True)
        taken = state is not None and state.complete
        if taken if any(go_uses.is_sought(error) for error in said) else not taken and not said:
            found.append(
                _fields(
                    left, middle, right, "names", frozenset(), valid=not taken, exact=True, whole=True, said=said[:3]
                )
            )
    return count, found


def changed(middle: str, text: str, rng: random.Random) -> str:
    """A middle of whole lines after an accident that often parses."""
    lines, kind = middle.splitlines(keepends=True), rng.randrange(6)
    at = rng.randrange(len(lines) + 1)
    if kind == 0:
        lines[at:at] = [rng.choice(_STATEMENTS) + "\n"]
    elif kind == 1:
        lines[at : at + 1] = []
    elif kind == 2:
        lines[at:at] = lines[at : at + 1]
    elif kind == 3:
        lines = [
            line.replace(*rng.choice(((":=", "="), (" = ", " := "), ("return", "_ ="), ("break", "continue"))))
            for line in lines
        ]
    else:
        words, names = list(_WORD.finditer(middle)), _WORD.findall(text)
        if words and names:
            word = rng.choice(words)
            return middle[: word.start()] + rng.choice((rng.choice(names), word[0] + "0")) + middle[word.end() :]
    return "".join(lines)


def forms(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Forms in places, against both parsers and go/types."""
    found: list[Fields] = []
    session = language("go").session()
    for _ in range(count):
        text = go_forms.file(rng)
        left, middle, right = go_forms.cut(text, rng)
        state = reached(left, middle, right, "syntax", None, session=session)
        valid = go_forms.verdict(text)
        if valid is not None and (state is not None and state.complete) != valid:
            found.append(_fields(left, middle, right, "syntax", frozenset(), valid=valid))
    return count, found


def mutants(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Texts accepted after an accident must parse."""
    accepted: list[tuple[str, str, str]] = []
    for _, text, session in _cuts(rng, count):
        left, middle, right = cut(text, rng, 60)
        middle = corrupted(middle, rng, _SCRAPS)
        state = reached(left, middle, right, "syntax", None, session=session)
        if state is not None and state.complete:
            accepted.append((left, middle, right))
    return count, _not_parsed(accepted, "syntax")


def completions(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Texts of a model with random logits under the constraint: pieces of the vocabulary in random order, then a bridge."""
    found: list[tuple[str, str, str]] = []
    missing: list[Fields] = []
    level = rng.choice(LEVELS)
    for path, text, session in _cuts(rng, count):
        left, _, right = cut(text, rng, 200)
        known = elsewhere(path, text)
        written, state = randomly(left, right, level, known, rng, session)
        if state is None:
            missing.append(_fields(left, "", right, level, known, valid=True, check="go-bridge"))
        elif written is not None:
            found.append((left, written, right))
    return count, missing + _not_parsed(found, level)


def randomly(
    left: str, right: str, level: Level, known: frozenset[str], rng: random.Random, session: Session
) -> tuple[str | None, HoleState | None]:
    """(a random completion, or None where it could not be ended; the hole's last state)."""
    session.elsewhere = known
    found = session.hole(left + right, len(left), level=level)
    state = found.state if found.viable else None
    if state is None:
        return None, None
    pieces = (*_SCRAPS, *_WORD.findall(left[-2_000:] + right[:2_000]), " ", "\n", "\t", "}", ")")
    written = ""
    for _ in range(rng.randrange(1, 40)):
        after = None
        for _ in range(8):
            piece = rng.choice(pieces)
            after = state.advance(piece)
            if after is not None:
                written, state = written + piece, after
                break
        if after is None:
            break
    if state.complete:
        return written, state
    bridges = state.bridges()
    return (written + bridges[0] if bridges else None), state


def _not_parsed(samples: list[tuple[str, str, str]], level: Level) -> list[Fields]:
    parsed = oracle_go.parses(["".join(sample) for sample in samples]) if samples else []
    return [
        _fields(*sample, level, frozenset(), valid=False)
        for sample, is_so in zip(samples, parsed, strict=True)
        if not is_so
    ]


KINDS: dict[str, Callable[[random.Random, int], tuple[int, list[Fields]]]] = {
    "go-middles": middles,
    "go-verdicts": verdicts,
    "go-bodies": bodies,
    "go-uses": uses,
    "go-forms": forms,
    "go-mutants": mutants,
    "go-random": completions,
}
COUNTS = {
    "go-middles": 100,
    "go-verdicts": 20,
    "go-bodies": 200,
    "go-uses": 400,
    "go-forms": 2000,
    "go-mutants": 100,
    "go-random": 40,
}


def _said(path: Path, text: str) -> list[str]:
    """The errors in scope in a file of a package."""
    siblings = [str(other) for other, _, _ in _declared(path.parent) if other != path and _is_built(other, path)]
    return [
        error
        for error in go_oracle.errors(text, path.name, siblings)
        if error.startswith((path.name + ":", "syntax: ")) and _is_sought(error) and not _is_unknown(error)
    ]


def _is_sought(error: str) -> bool:
    return error.startswith("syntax: ") or _ERRORS.search(error) is not None or _POSSIBLE.search(error) is not None


def _is_elsewhere(error: str, known: frozenset[str]) -> bool:
    """Whether it is about a name declared in a file for other systems only."""
    found = re.search(r": undefined: (\w+)$", error)
    return found is not None and found[1] in known


def _is_unknown(error: str) -> bool:
    """Whether it is about an import whose package name is known only to its own files."""
    found = re.search(r": \"([^\"]*)\" imported", error)
    return found is not None and known_name(found[1]) is None


@cache
def _constrained(path: Path) -> bool:
    head = path.read_text(encoding="utf-8")[:4_000]
    return (
        re.search(r"^//go:build ", head, re.M) is not None
        or re.search(
            r"_(linux|windows|darwin|\w*bsd|solaris|aix|plan9|js|wasip1|wasm|android|ios|illumos|dragonfly|amd64|arm64|386|arm|mips\w*|ppc64\w*|riscv64|s390x|loong64)(_test)?\.go$",
            path.name,
        )
        is not None
    )


def _is_built(other: Path, path: Path) -> bool:
    """Whether a file of the package is built together with another on every system."""
    return not _constrained(other) and (path.name.endswith("_test.go") or not other.name.endswith("_test.go"))

"""Campaigns about the grammars of TypeScript and JavaScript, with TypeScript's parser and checker, acorn and Babel as oracles.

ts-files      a file is accepted exactly if it parses, and then each of its beginnings is viable
ts-cuts       a true middle of a file that parses makes a complete hole
ts-mutants    a text accepted after an accident to a symbol parses with TypeScript's parser; a refused one that parses has a grammar error of
              the checker's, or of acorn's
ts-random     a random text under the constraint, ended by a bridge, parses

Files are the project's own, or those below the folders SUTURE_FUZZ_TYPESCRIPT, joined as in PATH. `python -m tests.fuzz.typescript` goes
through all of them once, or makes a given number of mutants and so on, and counts the refusals by class.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from suture.parser import Language, Session, language
from suture.parser.hole import HoleState
from suture.parser.languages.typescript.project import DIALECTS
from suture.parser.languages.typescript.semantics.tokens import KEYWORDS

from ..support import oracle_typescript as oracle
from ..support.inside import runtime_of
from ..support.oracle_python import cut

Fields = dict[str, object]
LANGUAGES = {"ts": "typescript", "tsx": "typescriptreact", "js": "javascript", "jsx": "javascriptreact"}
ORACLE_VERSION = "5.9"
"""The version of TypeScript in Node's oracles."""
_SUFFIXES = {suffix: "jsx" if suffix == ".jsx" else dialect for suffix, dialect in DIALECTS.items()}
_LEFT_OUT = ("node_modules", "fixtures", "__fixtures__")
_LONGEST = 200_000
_SHORT = (300, 4_000)
"""Bytes of a file to read again for each question."""
_HOLES = 10
"""Holes in each file."""
_SYMBOL = re.compile(r"[\w$]+|\s+|.", re.DOTALL)
_SCRAPS = (
    *"(){}[];,.:=+-*/<>!&|?@#\"'`~^%\n \t0x",
    *("=>", "?.", "...", "</", "/>", "${", "++", "**", "??", "//", "/*", "\n\n", "=", "as ", "is ", "in ", "of ", "satisfies "),
    *("async ", "await ", "yield ", "function ", "class ", "return ", "const ", "let ", "if (", "else ", "for (", "new ", "typeof ", "import ", "export ", "default ", "from "),
    *("type ", "interface ", "enum ", "declare ", "abstract ", "readonly ", "static ", "get ", "set ", "keyof ", "extends ", "implements ", "private ", "override ", "accessor ", "namespace "),
)  # fmt: skip


def oracle_language(dialect: str) -> Language:
    """A language in the version of the oracles."""
    return language(LANGUAGES[dialect], ORACLE_VERSION if dialect.startswith("ts") else None)


def folders() -> list[Path]:
    """The folders searched for files."""
    own = Path(__file__).resolve().parents[2] / "editors"
    return [Path(name) for name in os.environ.get("SUTURE_FUZZ_TYPESCRIPT", str(own)).split(os.pathsep)]


@cache
def sources(dialect: str | None = None, sizes: tuple[int, int] = (1, _LONGEST)) -> tuple[Path, ...]:
    """Files of a dialect, or of all, of sizes in bytes, except those kept as wrong examples."""
    least, most = sizes
    found: list[Path] = []
    for folder in folders():
        for path in folder.rglob("*"):
            known = _SUFFIXES.get(path.suffix)
            if (
                known is None
                or (dialect and known != dialect)
                or any(part in _LEFT_OUT for part in path.relative_to(folder).parts)
            ):
                continue
            if path.is_file() and least <= path.stat().st_size <= most:
                found.append(path)
    return tuple(sorted(found))


def read(path: Path) -> tuple[str, str]:
    """(text, dialect) of a file."""
    return path.read_text("utf-8", "replace").removeprefix("\ufeff"), _SUFFIXES[path.suffix]


def is_file(text: str, dialect: str) -> bool:
    """Whether the oracles accept a text: in JavaScript both TypeScript and acorn, or Babel for its newer syntax."""
    if _errors(text, dialect):
        return False
    return dialect.startswith("ts") or oracle.parses(text, "jsx") or oracle.babel(text, "jsx") is None


def _errors(text: str, dialect: str) -> list[oracle.Error]:
    """The errors of TypeScript's parser, except those in comments."""
    return [one for one in oracle.typescript(text, dialect) if one.code not in _IN_COMMENTS]


_IN_COMMENTS = (1084,)


def accepts(text: str, dialect: str) -> bool:
    """Whether the engine accepts a text."""
    engine = runtime_of(language(LANGUAGES[dialect])).engine
    left = engine.read_text(engine.start, text)
    end = None if left is None else engine.lexer.finish(left.lex)
    return left is not None and end is not None and engine.feed(left.frame, left.stacks, end) is not None


def why_refused(text: str, dialect: str) -> str:
    """The class of a text refused though TypeScript's parser accepts it: the refusing oracle and its reason; "" where none refuses it."""
    if not dialect.startswith("ts") and not oracle.parses(text, "jsx"):
        return "acorn: " + re.sub(r" \(\d+:\d+\)$|'[^']*'", "", oracle.acorn(text, "jsx") or "")
    text = text.replace("@ts-nocheck", "")
    errors = oracle.checker(text, dialect, lib=False)
    said = {one.code for one in (errors if all(one.code > 0 for one in errors) else oracle.checker(text, dialect))}
    grammar = sorted(
        code
        for code in said
        if 1000 <= code < 2000 or 8000 <= code < 9000 or 17000 <= code < 19000 or code in _OF_TARGETS
    )
    if grammar:
        return f"checker: {grammar[0]}"
    if any(
        one.code in (2304, 2503) and (word := re.search(r"'(\w+)'", one.message)) and word[1] in KEYWORDS
        for one in errors
    ):
        return "keywords as types"
    return next((name for name, pattern in _ON_PURPOSE if pattern.search(text)), "")


_OF_TARGETS = frozenset(
    (2356, 2357, 2364, 2406, 2462, 2487, 2492, 2499, 2500, 2501, 2777, 2778, 2779, 2780, 2781, 2809, 7061)
)
"""The checker's errors about invalid targets of assignments, about heritage clauses, and about members of mapped types."""
_ON_PURPOSE = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("octal numbers", r"(?<![\w.])0[0-9_]"),
        ("let, yield, await as names", r"\b(?:let|yield|await)\b"),
        ("<!-- and -->", r"<!--|-->"),
        ("</ in code", r"<\s*/"),
        ("blanks in the names of elements", r"<\s*[\w$]+(?:\s+[.:]|[.:]\s+)[\w$]|<\s+[\w$]|<[\w$]+-?\s+-"),
        ("function as the body of if, or behind a label", r"(?:\)|else|:)\s*(?:async\s+)?function"),
        ("line ends behind words that declare", r"\b(?:declare|abstract|interface|module|namespace|type)\s*\n"),
        ("empty type parameters", r"<\s*>"),
        ("private names as types", r"[:|&=<]\s*#\w"),
        ("parameters of accessors", r"\b[gs]et \w+\(this"),
        ("escapes in keywords", r"\\u"),
        ("<< before the type parameters of a type argument", r"<<"),
    )
)


def why_taken(text: str, dialect: str) -> str:
    """The class of a text accepted though TypeScript's parser refuses it; "" without one."""
    hole = oracle_language(dialect).hole(text, "", level="compile", exact=True)
    if hole.fallback != "none" or hole.state is None or not hole.state.complete:
        return "refused at level compile"
    if not dialect.startswith("ts") and oracle.parses(text, "jsx"):
        return "acorn takes it"
    if any(one.message == "'=>' expected." for one in _errors(text, dialect)):
        return "a block in the line below what could be parameters"
    return next((name for name, pattern in _BY_ACCIDENT if pattern.search(text)), "")


_BY_ACCIDENT = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("escapes in names", r"\\u"),
        ("<< before the type parameters of a type argument", r"<<"),
        ("options of an import's type", r"\bimport\(\s*[\"'][^\"']*[\"']\s*,"),
        ("a line end behind a point, or within modifiers", r"\.\s*\n|\b(?:in|out|const)\s*\n"),
    )
)


def files(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Whole files."""
    return count, [line for _ in range(count) for line in whole_file(rng.choice(sources()))]


def whole_file(path: Path, *, beginnings: bool = True) -> Iterator[Fields]:
    """The failures on a file."""
    text, dialect = read(path)
    valid = is_file(text, dialect)
    line = _fields("ts-file", dialect, text, "", "", path=str(path))
    if accepts(text, dialect) != valid:
        yield line | {"valid": valid, "why": (why_refused if valid else why_taken)(text, dialect)}
    elif valid and beginnings:
        engine = runtime_of(language(LANGUAGES[dialect])).engine
        state = engine.start
        for at, char in enumerate(text):
            after = engine.read(state, char)
            if after is None:
                yield line | {"left": text[: at + 1], "check": "ts-beginning", "valid": True}
                return
            state = after


def cuts(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """True middles."""
    found: list[Fields] = []
    for session, text, dialect in _some(rng, -(-count // _HOLES)):
        for at in sorted(rng.randrange(len(text)) for _ in range(_HOLES)):
            middle = text[at : at + rng.randrange(rng.choice((2, 8, 40, 200, 1000)))]
            if not is_taken(session, text[:at], middle, text[at + len(middle) :]):
                found.append(_fields("ts-cut", dialect, text[:at], middle, text[at + len(middle) :], valid=True))
    return count, found


def mutants(rng: random.Random, count: int, dialect: str | None = None) -> tuple[int, list[Fields]]:
    """Accidents, each to a symbol of a file."""
    found: list[Fields] = []
    for session, text, own in _some(rng, -(-count // _HOLES), _SHORT, dialect):
        symbols = _SYMBOL.findall(text)
        ends = [0]
        for symbol in symbols:
            ends.append(ends[-1] + len(symbol))
        for at in sorted(rng.randrange(len(symbols)) for _ in range(_HOLES)):
            middle = _accident(symbols, at, rng)
            left, right = text[: ends[at]], text[ends[min(at + 2, len(symbols))] :]
            taken = is_taken(session, left, middle, right)
            mutant = left + middle + right
            parses = not _errors(mutant, own)
            if taken != parses:
                why = (why_refused if parses else why_taken)(mutant, own)
                found.append(_fields("ts-mutant", own, left, middle, right, valid=parses, why=why))
    return count, found


def _accident(symbols: Sequence[str], at: int, rng: random.Random) -> str:
    """Two symbols after an accident."""
    one, two = symbols[at], symbols[at + 1] if at + 1 < len(symbols) else ""
    other = rng.choice(_SCRAPS) if rng.random() < 0.5 else rng.choice(symbols)
    return rng.choice((two, other + two, one + other + two, two + one, one + one + two, one + "\n" + two))


def completions(rng: random.Random, count: int) -> tuple[int, list[Fields]]:
    """Random texts under the constraint."""
    found: list[Fields] = []
    for session, text, dialect in _some(rng, -(-count // _HOLES), _SHORT):
        for _ in range(_HOLES):
            left, _, right = cut(text, rng, 200)
            hole = session.hole(left + right, len(left))
            if hole.state is None or hole.fallback != "none":
                found.append(_fields("ts-hole", dialect, left, "", right, valid=True))
                continue
            written, ended = at_random(hole.state, left[-2_000:] + right[:2_000], rng)
            if not ended or not is_file(left + written + right, dialect):
                why = why_taken(left + written + right, dialect) if ended else "no bridge within the search's patience"
                found.append(_fields("ts-random", dialect, left, written, right, valid=not ended, why=why))
    return count, found


def at_random(state: HoleState, around: str, rng: random.Random) -> tuple[str, bool]:
    """(the text, whether it completes the hole): pieces in random order as far as they live, then a bridge."""
    pieces, written = (*_SCRAPS, *re.findall(r"[\w$]+", around)), ""
    for _ in range(rng.randrange(1, 40)):
        for piece in rng.choices(pieces, k=8):
            after = state.advance(piece)
            if after is not None:
                written, state = written + piece, after
                break
        else:
            break
    if state.complete:
        return written, True
    bridges = state.bridges()
    return written + (bridges[0] if bridges else ""), bool(bridges)


def is_taken(session: Session, left: str, middle: str, right: str) -> bool:
    """Whether a middle, written at once, completes the hole."""
    hole = session.hole(left + right, len(left))
    after = hole.state.advance(middle) if hole.state is not None and hole.fallback == "none" else None
    return after is not None and after.complete


def _some(
    rng: random.Random, count: int, sizes: tuple[int, int] = (1, _LONGEST), dialect: str | None = None
) -> Iterator[tuple[Session, str, str]]:
    """Accepted files, each with a session of its own."""
    known = sources(dialect, sizes)
    while count > 0:
        text, own = read(rng.choice(known))
        if text.strip() and accepts(text, own):
            count -= 1
            yield language(LANGUAGES[own]).session(), text, own


def _fields(check: str, dialect: str, left: str, middle: str, right: str, **more: object) -> Fields:
    return {"check": check, "dialect": dialect, "left": left, "middle": middle, "right": right, **more}


def is_mended(line: Fields) -> bool:
    """Whether a line of the file of failures is fixed."""
    left, middle, right, dialect = (str(line[key]) for key in ("left", "middle", "right", "dialect"))
    session = language(LANGUAGES[dialect]).session()
    if line["check"] == "ts-beginning":
        return session.hole(left, len(left)).viable
    if line["check"] in ("ts-random", "ts-hole") and line["valid"]:
        found = session.hole(left + right, len(left))
        state = found.state.advance(middle) if found.state is not None and found.fallback == "none" else None
        return state is not None and bool(state.complete or state.bridges())
    return is_taken(session, left, middle, right) == line["valid"]


KINDS: dict[str, Callable[[random.Random, int], tuple[int, list[Fields]]]] = {
    "ts-files": files,
    "ts-cuts": cuts,
    "ts-mutants": mutants,
    "ts-random": completions,
}
COUNTS = {"ts-files": 4, "ts-cuts": 50, "ts-mutants": 200, "ts-random": 50}


def _all_files() -> tuple[int, list[Fields]]:
    """All files, without their beginnings."""
    known = sources()
    return len(known), [line for path in known for line in whole_file(path, beginnings=False)]


def main() -> int:
    """Run; exit status 1 after a failure of no known class."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.fuzz.typescript", description=(__doc__ or "").split("\n")[0]
    )
    arguments.add_argument("kind", choices=KINDS)
    arguments.add_argument(
        "--count", type=int, default=1000, help="questions; of ts-files 0: all files, but not their beginnings"
    )
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--dialect", choices=LANGUAGES, help="of mutants")
    arguments.add_argument("--failures", type=Path, help="where what is found is written, as JSON lines")
    options = arguments.parse_args()
    rng, start_s = random.Random(options.seed), time.process_time()
    ask = {
        "ts-files": lambda: files(rng, options.count) if options.count else _all_files(),
        "ts-mutants": lambda: mutants(rng, options.count, options.dialect),
    }.get(options.kind, lambda: KINDS[options.kind](rng, options.count))
    asked, found = ask()
    classes = Counter(
        f"{'refused' if line['valid'] else 'accepted'}{': ' if line.get('why') else ''}{line.get('why', '')}"
        for line in found
    )
    if options.failures:
        with options.failures.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in found)
    print(
        f"{options.kind} {options.dialect or ''}: {asked} asked, {time.process_time() - start_s:.0f} s of processor time"
    )
    for name, count in classes.most_common():
        print(f"{count:7} {name}")
    return int(any(not line.get("why") for line in found))


if __name__ == "__main__":
    sys.exit(main())

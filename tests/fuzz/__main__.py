"""Compare the engine with real parsers on random texts until the time is up: `python -m tests.fuzz --minutes 10 --seed 1`.

Campaigns, in turn for each version of Python with an interpreter here (oracles.py):
  the kinds of python.py   membership: whether left + middle + right is valid
  prefixes      a valid text is viable after each character, and the true middle of a cut leads to a complete hole
  closing       a random live state can be closed, and its closing text is valid
  the kinds of holes.py    whether every viable hole ends complete, whatever was typed into it
  the kinds of semantics.py    whether exactly the complete texts compile, with existing names
"json", against json.loads, the kinds of go.py, against Go's own tools, those of typescript.py and typescript_names.py, against TypeScript and
acorn, and those of
unfinished.py, against the languages' own parsers. Disagreements are minimised, printed, and added to .fuzz/failures.jsonl; fixed ones move
from there to data/regressions.jsonl, for test_regressions.py. A text that crashes an interpreter is left out, and counted.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from suture.parser import language
from suture.parser.languages.python.versions import VERSIONS

from ..support import oracle_go, oracle_typescript, oracles
from ..support.inside import runtime_of
from ..support.oracle_json import json_parses, json_text
from ..support.oracle_python import corrupted, cut
from . import go, holes, semantics, typescript, typescript_forms, typescript_names, unfinished
from .python import KINDS, Sample, accepts, disagreements, library

FAILURES = Path(".fuzz") / "failures.jsonl"
_COUNTS = {"files": 8, "site": 8, "prefixes": 6, "closing": 25, "strings": 200, "json": 400}
_COUNTS |= (
    dict.fromkeys(holes.KINDS, 10)
    | go.COUNTS
    | typescript.COUNTS
    | typescript_names.COUNTS
    | unfinished.COUNTS
    | {"compiled": 4, "named": 4, "nests": 40}
    | dict.fromkeys(("constructs", "scopes", "beginnings", "named-constructs"), 120)
)
_COUNT = 400
_CUT_DOWN_S = 20.0


class Failure(Exception):
    """A failure in a campaign: the fields of a line in the file of failures."""

    def __init__(self, **fields: object) -> None:
        super().__init__(fields)
        self.fields = fields


Campaign = Callable[[random.Random, int, str], tuple[int, list[Failure]]]


def membership(kind: str) -> Campaign:
    """The campaign of a kind of python.py."""

    def campaign(rng: random.Random, count: int, version: str) -> tuple[int, list[Failure]]:
        samples = list(KINDS[kind](rng, count, version))
        wrong = disagreements(version, samples)
        return len(samples), [_membership_failure(version, sample, truth) for sample, truth in wrong]

    return campaign


def _membership_failure(version: str, sample: Sample, truth: bool) -> Failure:
    small = cut_down(sample, lambda s: bool(disagreements(version, [s])))
    found = disagreements(version, [small])
    return Failure(
        check="member", version=version, left=small.left, middle=small.middle, right=small.right, valid=found[0][1]
    )


def prefixes(rng: random.Random, count: int, version: str) -> tuple[int, list[Failure]]:
    """Valid files are viable all along, from each side of a cut."""
    asked, found = 0, []
    python = language("python", version)
    for text in library(version, rng, count, 20_000):
        engine = runtime_of(python).engine
        state = engine.start
        for at, char in enumerate(text):
            after = engine.read(state, char)
            asked += 1
            if after is None:
                found.append(Failure(check="viable", version=version, left=text[: at + 1], middle="", right=""))
                break
            state = after
        for _ in range(8):
            left, middle, right = cut(text, rng, 60)
            failure = _true_middle(version, Sample(left, middle, right))
            asked += 1
            if failure is not None:
                found.append(failure)
    return asked, found


def _true_middle(version: str, sample: Sample) -> Failure | None:
    hole = language("python", version).hole(sample.left, sample.right)
    state = hole.state if hole.viable else None
    for char in sample.middle:
        state = state.advance(char) if state is not None else None
    if state is not None and state.complete:
        return None
    return Failure(
        check="hole", version=version, left=sample.left, middle=sample.middle, right=sample.right, valid=True
    )


def closing(rng: random.Random, count: int, version: str) -> tuple[int, list[Failure]]:
    """False text, as far as it lives, and then its closing text."""
    oracle, python = oracles.find(version), language("python", version)
    assert oracle is not None
    asked, found = 0, []
    for text in library(version, rng, count, 8_000):
        left, middle, right = cut(text, rng, 60)
        hole = python.hole(left, right)
        state, written = hole.state, ""
        for char in corrupted(middle, rng):
            after = state.advance(char) if state is not None else None
            if after is None:
                break
            state, written = after, written + char
        if not hole.viable or state is None:
            found.append(Failure(check="hole", version=version, left=left, middle=middle, right=right, valid=True))
            continue
        asked += 1
        bridges = state.bridges()
        if not bridges:
            found.append(Failure(check="bridge", version=version, left=left, middle=written, right=right))
        for bridge, valid in zip(bridges, oracle.verdicts([left + written + b + right for b in bridges]), strict=True):
            if valid is False and "\r" not in text:
                middle = written + bridge
                found.append(
                    Failure(check="member", version=version, left=left, middle=middle, right=right, valid=False)
                )
    return asked, found


def json_texts(rng: random.Random, count: int, version: str) -> tuple[int, list[Failure]]:
    """Random JSON, cut, with accidents: membership, and viability of the valid texts."""
    language_, found = language("json"), []
    for _ in range(count):
        text = json_text(rng)
        left, middle, right = cut(text, rng, 12)
        if rng.random() < 0.5:
            middle = corrupted(middle, rng, '{}[]:,"\\ \n0123456789.eE+-truefalsn')
        valid = json_parses(left + middle + right)
        hole = language_.hole(left, right)
        state = hole.state if hole.viable else None
        for char in middle:
            state = state.advance(char) if state is not None else None
        if (state is not None and state.complete) != valid:
            found.append(Failure(check="json", left=left, middle=middle, right=right, valid=valid))
    return count, found


OTHERS = go.KINDS | typescript.KINDS | typescript_names.KINDS | typescript_forms.KINDS | unfinished.KINDS
"""Campaigns of other languages, in their tools' versions."""


def other_campaign(kind: str) -> Campaign:
    """The campaign of a kind of another language; the classes listed in docs/typescript.md are no failures."""

    def campaign(rng: random.Random, count: int, version: str) -> tuple[int, list[Failure]]:
        asked, found = OTHERS[kind](rng, count)
        return asked, [Failure(**fields) for fields in found if not fields.get("why")]

    return campaign


def ending(kind: str) -> Campaign:
    """The campaign of a kind of holes.py."""

    def campaign(rng: random.Random, count: int, version: str) -> tuple[int, list[Failure]]:
        python, samples = language("python", version), []
        for left, right in holes.KINDS[kind](rng, count, version):
            hole = python.hole(left, right)
            if hole.viable:
                samples += holes.typed_into(left, right, hole, rng)
        return len(samples), [_ending_failure(version, *unended) for unended in holes.unended(version, samples)]

    return campaign


def _ending_failure(version: str, sample: holes.Typed, bridge: str | None) -> Failure:
    if bridge is not None:
        middle = sample.typed + bridge
        return Failure(
            check="member", version=version, left=sample.left, middle=middle, right=sample.right, valid=False
        )
    return Failure(check="bridge", version=version, left=sample.left, middle=sample.typed, right=sample.right)


def meaning(kind: str) -> Campaign:
    """The campaign of a kind of semantics.py."""
    level = "names" if kind.startswith("named") else "compile"

    def campaign(rng: random.Random, count: int, version: str) -> tuple[int, list[Failure]]:
        if level == "names" and version != semantics.RUNNING:
            return 0, []  # pyflakes reads the running interpreter's Python
        samples = list(semantics.KINDS[kind](rng, count, version))
        found = []
        for sample, valid in semantics.disagreements(version, samples, level):
            small = cut_down(sample, lambda s: (s, valid) in semantics.disagreements(version, [s], level))  # noqa: B023
            fields = {"left": small.left, "middle": small.middle, "right": small.right, "valid": valid}
            found.append(Failure(check=level, version=version, **fields))
        return len(samples), found

    return campaign


CAMPAIGNS: dict[str, Campaign] = (
    {kind: membership(kind) for kind in KINDS}
    | {"prefixes": prefixes, "closing": closing}
    | {kind: ending(kind) for kind in holes.KINDS}
    | {kind: meaning(kind) for kind in semantics.KINDS}
)


def cut_down(sample: Sample, fails: Callable[[Sample], bool]) -> Sample:
    """A smaller failing sample, found by leaving out ever smaller pieces."""
    end = time.monotonic() + _CUT_DOWN_S
    size = max(map(len, (sample.left, sample.middle, sample.right))) // 2
    while size and time.monotonic() < end:
        smaller = next((s for s in _without(sample, size) if time.monotonic() > end or fails(s)), None)
        if smaller is None or not fails(smaller):
            size //= 2
        else:
            sample = smaller
    return sample


def _without(sample: Sample, size: int) -> Iterator[Sample]:
    left, middle, right = sample.left, sample.middle, sample.right
    for at in range(0, len(left), size):
        yield Sample(left[:at] + left[at + size :], middle, right)
    for at in range(0, len(right), size):
        yield Sample(left, middle, right[:at] + right[at + size :])
    for at in range(0, len(middle), size):
        yield Sample(left, middle[:at] + middle[at + size :], right)


def replay(line: dict[str, object]) -> bool:
    """Whether a line of the file of failures is fixed."""
    if str(line["check"]).startswith("go"):
        return go.is_mended(line)
    if line["check"] == "ts-form":
        return typescript_forms.is_mended(line)
    if str(line["check"]).startswith("ts") and "left" in line:
        return typescript.is_mended(line)
    if str(line["check"]).startswith("ts"):
        return typescript_names.is_mended(line)
    if line["check"] == "unfinished":
        return unfinished.is_mended(line)
    version = str(line["version"]) if line.get("version") else None
    sample = Sample(str(line["left"]), str(line["middle"]), str(line["right"]))
    if line["check"] == "member":
        return accepts(str(version), sample) == line["valid"]
    if line["check"] in ("compile", "names"):
        return semantics.accepts(str(version), sample, str(line["check"])) == line["valid"]
    hole = language("json" if line["check"] == "json" else "python", version and str(version)).hole(
        sample.left, sample.right
    )
    state = hole.state if hole.viable else None
    for char in sample.middle:
        state = state.advance(char) if state is not None else None
    if line["check"] == "viable":
        return state is not None
    if line["check"] == "bridge":
        return state is not None and bool(state.bridges())
    return (state is not None and state.complete) == line["valid"]


def save(failure: Failure) -> None:
    """Print a failure and add it to the file of failures."""
    print("FAILURE", json.dumps(failure.fields)[:600], flush=True)
    FAILURES.parent.mkdir(exist_ok=True)
    with FAILURES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(failure.fields) + "\n")


def main() -> int:
    """Run; exit status 1 after a disagreement."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Look for texts the engine is wrong about."
    )
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--versions", help="such as 3.8,3.12; all that have an interpreter unless given")
    arguments.add_argument("--kinds", help=f"of {', '.join([*CAMPAIGNS, 'json', *OTHERS])}; all unless given")
    arguments.add_argument(
        "--python-exe", action="append", default=[], metavar="VERSION=PATH", help="an interpreter to ask"
    )
    options = arguments.parse_args()
    for entry in options.python_exe:
        oracles.use(*entry.split("=", 1))
    versions = options.versions.split(",") if options.versions else [v for v in VERSIONS if oracles.find(v)]
    kinds = options.kinds.split(",") if options.kinds else [*CAMPAIGNS, "json"]
    if not options.kinds:
        kinds += unfinished.kinds()
    if not options.kinds and oracle_go.goroot() is not None:
        kinds += go.KINDS
    if not options.kinds and oracle_typescript.missing() is None:
        kinds += [*typescript.KINDS, *typescript_names.KINDS, *typescript_forms.KINDS]
    rng, end = random.Random(options.seed), time.monotonic() + 60 * options.minutes
    asked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    turn = 0
    while turn == 0 or time.monotonic() < end:
        version, kind = versions[turn % len(versions)], kinds[turn // len(versions) % len(kinds)]
        turn += 1
        count, name = _COUNTS.get(kind, _COUNT), f"{version} {kind}"
        if kind == "json" or kind in OTHERS:
            name = kind
        campaign = json_texts if kind == "json" else other_campaign(kind) if kind in OTHERS else CAMPAIGNS[kind]
        texts, failures = campaign(random.Random(f"{rng.random()} {name}"), count, version)
        asked[name] += texts
        wrong[name] += len(failures)
        for failure in failures:
            save(failure)
    for name in sorted(asked):
        print(f"{name}: {asked[name]} texts, {wrong[name]} disagreements")
    for version in versions:
        crashes = oracles.crashes(version)
        if crashes:
            print(f"{version}: {len(crashes)} texts crash its interpreter, such as {crashes[0][:200]!r}")
    oracles.close_all(versions)
    return int(wrong.total() > 0)


if __name__ == "__main__":
    sys.exit(main())

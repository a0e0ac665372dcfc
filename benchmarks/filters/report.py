"""Tables of the arms, and the paired differences between them with their intervals."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from typing import Any

Record = dict[str, Any]

_DRAWS = 2_000  # of the bootstrap
OURS = "Suture, names"
_SHARES = ("valid", "compiles", "shown", "exact")


def report(records: Sequence[Record]) -> str:
    """The deciding shares of all kinds, and both tables of each kind of hole."""
    if not records:
        return ""
    arms = list(records[0]["arms"])
    parts = [overview(records, arms)]
    for kind in dict.fromkeys(record["kind"] for record in records):
        some = [record["arms"] for record in records if record["kind"] == kind]
        parts.append(f"## {kind}, {len(some)} holes\n\n{shares(some, arms)}\n\n{differences(some, arms)}")
    return "\n\n".join(parts)


def overview(records: Sequence[Record], arms: Sequence[str]) -> str:
    """One row for each kind of hole: the deciding share of each arm, and the lead of ours over the best other one."""
    others = [arm for arm in arms if not arm.startswith("Suture")]
    lines = [f"| holes | count | {' | '.join(others)} | {OURS} | above the best of these, points |",
             "| --- |" + " --: |" * (len(others) + 3)]  # fmt: skip
    for kind in dict.fromkeys(record["kind"] for record in records):
        holes = [record["arms"] for record in records if record["kind"] == kind]
        name = measure(holes)
        outcomes = {arm: [bool(hole[arm][name]) for hole in holes] for arm in (*others, OURS)}
        best = max(others, key=lambda arm: sum(outcomes[arm]))
        pairs = [int(ours) - int(theirs) for ours, theirs in zip(outcomes[OURS], outcomes[best], strict=True)]
        low, high = bootstrap(pairs)
        cells = [_percent(outcomes[arm]) for arm in (*others, OURS)]
        lines.append(
            f"| {kind}, {'pass@1' if name == 'tests' else 'exact'} | {len(holes)} | {' | '.join(cells)} | "
            f"{100 * statistics.fmean(pairs):+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) |"
        )
    return "\n".join(lines)


def measure(holes: Sequence[Record]) -> str:
    """The deciding measure: the tests if there are any, else the original text."""
    return "tests" if holes[0]["raw"]["tests"] is not None else "exact"


def shares(holes: Sequence[Record], arms: Sequence[str]) -> str:
    """One row for each arm."""
    tested = measure(holes) == "tests"
    head = ["arm", *_SHARES, *(["pass@1"] if tested else []), "bridged", "similarity", "rows", "ms"]
    lines = [f"| {' | '.join(head)} |", "| --- |" + " --: |" * (len(head) - 1)]
    for arm in arms:
        results = [hole[arm] for hole in holes]
        cells = [_percent([result[name] for result in results]) for name in _SHARES]
        if tested:
            cells.append(_percent([bool(result["tests"]) for result in results]))
        cells.append(_percent([result["ended"] == "bridge" for result in results]))
        cells.append(f"{statistics.fmean(result['similarity'] for result in results):.3f}")
        cells += [f"{statistics.fmean(result[name] for result in results):,.0f}" for name in ("rows", "ms")]
        lines.append(f"| {arm} | {' | '.join(cells)} |")
    return "\n".join(lines)


def differences(holes: Sequence[Record], arms: Sequence[str]) -> str:
    """Our arm less each other one, in percentage points of the deciding share."""
    name = measure(holes)
    title = f"{OURS}, less"
    lines = [f"| {title} | won | lost | {'pass@1' if name == 'tests' else 'exact'}, points | 95 % | McNemar's p |",
             "| --- | --: | --: | --: | --: | --: |"]  # fmt: skip
    for arm in arms:
        if arm != OURS:
            pairs = [int(bool(hole[OURS][name])) - int(bool(hole[arm][name])) for hole in holes]
            won, lost = pairs.count(1), pairs.count(-1)
            low, high = bootstrap(pairs)
            mean = 100 * statistics.fmean(pairs)
            lines.append(
                f"| {arm} | {won} | {lost} | {mean:+.1f} | {100 * low:+.1f} to {100 * high:+.1f} | {mcnemar(won, lost):.2f} |"
            )
    return "\n".join(lines)


def bootstrap(pairs: Sequence[int], seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean, by percentiles of means of samples drawn with replacement (Efron, 1979)."""
    rng = random.Random(seed)
    means = sorted(statistics.fmean(rng.choices(pairs, k=len(pairs))) for _ in range(_DRAWS))
    return means[int(0.025 * _DRAWS)], means[int(0.975 * _DRAWS) - 1]


def mcnemar(won: int, lost: int) -> float:
    """The exact two-sided probability of a difference this large between equal arms (McNemar, 1947)."""
    count = won + lost
    tail = sum(math.comb(count, k) for k in range(min(won, lost) + 1)) / 2**count
    return min(1.0, 2 * tail)


def _percent(values: Sequence[bool]) -> str:
    return f"{100 * statistics.fmean(map(bool, values)):.1f} %"

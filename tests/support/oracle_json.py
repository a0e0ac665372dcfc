"""Random JSON, and Python's own reader of it as an oracle."""

from __future__ import annotations

import json
import random


def json_text(rng: random.Random) -> str:
    """A random JSON text, in one of several layouts."""
    value = _value(rng, 4)
    indent = rng.choice([None, None, 2, "\t"])
    separators = (",", ":") if indent is None and rng.random() < 0.5 else None
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=rng.random() < 0.5)
    return text + rng.choice(["", "\n"])


def json_parses(text: str) -> bool:
    """Whether it is JSON by RFC 8259."""
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _value(rng: random.Random, depth: int) -> object:
    kind = rng.randrange(8 if depth else 5)
    if kind == 0:
        return rng.choice([True, False, None])
    if kind == 1:
        return rng.choice([0, -1, 12, 3.5, 1e30, -2.5e-7, 10**20])
    if kind < 5:
        return "".join(rng.choice('ab "\\\n\té/😀\x01') for _ in range(rng.randrange(6)))
    if kind < 7:
        return {str(_value(rng, 0)): _value(rng, depth - 1) for _ in range(rng.randrange(5))}
    return [_value(rng, depth - 1) for _ in range(rng.randrange(5))]

"""Experiments without a model: the engine's cost, and the rate of disagreements with oracles.

Times are processor times (`time.thread_time`), so that other work on the machine counts less.
"""

from __future__ import annotations

import ast
import json
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from suture import parser
from suture.model.decoding.token_step import DecodingState, TokenChecker
from suture.parser.hole import State

from ..vocabularies import NAMES, vocabulary
from .beside import beside
from .cuts import boundary, random_span
from .record import Job
from .score import python_error
from .sources import everyday_files
from .tasks import Data, Make, cuts, solutions


@dataclass(frozen=True)
class Measurement:
    """An experiment with the engine alone."""

    name: str
    jobs: Make
    measure: Callable[[Job], dict[str, Any]]


def _python() -> parser.Language:
    return parser.language("python", ".".join(platform.python_version_tuple()[:2]))


def _ms(work: Callable[[], Any]) -> tuple[float, Any]:
    before = time.thread_time()
    result = work()
    return (time.thread_time() - before) * 1e3, result


@cache
def _vocabulary() -> Any:
    embedded = vocabulary("embedded")
    assert embedded is not None
    return embedded.vocabulary


# -- Melcer et al.


_ENTERED = 200  # characters of the right context


def branches(job: Job) -> dict[str, Any]:
    """The number of lexer states that meet a right context along the true middle, and of its different readings from all possible ones.

    Readings with the same symbols for its first 200 characters are one, since they go on alike.
    """
    state = _python().hole(job.left, job.right).state
    assert isinstance(state, State)
    lexer = state.context.engine.lexer
    ways, entering = set(), 0
    for start in lexer.ordinary():
        lex, symbols = lexer.step_text(start, job.right[:_ENTERED])
        if lex is not None:
            entering += 1
            ways.add((lex, tuple(symbols)))
    met = {state.left.lex}
    for char in job.middle[:_WALKED]:
        state = state.advance(char)
        assert state is not None, "what stood in the file is viable"
        met.add(state.left.lex)
    return {"branches": len(ways), "states": entering, "met": len(met)}


_WALKED = 2000  # characters of the true middle


def timing(job: Job) -> dict[str, Any]:
    """Milliseconds to open a hole, for each token of the true middle, and for ast.parse over the file, called by a checker once per
    character."""
    opened, hole = _ms(lambda: _python().hole(job.left, job.right))
    assert hole.state is not None
    first, _ = _ms(lambda: hole.state.complete)
    position, spellings = DecodingState(hole.state), _vocabulary().bytes_of
    tokens = []
    for token in _vocabulary().encode(job.middle):

        def step(position: DecodingState = position, token: int = token) -> DecodingState | None:
            following = position.after(spellings[token] or b"")
            assert following is not None, "what stood in the file is viable"
            _ = following.closed and following.state.complete
            return following

        taken, position = _ms(step)
        tokens.append(taken)
    text = job.left + job.middle + job.right
    parsed = min(_ms(lambda: ast.parse(text))[0] for _ in range(3))
    return {
        "characters": len(text), "once": opened + first, "tokens": len(tokens), "token": sum(tokens) / max(1, len(tokens)),
        "parse": parsed,
    }  # fmt: skip


# -- SynCode


_LENGTHS = (50, 100, 150, 200, 250, 300)


def incremental(job: Job) -> dict[str, Any]:
    """Milliseconds for the checks of some numbers of tokens, each from the state before it and each by rereading everything."""
    spellings = _vocabulary().bytes_of
    ids = _vocabulary().encode(job.middle)[: _LENGTHS[-1]]
    start = _python().hole(job.left, "").state
    assert start is not None
    position, kept, again, text = DecodingState(start), 0.0, 0.0, job.left
    values: dict[str, Any] = {"incremental": {}, "again": {}}
    for number, token in enumerate(ids, start=1):
        before = position

        def step(before: DecodingState = before, token: int = token) -> DecodingState | None:
            return before.after(spellings[token] or b"")

        taken, position = _ms(step)
        assert position is not None
        kept += taken
        text += position.piece
        taken, _ = _ms(lambda text=text: _python().hole(text, ""))
        again += taken
        if number in _LENGTHS:
            values["incremental"][str(number)], values["again"][str(number)] = kept, again
    return values


_SAMPLED = 12  # tokens of a place, among the kept ones and among the refused ones
_TAILS = (
    *("", ")", "]", "}", "'", '"', "'''", '"""', ":", "pass", "0", "x", " x", " 0", "\n", "\n x", " pass", ": pass", ":0"),
    *("=0", " = 0", " in x", " for x in x", " import x", " else 0", " as x", "()", "(x)", ".x", ",", " if x else 0", "\\\n"),
)  # fmt: skip


def exact(job: Job) -> dict[str, Any]:
    """Tokens after a random prefix of a file: whether the true one is kept; whether each kept one has a witness, a text with a valid file by
    ast.parse; and whether a refused one has one, among short tails."""
    state = _python().hole(job.left, "").state
    assert state is not None
    check, spellings = TokenChecker(DecodingState(state)), _vocabulary().bytes_of
    kept, refused = [], []
    for token, spelling in enumerate(spellings):
        if spelling and spelling.isascii():
            (kept if check.read(spelling) is not None else refused).append(token)
    following = (_vocabulary().encode(job.middle) or [None])[0]
    lost = following is not None and (spellings[following] or b"").isascii() and following not in set(kept)
    rng = random.Random(job.id)
    kept_sample, refused_sample = (rng.sample(some, min(_SAMPLED, len(some))) for some in (kept, refused))
    unwitnessed = [spellings[t].decode() for t in kept_sample if not _has_witness(job.left, spellings[t].decode())]
    wrong = [spellings[t].decode() for t in refused_sample if _has_tail(job.left + spellings[t].decode())]
    return {
        "kept": len(kept), "refused": len(refused), "lost": bool(lost), "kept_sampled": len(kept_sample),
        "refused_sampled": len(refused_sample), "without_witness": unwitnessed, "wrongly_refused": wrong,
    }  # fmt: skip


def _has_witness(left: str, text: str) -> bool:
    state = _python().hole(left + text, "").state
    if state is None:
        return False
    tails = [""] if state.complete else state.bridges()
    return any(python_error(left + text + tail) is None for tail in tails)


def _has_tail(text: str) -> bool:
    return any(python_error(text + tail + last) is None for tail, last in product(_TAILS, repeat=2))


def _prefixes(experiment: str, longest: int, middle: int) -> Make:
    """A random place in each file, with a bounded text before and behind it."""

    def jobs(data: Data, seed: int) -> Iterator[Job]:
        number = 0
        for path, text in everyday_files(data.archives()):
            rng = random.Random(f"{experiment}/{seed}/{path}")
            offset = rng.randrange(min(longest, max(1, len(text) - middle)))
            if len(text) > offset + middle // 2:
                yield Job(experiment, number, seed, path, "Python", text[:offset], text[offset : offset + middle])
                number += 1

    return jobs


# -- mask stores


def _stores(data: Data, seed: int) -> Iterator[Job]:
    names = [name for name in NAMES if vocabulary(name) is not None]
    for number, (name, language) in enumerate(product(names, ("python", "go", "json"))):
        yield Job("syncode-store", number, seed, name, f"{language}, {name}", language=language)


def store(job: Job) -> dict[str, Any]:
    """Seconds to build the masks of a vocabulary and to load them, megabytes on disk and at most in memory, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.papers.store", job.data, job.language]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _all(*measurements: Measurement) -> dict[str, Measurement]:
    return {measurement.name: measurement for measurement in measurements}


MEASUREMENTS = _all(
    Measurement("melcer-branches", cuts("melcer-branches", boundary), branches),
    Measurement("melcer-timing", cuts("melcer-timing", random_span, per_file=1), timing),
    Measurement("syncode-incremental", _prefixes("syncode-incremental", 2000, 4000), incremental),
    Measurement("syncode-exact", _prefixes("syncode-exact", 1200, 200), exact),
    Measurement("syncode-store", _stores, store),
    Measurement("syncode-time", solutions("syncode-time"), beside),
)

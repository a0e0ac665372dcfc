"""Masks of SynCode's own program beside ours, token by token along the same programs, in one run.

SynCode pins library versions incompatible with ours, so it runs in a Python of its own (`syncode_worker.py`). Times are processor times.
"""

from __future__ import annotations

import atexit
import json
import platform
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Any

from suture import model, parser
from suture.model.decoding.token_step import DecodingState
from suture.model.loading.find import EMBEDDED

from ..vocabularies import vocabulary
from .record import Job

_WORKER = Path(__file__).with_name("syncode_worker.py")


class Worker:
    """SynCode in its own process, with its masks built."""

    def __init__(self, python: str, tokenizer: Path, grammar: str) -> None:
        self._process = subprocess.Popen(
            [python, str(_WORKER), str(tokenizer), grammar], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.built = self._answer()
        atexit.register(self.close)

    def close(self) -> None:
        """End it."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.communicate()

    def ask(self, ids: list[int], before: int) -> dict[str, Any]:
        """Milliseconds of each mask from the place `before` on, whether it kept the next token, whether its parser gave up."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"ids": ids, "before": before}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("SynCode's process has ended: is `syncode` installed for the Python that --syncode names?")
        return json.loads(line)


@cache
def _worker(python: str) -> Worker:
    return Worker(python, EMBEDDED / "tokenizer.json", "python")


@cache
def _masks() -> model.TokenMasks:
    embedded = vocabulary("embedded")
    assert embedded is not None
    masks = model.TokenMasks(embedded.vocabulary.bytes_of, [embedded.end])
    start = _python().hole("", "").state
    assert start is not None
    masks.prepare(start)
    return masks


def _python() -> parser.Language:
    return parser.language("python", ".".join(platform.python_version_tuple()[:2]))


def beside(job: Job) -> dict[str, Any]:
    """Milliseconds per token of the true text: our check of one token, our mask of all tokens, SynCode's mask if installed."""
    embedded = vocabulary("embedded")
    assert embedded is not None
    ids, more = embedded.vocabulary.encode(job.left), embedded.vocabulary.encode(job.middle)
    state = _python().hole(job.left, "").state
    assert state is not None
    position, spellings, masks = DecodingState(state), embedded.vocabulary.bytes_of, _masks()
    check, mask, kept = 0.0, 0.0, 0
    for token in more:
        before = time.thread_time()
        allowed = masks.bitmask(position)
        mask += time.thread_time() - before
        kept += bool(allowed[token // 32] >> (token % 32) & 1)
        before = time.thread_time()
        following = position.after(spellings[token] or b"")
        check += time.thread_time() - before
        assert following is not None, "what stood in the program is viable"
        position = following
    values: dict[str, Any] = {
        "tokens": len(more),
        "check": check * 1e3,
        "mask": mask * 1e3,
        "kept": kept,
        "syncode": None,
    }
    if python := job.details["syncode"]:
        worker = _worker(python)
        theirs = worker.ask([*ids, *more], len(ids))
        values["syncode"] = {
            **worker.built,
            "mask": sum(theirs["ms"]),
            "kept": sum(theirs["kept"]),
            "failed": theirs["failed"],
        }
    return values

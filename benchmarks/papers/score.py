"""Independent oracles' verdicts on a text: CPython's parser and Go's compiler, and the tests of a benchmark."""

from __future__ import annotations

import ast
import re
import tempfile
import warnings
from difflib import SequenceMatcher
from pathlib import Path

from tests.support import oracle_go

from .record import Job, Record
from .sandbox import run_go, run_python

_COMPARED = 2000  # characters of a text, the most for similarity


def python_error(text: str) -> str | None:
    """The kind of ast.parse's error on a file, None when it accepts it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text.removeprefix("\ufeff"))
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            return type(error).__name__
    return None


def go_error(text: str) -> str | None:
    """ "syntax error" when Go's compiler finds one in a file, else None."""
    has_error = any(re.search(r"syntax error|newline in string|not terminated|invalid character", line)
                for line in oracle_go.compile_errors(text))  # fmt: skip
    return "syntax error" if has_error else None


def error_of(job: Job, text: str) -> str | None:
    """The kind of syntax error in the file with a text; None: it is valid."""
    program = job.left + text + job.right
    return python_error(program) if job.language == "python" else go_error(program)


def passes(job: Job, text: str) -> tuple[bool, str]:
    """Whether the program passes its tests, and the message if not."""
    program = job.left + text + job.right
    if job.language == "python":
        return run_python(f"{program}\n{job.tests}")
    root = oracle_go.goroot()
    assert root is not None
    cache = Path(tempfile.gettempdir()) / "suture-papers-go"
    cache.mkdir(exist_ok=True)
    return run_go(f"{program}\n{job.tests}", root, cache)


def similarity(text: str, other: str) -> float | None:
    """Two texts' ratio of matching characters (Ratcliff and Obershelp), 1 for equal ones; None for too long ones."""
    if max(len(text), len(other)) > _COMPARED:
        return None
    return SequenceMatcher(None, text, other, autojunk=False).ratio()


def verdict(job: Job, text: str, programs: bool) -> Record:
    """The fields of a record derived from its text alone."""
    error = error_of(job, text)
    record: Record = {
        "valid": error is None, "error": error, "exact": text == job.middle, "tests": None,
        "similarity": similarity(text, job.middle) if job.middle else None,
    }  # fmt: skip
    if programs and error is None:
        record["tests"], message = passes(job, text)
        record["error"] = None if record["tests"] else message.split(":")[0][:80]
    elif programs:
        record["tests"] = False
    return record


def rescored(job: Job, record: Record, programs: bool) -> Record:
    """The record with its verdict recomputed from the stored text."""
    return {**record, **verdict(job, record["text"], programs)}

"""A user's own grammar, compiled in a separate process, within limits of time and memory.

A mistake in a grammar can cost exponential time or memory in Lark's loader, in the tables or in the automaton of the terminals (24
optional items in one rule are 16 million rules), mostly within one call. The call cannot be stopped; a process can.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from ...common import interpreter, lifeline
from ..errors import GrammarError

WRONG = 3
"""The exit status of the process for a wrong grammar; its output is the message."""
NO_MEMORY = 4
_MESSAGE_CHARS = 2_000
"""The longest error message of a grammar: it may quote a name of any length."""


@dataclass(frozen=True)
class CompileLimits:
    """The limits of compiling one grammar; Python's own takes 0.3 s and 60 MB."""

    seconds: int = 20  # of processor time, and twice as many to wait
    memory_mb: int = 1_500  # of addresses, where the system can bound that
    output_bytes: int = 64_000_000


def compile_apart(path: Path, start: str, limits: CompileLimits) -> bytes:
    """Compile a grammar file and return it as kept in the cache (see cache.py); raises GrammarError.

    Waits for the process, and holds nothing meanwhile.
    """
    command = interpreter.command(f"{__package__}.compiler", os.path.abspath(path), start, json.dumps(asdict(limits)))
    pipe = subprocess.PIPE
    try:
        process = lifeline.start(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=interpreter.neutral_folder()
        )
    except OSError as error:
        raise GrammarError(f"{path}: cannot be compiled: no process can be started ({error.strerror})") from error
    with process:
        lives, process.stdin = process.stdin, None  # the process ends with its input, which stays open meanwhile
        assert lives is not None
        with lives:
            try:
                output, _ = process.communicate(timeout=2 * limits.seconds)
            except subprocess.TimeoutExpired:
                raise _too_much(path, f"{limits.seconds} s") from None
            finally:
                process.kill()
    if process.returncode == WRONG:
        raise GrammarError(output.decode("utf-8", "replace").strip()[:_MESSAGE_CHARS])
    if process.returncode == NO_MEMORY:
        raise _too_much(path, f"{limits.memory_mb} MB of memory")
    if process.returncode < 0:  # by a signal: mostly the one for the limit of time
        raise _too_much(path, f"{limits.seconds} s")
    if process.returncode or len(output) > limits.output_bytes:
        raise GrammarError(f"{path}: cannot be compiled: the compiler failed; make the grammar simpler")
    return output


def _too_much(path: Path, limit: str) -> GrammarError:
    return GrammarError(
        f"{path}: compiling it takes more than {limit}, which is the limit; "
        "make its repeats shorter, or its rules fewer (each optional item doubles those of its rule)"
    )

"""The program of the process that compiles a user's grammar; isolated.py starts it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ...common.lifeline import end_with_parent
from ..errors import GrammarError
from .cache import as_bytes, compile_now
from .isolated import NO_MEMORY, WRONG, CompileLimits


def main(path: str, start: str, limits: str) -> None:
    """Compile in this process, and write to standard output."""
    end_with_parent(reading=True)
    _bound(CompileLimits(**json.loads(limits)))
    try:
        compiled = compile_now(Path(path), start)
        content = as_bytes(compiled)
    except GrammarError as error:
        sys.stdout.buffer.write(str(error).encode("utf-8", "replace"))
        sys.stdout.flush()
        raise SystemExit(WRONG) from None
    except MemoryError:
        raise SystemExit(NO_MEMORY) from None
    except RecursionError:
        sys.stdout.write(f"{path}: it is nested too deep")
        raise SystemExit(WRONG) from None
    sys.stdout.buffer.write(content)


def _bound(limits: CompileLimits) -> None:
    """Let the system end this process past the limits, also when nobody waits for it any more."""
    try:
        import resource
        import signal
    except ImportError:  # not on this system: whoever waits ends it
        return
    for what, most in ((resource.RLIMIT_CPU, limits.seconds), (resource.RLIMIT_AS, limits.memory_mb << 20)):
        try:
            resource.setrlimit(what, (most, resource.getrlimit(what)[1]))
        except (ValueError, OSError):
            pass
    signal.alarm(2 * limits.seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])

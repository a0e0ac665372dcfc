"""Other people's programs for tests and benchmarks, if they work: each is asked its version first.

A program on the PATH may still do nothing, such as rustup's `rustc` without a toolchain, or pyenv's `python3.12` where another is chosen: its
refusal is no verdict.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

_PATIENCE_S = 60.0
BROKEN: dict[str, str] = {}
"""The output of requested programs that are on the PATH and do not work."""


def program(name: str, asked: str = "--version", path: str | None = None) -> str | None:
    """The path of a program that reports its version for the argument `asked`; None without one. path: the folders to search."""
    found = shutil.which(name, path=path)
    return None if found is None or not _works(name, found, asked) else found


def why_not(name: str) -> str:
    """Why a program is unusable."""
    return f"{name} is on the PATH and does not work ({BROKEN[name]})" if name in BROKEN else f"there is no {name}"


@cache
def _works(name: str, found: str, asked: str) -> bool:
    try:
        done = subprocess.run(
            [found, asked], stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        BROKEN[name] = type(error).__name__
        return False
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        BROKEN[name] = said.splitlines()[0][:100] if said else f"it ended with code {done.returncode}"
    return not done.returncode

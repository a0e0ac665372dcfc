"""The start of programs: this interpreter for our modules, and other programs by their paths.

Many editors start the server in a repository's folder. Files there (`pip/`, `site.py`, `venv.py`, a `nvidia-smi.exe`) must not be run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

_START = (
    "import runpy, sys; given = sys.argv.pop(1).split('\\n'); sys.path[:] = dict.fromkeys(given + sys.path); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def command(module: str, *arguments: str) -> list[str]:
    """The command to run a module as imported by this process, ignoring the current folder and variables such as PYTHONPATH."""
    if sys.flags.isolated:
        return [sys.executable, "-I", "-m", module, *arguments]
    # The other process also finds packages outside of the environment, such as a user's.
    return [sys.executable, "-I", "-c", _START, "\n".join(importable()), module, *arguments]


def importable() -> list[str]:
    """This process's import path; without the current folder, and PYTHONPATH's entries relative to it, unless Suture itself lies there."""
    here, own = current_folder(), os.path.abspath(os.path.join(__file__, *3 * (os.pardir,)))
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if not os.path.isabs(entry)]
    open_folder = {here, *(os.path.abspath(entry) for entry in named)} if here is not None else set[str]()
    return [entry for entry in sys.path if os.path.isabs(entry) and (entry not in open_folder or entry == own)]


def current_folder() -> str | None:
    """The current folder; None where it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


def folder() -> str:
    """The folder of this interpreter and its environment's programs."""
    return os.path.dirname(sys.executable)


def neutral_folder() -> str:
    """A working folder for programs, writable by the system's administrator alone."""
    return os.environ.get("SYSTEMROOT", "C:\\") if os.name == "nt" else os.sep


def find_program(name: str, more: Sequence[str] = ()) -> str | None:
    """The path of a program on the PATH, or in more folders; None without one. The current folder and relative ones do not count."""
    names = [name + end for end in (".exe", ".cmd", ".bat")] if os.name == "nt" else [name]
    for folder in (*os.environ.get("PATH", os.defpath).split(os.pathsep), *more):
        for path in (os.path.join(folder, each) for each in names) if os.path.isabs(folder) else ():
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None

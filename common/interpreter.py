"""How programs are started: this interpreter for modules of ours, and other programs by where they are.

Many an editor starts the server in the folder of a repository. Files there (`pip/`, `site.py`, `venv.py`, a `nvidia-smi.exe`) must not be run.
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
    """The command that runs a module as this process would import it, from no current folder, and past variables such as PYTHONPATH."""
    if sys.flags.isolated:
        return [sys.executable, "-I", "-m", module, *arguments]
    # Packages beyond this process's own environment, as those of a user, are found by the other, too.
    return [sys.executable, "-I", "-c", _START, "\n".join(importable()), module, *arguments]


def importable() -> list[str]:
    """The folders from which this process imports; the current one, and those that PYTHONPATH names from it, only where Suture itself lies there."""
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
    """The folder of this interpreter, where programs of its environment are."""
    return os.path.dirname(sys.executable)


def neutral_folder() -> str:
    """A folder in which programs are started that nobody but the system's administrator writes to."""
    return os.environ.get("SYSTEMROOT", "C:\\") if os.name == "nt" else os.sep


def find_program(name: str, more: Sequence[str] = ()) -> str | None:
    """Where a program is on the PATH, or in more folders; None where it is not. The current folder does not count, nor does a relative one."""
    names = [name + end for end in (".exe", ".cmd", ".bat")] if os.name == "nt" else [name]
    for folder in (*os.environ.get("PATH", os.defpath).split(os.pathsep), *more):
        for path in (os.path.join(folder, each) for each in names) if os.path.isabs(folder) else ():
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None

"""Whether the client's process lives, by its identifier; a zombie (ended, but not waited for) counts as gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ...common.interpreter import find_program

_MAX_PID = 2**31 - 1
_SYNCHRONIZE, _TIMEOUT = 0x00100000, 0x102  # of Windows


def process_id_of(given: Any) -> int | None:
    """Read `processId`; None for a value no process can have."""
    return given if type(given) is int and 0 < given <= _MAX_PID else None


def is_alive(process_id: int) -> bool:
    """Whether a process lives; True where the system does not tell."""
    if os.name == "nt":
        return _is_alive_on_windows(process_id)
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # of another user
    return not _is_zombie(process_id)


def _is_zombie(process_id: int) -> bool:
    try:
        stat = Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:
        return sys.platform != "linux" and _state_by_ps(process_id).startswith("Z")
    return stat.rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])


def _state_by_ps(process_id: int) -> str:
    """The state of a process where there is no /proc, as on macOS; "" where `ps` does not tell."""
    if process_id == os.getppid():  # an ended process is nobody's parent, so ours lives
        return ""
    try:
        command = [find_program("ps") or "/bin/ps", "-o", "state=", "-p", str(process_id)]
        asked = subprocess.run(command, capture_output=True, text=True, timeout=2, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return ""
    return asked.stdout.strip()


def _is_alive_on_windows(process_id: int) -> bool:
    import ctypes

    windows: Any = ctypes  # WinDLL and get_last_error are there on Windows only
    kernel32: Any = windows.WinDLL("kernel32", use_last_error=True)
    kernel32.OpenProcess.restype = ctypes.c_void_p
    handle = kernel32.OpenProcess(_SYNCHRONIZE, False, process_id)
    if not handle:
        return windows.get_last_error() != 87  # there is no such process
    try:
        return kernel32.WaitForSingleObject(ctypes.c_void_p(handle), 0) == _TIMEOUT
    finally:
        kernel32.CloseHandle(ctypes.c_void_p(handle))

"""The cores for a computing program: physical ones, within its affinity and its container's limit.

Threads of llama.cpp wait for each other after each operation. Two on one physical core, or one on a slow core beside fast ones, delay all of
them; so do more threads than a container's CPU quota runs at once.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

_CGROUPS = "sys/fs/cgroup"


def usable(root: Path = Path("/")) -> int:
    """The number of cores for this process, at least one; `root`: the parent of Linux's /proc and /sys."""
    logical = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    physical = _physical(root)
    limits = [logical, *([physical] if physical else []), *_shares_of_time(root)]
    return max(1, int(min(limits)))


def _physical(root: Path) -> int | None:
    """The number of physical cores, of two kinds the fast ones; None where the system does not tell."""
    try:
        if sys.platform == "darwin":
            return _from_sysctl("hw.perflevel0.physicalcpu") or _from_sysctl("hw.physicalcpu")
        if sys.platform == "win32":
            return _from_windows()
        return _from_sysfs(root / "sys/devices", os.sched_getaffinity(0))
    except (OSError, ValueError, AttributeError, struct.error):
        return None


def _from_sysfs(devices: Path, allowed: set[int]) -> int | None:
    fast = _listed(devices / "cpu_core/cpus") & allowed  # on Intel's processors with two kinds
    cores = {
        (devices / f"system/cpu/cpu{number}/topology/thread_siblings_list").read_text().strip()
        for number in fast or allowed
    }
    return len(cores) or None


def _listed(path: Path) -> set[int]:
    """The numbers of a list such as 0-3,8."""
    try:
        parts = path.read_text().strip().split(",")
    except OSError:
        return set()
    ends = [tuple(map(int, part.split("-"))) for part in parts if part]
    return {number for end in ends for number in range(end[0], end[-1] + 1)}


def _shares_of_time(root: Path) -> Iterator[float]:
    """The CPU quotas of control groups, of both versions, in cores."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        for top in (root / _CGROUPS, *(root / _CGROUPS / name for name in (controllers, "cpu") if controllers)):
            group = top / path.lstrip("/")
            for folder in (group, *group.parents):
                yield from _share(folder)
                if folder == top:
                    break


def _share(folder: Path) -> Iterator[float]:
    for files in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            quota, period = " ".join((folder / file).read_text() for file in files).split()
            if int(quota) > 0:
                yield int(quota) / int(period)
        except (OSError, ValueError, ZeroDivisionError):  # no such limit, "max"
            continue


def _from_sysctl(name: str) -> int | None:
    value, size = ctypes.c_int(0), ctypes.c_size_t(ctypes.sizeof(ctypes.c_int))
    said = ctypes.CDLL(None).sysctlbyname(name.encode(), ctypes.byref(value), ctypes.byref(size), None, 0)
    return value.value if said == 0 and value.value > 0 else None


def _from_windows() -> int | None:
    kernel, cores_alone = ctypes.CDLL("kernel32"), 0
    size = ctypes.c_ulong(0)
    kernel.GetLogicalProcessorInformationEx(cores_alone, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    if not kernel.GetLogicalProcessorInformationEx(cores_alone, buffer, ctypes.byref(size)):
        return None
    return records(buffer.raw[: size.value]) or None


def records(data: bytes) -> int:
    """The number of Windows' records of cores; each has its length behind its kind."""
    offset = count = 0
    while offset < len(data):
        length = struct.unpack_from("<L", data, offset + 4)[0]
        if length < 8:
            raise ValueError("a record without a length")
        offset, count = offset + length, count + 1
    return count

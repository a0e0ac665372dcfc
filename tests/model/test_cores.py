"""How many cores may be used: physical ones, by affinity and the limits of containers; machines are folders here."""

import os
import struct
import sys
from pathlib import Path

import pytest
from suture.model.loading import cores

linux = pytest.mark.skipif(sys.platform != "linux", reason="files of Linux")


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def siblings(*groups: str) -> dict[str, str]:
    """Logical processors by number; those of one group share a core."""
    found: dict[str, str] = {}
    for group in groups:
        first, _, last = group.partition("-")
        for number in range(int(first), int(last or first) + 1):
            found[f"sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list"] = group + "\n"
    return found


@linux
@pytest.mark.parametrize(
    ("logical", "files", "expected"),
    [
        (8, siblings("0-1", "2-3", "4-5", "6-7"), 4),  # two threads a core
        (4, siblings(*map(str, range(4))), 4),
        (3, siblings("0-1", "2-3", "4-5", "6-7"), 2),  # a process limited to three of them
        (8, {**siblings("0-1", "2-3", *"4567"), "sys/devices/cpu_core/cpus": "0-3\n"}, 2),  # fast and slow ones
        (8, {}, 8),  # nobody says
        (4, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
        (4, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1),
        (4, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, 4),
        (4, {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "300000 100000\n"}, 3),  # of a group above
        (
            4,
            {
                "proc/self/cgroup": "4:memory:/\n3:cpu,cpuacct:/docker/x\n",
                "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us": "150000\n",
                "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000\n",
            },
            1,
        ),
        (
            4,
            {
                "proc/self/cgroup": "1:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            4,
        ),
        (4, {"proc/self/cgroup": "nonsense\n0::/\n", "sys/fs/cgroup/cpu.max": "a b c\n"}, 4),
        (4, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "100000 0\n"}, 4),
    ],
)
def test_cores_by_what_linux_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, logical: int, files: dict[str, str], expected: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(logical)))
    assert cores.usable(write(tmp_path, files)) == expected


def test_there_is_a_core_here() -> None:
    assert 1 <= cores.usable() <= (os.cpu_count() or 1)


def test_windows_records_of_cores_are_counted() -> None:
    data = b"".join(struct.pack("<LL", 0, length) + b"\0" * (length - 8) for length in (48, 48, 64))
    assert cores.records(data) == 3
    for broken in (data[:50], struct.pack("<LL", 0, 0)):
        with pytest.raises((ValueError, struct.error)):
            cores.records(broken)

"""The memory of a server: its processes' together."""

import re
from pathlib import Path


def resident_mb(pid: int) -> float | None:
    """The resident memory of a process and its children; None where the system does not tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = [
            int(one) for path in Path(f"/proc/{pid}/task").glob("*/children") for one in path.read_text().split()
        ]
    except OSError:
        return None
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return (int(found[1]) / 1024 if found else 0.0) + sum(resident_mb(child) or 0.0 for child in children)

"""Build the mask store of one vocabulary and one language, and print its cost as JSON: `python -m benchmarks.papers.store`."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from suture import model, parser

from ..vocabularies import vocabulary


def main() -> int:
    """The arguments are a vocabulary and a language."""
    name, language = sys.argv[1:]
    measured = vocabulary(name)
    assert measured is not None
    state = parser.language(language).hole("", "").state
    state = state or parser.language(language).hole("package p\n", "").state
    assert state is not None
    before_mb = _peak_mb()
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for _ in range(2):
            masks = model.TokenMasks(measured.vocabulary.bytes_of, [measured.end], folder=Path(folder))
            before = time.process_time()
            masks.prepare(state)
            seconds.append(time.process_time() - before)
        size = sum(file.stat().st_size for file in Path(folder).glob("*.masks")) / 1e6
    print(json.dumps({"tokens": len(measured.vocabulary), "build_s": seconds[0], "load_s": seconds[1], "disk_mb": size,
                      "peak_mb": _peak_mb(), "before_mb": before_mb}))  # fmt: skip
    return 0


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())

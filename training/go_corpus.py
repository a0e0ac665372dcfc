"""A corpus of Go files, of which n-grams are counted: the standard library's, and those of snapshots of permissively licensed repositories.

    python -m suture.training.go_corpus --repositories FOLDER --out corpus.jsonl [--toolchain GOROOT]

FOLDER holds `owner+name.tar.gz`. Tests are at most a quarter of a project; generated files, copies of other projects (`vendor`) and test
data are left out, as are projects that are reserved for evaluation (`reserved`). Every tenth project is held out: on their files is fitted
how far the n-grams are trusted.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ..common.terminal import Parser, say
from .archives import archives_in, read_archive
from .config import TrainConfig
from .corpus import Corpus, Source, looks_written, save_corpus, without_duplicates
from .reserved import is_reserved, normalized_project

PROJECT_CHARS = 2_500_000
LIBRARY_CHARS = 6_000_000
_TEST_SHARE = 0.25
_HELD_OUT_EVERY = 10
_LEFT_OUT = {"vendor", "testdata", "third_party", "node_modules", "generated", "_examples"}
_GENERATED = (".pb.go", ".gen.go")


def build(repositories: Path, toolchain: Path | None = None) -> Corpus:
    """Collect, filter, remove duplicates and split, the same way each time for the same files."""
    files = [source for source in _collect(repositories, toolchain) if looks_written(source.text)]
    kept = _limited(without_duplicates(files, TrainConfig()))
    names = sorted({source.package for source in kept} - {"go"})
    held = set(sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[: len(names) // _HELD_OUT_EVERY])
    train = tuple(source for source in kept if source.package not in held)
    return Corpus(train, tuple(source for source in kept if source.package in held))


def _collect(repositories: Path, toolchain: Path | None) -> Iterator[Source]:
    if toolchain is not None:
        for path in sorted((toolchain / "src").rglob("*.go")):
            name = path.relative_to(toolchain).as_posix()
            if is_wanted(name):
                yield Source("go", "BSD-3-Clause", name, path.read_text(encoding="utf-8", errors="replace"))
    for path in archives_in(repositories):
        archive = read_archive(path, ".go")
        name = normalized_project(archive.project)
        if archive.licence is not None and not is_reserved(name):
            yield from (Source(name, archive.licence, at, text) for at, text in archive.files if is_wanted(at))


def is_wanted(path: str) -> bool:
    """Whether a file of a project is neither a copy of another's, nor generated, nor a test's data."""
    *folders, name = PurePosixPath(path).parts
    return not _LEFT_OUT.intersection(folders) and not name.endswith(_GENERATED) and not name.startswith("zz_")


def _limited(sources: Sequence[Source]) -> list[Source]:
    """At most so many characters of each project, whole files in an order drawn by name, few of them tests."""
    kept: list[Source] = []
    taken: dict[str, tuple[int, int]] = {}  # characters, and those of tests
    for source in sorted(sources, key=lambda one: hashlib.sha256(f"{one.package}/{one.path}".encode()).digest()):
        limit = LIBRARY_CHARS if source.package == "go" else PROJECT_CHARS
        total, tests = taken.get(source.package, (0, 0))
        size, is_test = len(source.text), source.path.endswith("_test.go")
        if total + size <= limit and not (is_test and tests + size > _TEST_SHARE * limit):
            taken[source.package] = total + size, tests + size * is_test
            kept.append(source)
    return sorted(kept, key=lambda one: (one.package, one.path))


def main() -> int:
    """Write the corpus."""
    parser = Parser(prog="python -m suture.training.go_corpus", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--repositories", type=Path, required=True, help="the folder of the snapshots")
    parser.add_argument("--toolchain", type=Path, help="where Go lies: its `src` is the standard library")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    corpus = build(options.repositories, options.toolchain)
    save_corpus(corpus, options.out)
    for name, part in (("counted", corpus.train), ("held out", corpus.held_out)):
        packages = {source.package for source in part}
        say(f"{name}: {sum(len(source.text) for source in part):,} characters of {len(packages)} projects")
    return 0


if __name__ == "__main__":
    sys.exit(main())

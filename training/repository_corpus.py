"""A corpus of one language's files, for counting n-grams, from snapshots of permissively licensed repositories.

    python -m suture.training.repository_corpus --language go --repositories FOLDER --out corpus.jsonl [--toolchain GOROOT]

FOLDER holds `owner+name.tar.gz`. Tests are at most a quarter of a project; generated files, copies of other projects (`vendor`), test data
and projects reserved for evaluation (`reserved`) are left out. Every tenth project is held out: its files fit the gate of the n-grams.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..common.terminal import Parser, say
from .archives import archives_in, read_archive
from .config import TrainConfig
from .corpus import SKIPPED_FOLDERS, Corpus, Source, is_everyday_code, looks_written, save_corpus, without_duplicates
from .reserved import is_reserved, normalized_project

PROJECT_CHARS = 2_500_000
LIBRARY_CHARS = 6_000_000
_TEST_SHARE = 0.25
_GO = "go"  # the package of Go's standard library
_HELD_OUT_EVERY = 10


@dataclass(frozen=True)
class Kind:
    """The files of a repository in a language, and those among them that nobody wrote for it."""

    suffixes: tuple[str, ...]
    left_out: frozenset[str]  # names of folders
    generated: re.Pattern[str]  # in the names of generated files
    tests: re.Pattern[str]  # in the paths of tests
    is_written: Callable[[str], bool] = looks_written  # whether somebody wrote a file's text

    def is_wanted(self, path: str) -> bool:
        """Whether a file of a project is neither a copy of another's, nor generated, nor a test's data."""
        *folders, name = PurePosixPath(path).parts
        return not self.left_out.intersection(folders) and not self.generated.search(name)


KINDS: Mapping[str, Kind] = {
    "python": Kind(
        (".py",),
        frozenset(SKIPPED_FOLDERS | {"testdata", "fixtures", "migrations"}),
        re.compile(r"_pb2(?:_grpc)?\.py\Z|\A_version\.py\Z"),
        re.compile(r"(?:\A|/)(?:tests?|testing)/|(?:\A|/)(?:test_\w*|\w*_test|conftest)\.py\Z"),
        is_everyday_code,
    ),
    "json": Kind(
        (".json",),
        frozenset(
            {"node_modules", "dist", "build", "vendor", "testdata", "fixtures", "__fixtures__", "locales", "i18n"}
        ),
        re.compile(r"\A\.|lock|\.min\.|snapshot", re.IGNORECASE),
        re.compile(r"(?:\A|/)(?:tests?|__tests__|examples?|benchmarks?)/"),
    ),
    "go": Kind(
        (".go",),
        frozenset({"vendor", "testdata", "third_party", "node_modules", "generated", "_examples"}),
        re.compile(r"\.(?:pb|gen)\.go\Z|\Azz_"),
        re.compile(r"_test\.go\Z"),
    ),
    "typescript+typescriptreact+javascript+javascriptreact": Kind(
        (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
        frozenset(
            [
                "node_modules",
                "dist",
                "build",
                "lib-dist",
                "vendor",
                "third_party",
                "generated",
                "__generated__",
                "fixtures",
                "__fixtures__",
                "fixture",
                "__snapshots__",
                "locales",
                "i18n",
                "lang",
                "translations",
                "samples",
                "codemods",
                "playground",
            ]
        ),
        re.compile(r"\.d\.[cm]?ts\Z|\.(?:gen|generated|min|bundle|config)\.|\A\.|\Aroutetree", re.IGNORECASE),
        re.compile(
            r"(?:\A|/)(?:tests?|__tests__|e2e|specs?|examples?|benchmarks?)/|\.(?:test|spec|stories)(?:-d)?\.\w+\Z"
        ),
    ),
}
"""By languages with shared numbers, joined by `+`, as in the names of their files (`in_language`)."""


def build(
    kind: Kind, repositories: Path, toolchain: Path | None = None, counts: dict[str, int] | None = None
) -> Corpus:
    """Collect, filter, remove duplicates and split, the same way each time for the same files.

    toolchain: Go's folder, whose `src` is the standard library. counts: receives the number of characters after each step.
    """
    counts = {} if counts is None else counts
    files = [source for source in _collect(kind, repositories, toolchain) if kind.is_written(source.text)]
    counts["characters that people wrote"] = _size(files)
    different = without_duplicates(files, TrainConfig())
    counts["of them in copies"] = counts["characters that people wrote"] - _size(different)
    kept = _limited(different, kind)
    counts["beyond a project's bound"] = _size(different) - _size(kept)
    names = sorted({source.package for source in kept} - {_GO})
    held = set(sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[: len(names) // _HELD_OUT_EVERY])
    train = tuple(source for source in kept if source.package not in held)
    held_out = tuple(source for source in kept if source.package in held)
    counts["to train on"], counts["held out"] = _size(train), _size(held_out)
    return Corpus(train, held_out)


def _size(sources: Sequence[Source]) -> int:
    return sum(len(source.text) for source in sources)


def _collect(kind: Kind, repositories: Path, toolchain: Path | None) -> Iterator[Source]:
    if toolchain is not None and ".go" in kind.suffixes:
        for path in sorted((toolchain / "src").rglob("*.go")):
            name = path.relative_to(toolchain).as_posix()
            if kind.is_wanted(name):
                yield Source(_GO, "BSD-3-Clause", name, path.read_text(encoding="utf-8", errors="replace"))
    for path in archives_in(repositories):
        archive = read_archive(path, kind.suffixes)
        name = normalized_project(archive.project)
        if archive.licence is not None and not is_reserved(name):
            yield from (
                Source(name, archive.licence, path_in_archive, text)
                for path_in_archive, text in archive.files
                if kind.is_wanted(path_in_archive)
            )


def _limited(sources: Sequence[Source], kind: Kind) -> list[Source]:
    """A bounded number of characters of each project, whole files in an order drawn by name, few of them tests."""
    kept: list[Source] = []
    taken: dict[str, tuple[int, int]] = {}  # characters, and those of tests
    for source in sorted(
        sources, key=lambda each_source: hashlib.sha256(f"{each_source.package}/{each_source.path}".encode()).digest()
    ):
        limit = LIBRARY_CHARS if source.package == _GO else PROJECT_CHARS
        total, tests = taken.get(source.package, (0, 0))
        size, is_test = len(source.text), bool(kind.tests.search(source.path))
        if total + size <= limit and not (is_test and tests + size > _TEST_SHARE * limit):
            taken[source.package] = total + size, tests + size * is_test
            kept.append(source)
    return sorted(kept, key=lambda each_source: (each_source.package, each_source.path))


def main() -> int:
    """Write the corpus."""
    parser = Parser(prog="python -m suture.training.repository_corpus", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--language", choices=sorted(KINDS), required=True)
    parser.add_argument("--repositories", type=Path, required=True, help="the folder of the snapshots")
    parser.add_argument("--toolchain", type=Path, help="where Go lies: its `src` is the standard library")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    corpus = build(KINDS[options.language], options.repositories, options.toolchain)
    save_corpus(corpus, options.out)
    for name, part in (("counted", corpus.train), ("held out", corpus.held_out)):
        packages = {source.package for source in part}
        say(f"{name}: {_size(part):,} characters of {len(packages)} projects")
    return 0


if __name__ == "__main__":
    sys.exit(main())

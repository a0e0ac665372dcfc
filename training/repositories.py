"""The corpus of a network of several languages: snapshots of the repositories in `repositories.txt`, without duplicates, as shards.

    python -m suture.training.repositories OUT [--from BASE] [--toolchain GOROOT]

It needs git and a network, and resumes after interruptions: OUT/snapshots holds a snapshot of each repository, OUT/shards the shards for the
machine with the GPU. Repositories without a permissive licence file, or reserved for evaluation, add nothing.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from ..common.terminal import Parser, say
from .archives import is_wanted
from .config import ConfigError
from .corpus import Corpus
from .repository_corpus import KINDS, build
from .reserved import is_reserved
from .shards import write_shards

_LIST = Path(__file__).with_name("repositories.txt")
_SUFFIXES = tuple(suffix for kind in KINDS.values() for suffix in kind.suffixes)
_AT_ONCE = 8
_SECONDS = 600  # for one repository, at most
_LINK = "120000"  # the mode of a symbolic link
_GIT = {"GIT_TERMINAL_PROMPT": "0"}


def listed(path: Path = _LIST) -> list[str]:
    """The repositories in a file, as `owner/name`, all allowed for training."""
    lines = [line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    names = list(dict.fromkeys(name for line in lines for name in line.split()))
    reserved = [name for name in names if is_reserved(name)]
    if reserved:
        raise ConfigError(f"{', '.join(reserved)}: reserved for evaluation, and not to be trained on")
    return names


def take_snapshots(names: Sequence[str], folder: Path, base: str) -> list[str]:
    """Write the missing snapshots of repositories, and return the failures: names with git's last word."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in names if not _path(folder, name).exists()]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        failures = pool.map(_snapshot, missing, repeat(folder), repeat(base))
        return [failure for failure in failures if failure]


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name.replace('/', '+')}.tar.gz"


def _snapshot(name: str, folder: Path, base: str) -> str:
    """Keep the files of a repository's newest commit wanted by a corpus; the failure in words, or nothing."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as temporary:
        bare, made = str(Path(temporary) / "git"), Path(temporary) / "snapshot"
        try:
            _git("clone", "-q", "--bare", "--depth=1", "--", f"{base.rstrip('/')}/{name}", bare)
            tree = _git("--git-dir", bare, "ls-tree", "-r", "-z", "HEAD").decode(errors="replace")
            ids = dict(_wanted(tree))
            asked = "".join(f"{blob}\n" for blob in ids.values()).encode()
            blobs = _git("--git-dir", bare, "cat-file", "--batch", given=asked)
            with tarfile.open(made, "w:gz") as kept:
                for path, data in zip(ids, _contents(blobs), strict=True):
                    _add(kept, f"{name.split('/')[-1]}/{path}", data)
        except (OSError, ValueError, subprocess.SubprocessError, tarfile.TarError) as error:
            words = getattr(error, "stderr", b"") or str(error).encode()
            return f"{name}: {words.decode(errors='replace').strip().splitlines()[-1]}"
        made.replace(_path(folder, name))
    return ""


def _git(*arguments: str, given: bytes = b"") -> bytes:
    """Run git, without prompts for passwords, and return its output."""
    return subprocess.run(
        ["git", *arguments], check=True, input=given, capture_output=True, timeout=_SECONDS, env={**os.environ, **_GIT}
    ).stdout


def _wanted(tree: str) -> Iterator[tuple[str, str]]:
    """The paths wanted by a corpus in the output of `git ls-tree -z`, each with its file's id."""
    for entry in filter(None, tree.split("\0")):
        facts, _, path = entry.partition("\t")
        mode, kind, blob = facts.split()
        if kind == "blob" and mode != _LINK and is_wanted(path, _SUFFIXES):
            yield path, blob


def _contents(batch: bytes) -> Iterator[bytes | None]:
    """The files in the output of `git cat-file --batch`; None for a missing one."""
    place = 0
    while place < len(batch):
        end = batch.index(b"\n", place)
        size = batch[place:end].split()[-1]
        if size == b"missing":
            yield None
            place = end + 1
        else:
            yield batch[end + 1 : end + 1 + int(size)]
            place = end + 2 + int(size)


def _add(archive: tarfile.TarFile, path: str, data: bytes | None) -> None:
    if data is not None:
        member = tarfile.TarInfo(path)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))


def collect(snapshots: Path, toolchain: Path | None) -> Iterator[Corpus]:
    """The corpus of each language; prints a line with each one's size, and the size of everything left out."""
    for language, kind in KINDS.items():
        counts: dict[str, int] = {}
        corpus = build(kind, snapshots, toolchain, counts)
        say(f"{language}: " + ", ".join(f"{size:,} {words}" for words, size in counts.items()), flush=True)
        yield corpus


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 when the shards were written, 2 when they cannot be."""
    parser = Parser(prog="python -m suture.training.repositories", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder of snapshots and shards")
    parser.add_argument(
        "--from", dest="base", default="https://github.com", metavar="BASE", help="an address or a folder"
    )
    parser.add_argument("--list", type=Path, default=_LIST, metavar="FILE", help="names of repositories, one a line")
    parser.add_argument("--toolchain", type=Path, help="where Go lies: its `src` is the standard library")
    options = parser.parse_args(argv)
    snapshots, shards, part = (options.out / name for name in ("snapshots", "shards", "shards.part"))
    try:
        if shards.exists():
            raise ConfigError(f"{shards} is there already")
        names = listed(options.list)
        for failure in take_snapshots(names, snapshots, options.base):
            say(f"left out: {failure}", file=sys.stderr)
        shutil.rmtree(part, ignore_errors=True)  # of an interrupted run
        sizes = [path.stat().st_size for path in write_shards(list(collect(snapshots, options.toolchain)), part)]
        part.rename(shards)
    except (ConfigError, OSError) as error:
        say(f"repositories: {error}", file=sys.stderr)
        return 2
    say(f"{len(sizes)} shards, {sum(sizes) / 1e6:.1f} MB, in {shards}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

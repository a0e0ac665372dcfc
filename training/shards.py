"""A corpus in files of bounded size, for a machine that gets files a few at a time.

    python -m suture.training.shards OUT CORPUS.jsonl ...

Files are shuffled, so that each shard has some of every language; `shards = "OUT"` in a configuration reads all of them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from ..common.terminal import Parser, say
from .config import ConfigError
from .corpus import Corpus, Source, load_corpus

MOST = 20 << 20  # bytes of a shard
_BLOCK = 4 << 20  # characters compressed together


def write_shards(corpora: Sequence[Corpus], out: Path, most: int = MOST, block: int = _BLOCK) -> list[Path]:
    """Write the files of some corpora, in random order, as shards of at most `most` bytes; their paths."""
    out.mkdir(parents=True, exist_ok=True)
    if any(_shards_in(out)):
        raise ConfigError(f"{out} holds shards already")
    sources = [(held, source) for corpus in corpora for held, part in _parts(corpus) for source in part]
    random.Random(1).shuffle(sources)
    paths: list[Path] = []
    size = most
    for lines in _blocks(sources, block):
        data = lzma.compress(lines.encode())  # concatenated streams are a valid file
        if len(data) > most:
            raise ConfigError(f"{block} characters take more than the {most} bytes of a shard")
        if size + len(data) > most:
            paths.append(out / f"corpus-{len(paths):03}.jsonl.xz")
            size = 0
        with paths[-1].open("ab") as file:
            file.write(data)
        size += len(data)
    return paths


def load_shards(folder: Path) -> Corpus:
    """The corpus in all shards of a folder; raises ConfigError without training files."""
    parts = [load_corpus(path) for path in _shards_in(folder)]
    train = tuple(source for part in parts for source in part.train)
    if not train:
        raise ConfigError(f"{folder} holds no shards of a corpus")
    return Corpus(train, tuple(source for part in parts for source in part.held_out))


def _parts(corpus: Corpus) -> tuple[tuple[bool, tuple[Source, ...]], ...]:
    return ((False, corpus.train), (True, corpus.held_out))


def _blocks(sources: Sequence[tuple[bool, Source]], block: int) -> Iterator[str]:
    lines: list[str] = []
    size = 0
    for held, source in sources:
        line = json.dumps({"held_out": held, **asdict(source)}) + "\n"
        if lines and size + len(line) > block:
            yield "".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield "".join(lines)


def _shards_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("corpus-*.jsonl.xz"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 when the shards were written, 2 when they cannot be."""
    parser = Parser(prog="python -m suture.training.shards", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder of the shards")
    parser.add_argument(
        "corpora", nargs="+", type=Path, metavar="CORPUS.jsonl", help="as the other commands write them"
    )
    arguments = parser.parse_args(argv)
    try:
        paths = write_shards([load_corpus(path) for path in arguments.corpora], arguments.out)
    except (ConfigError, OSError) as error:
        say(f"shards: {error}", file=sys.stderr)
        return 2
    say(f"{len(paths)} shards, {sum(path.stat().st_size for path in paths) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

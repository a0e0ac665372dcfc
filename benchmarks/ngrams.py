"""A model's texts in a language, with and without its files for it.

    python -m benchmarks.ngrams --language go --repositories FOLDER [--model FOLDER]

The folder of repositories holds `owner+name.tar.gz`; only projects reserved for evaluation count. Rests of lines and whole lines, two of
three the former, are drawn evenly over the projects. Bits per byte are those of the right text and its end; exact is the text of the
constrained path at temperature 0.

network     with the document's predictions, but no n-grams
any         with the n-grams and numbers for all other languages
own         with those of the language
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from suture import model, parser
from suture.lsp_server.completion.proposing.filling import fill
from suture.lsp_server.completion.proposing.suggestion import LOOKS
from suture.model.cache_lm.mixture import FILE as COPYING
from suture.model.cache_lm.mixture import Copier, CopyingRuntime, load_gate
from suture.model.loading.find import EMBEDDED
from suture.model.ngram_lm.votes import FILE as NGRAMS
from suture.model.ngram_lm.votes import load_ngram_gate
from suture.training.archives import archives_in, read_archive
from suture.training.corpus import looks_written
from suture.training.evaluate import EvaluationHole, line_holes, whole_line_holes
from suture.training.repository_corpus import KINDS, Kind
from suture.training.reserved import is_reserved

from .model import hole_bits

_LONGEST_FILE = 30_000
_PATIENCE_MS = 5000


def reserved_files(folder: Path, kind: Kind) -> list[list[str]]:
    """The files of each reserved project."""
    projects: list[list[str]] = []
    for path in archives_in(folder):
        archive = read_archive(path, kind.suffixes)
        files = [text for name, text in archive.files if kind.is_wanted(name) and len(text) <= _LONGEST_FILE]
        if is_reserved(archive.project):
            projects.append([text for text in files if looks_written(text)])
    return [files for files in projects if files]


def choose(projects: Sequence[Sequence[str]], count: int, seed: int) -> list[EvaluationHole]:
    """Equally many holes of each project."""
    each = -(-count // (3 * len(projects)))
    holes = [
        hole
        for number, files in enumerate(projects)
        for hole in (*line_holes(files, 2 * each, seed + number), *whole_line_holes(files, each, seed + number))
    ]
    random.Random(seed).shuffle(holes)
    return holes[:count]


def variants(folder: Path) -> dict[str, model.Model]:
    """A model in the three ways."""
    full = model.load(str(folder), threads=1)
    plain = model.load(str(folder), threads=1, copying=False)
    assert isinstance(full.reader, Copier)
    copiers = {
        "network": Copier(plain.vocabulary, plain.runtime.size, plain.template.ends),
        "any": Copier(plain.vocabulary, plain.runtime.size, plain.template.ends, full.reader.voter),
    }
    gate = load_gate(folder / COPYING)
    ngram_gate = load_ngram_gate(folder / NGRAMS)
    without = {
        name: replace(plain, runtime=CopyingRuntime(plain.runtime, copier, gate, ngram_gate), reader=copier)
        for name, copier in copiers.items()
    }
    return {**without, "own": full}


def main() -> None:
    """Print a line for each variant."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--language", choices=sorted(KINDS), required=True)
    options.add_argument("--repositories", type=Path, required=True)
    options.add_argument("--model", type=Path, default=EMBEDDED, help="a folder (default: the embedded model)")
    options.add_argument("--count", type=int, default=150, help="of holes that are filled")
    options.add_argument("--weighed", type=int, default=300, help="of holes whose right text is weighed")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    own = chosen.language.split("+")[0]
    projects = reserved_files(chosen.repositories, KINDS[chosen.language])
    weighed = choose(projects, chosen.weighed, chosen.seed)
    filled = weighed[: chosen.count]
    language = parser.language(own)
    asked = model.Options(max_lines=0, max_tokens=48, looks=LOOKS, looks_ms=_PATIENCE_MS, language=own)
    for name, loaded in variants(chosen.model).items():
        bits = hole_bits(loaded, weighed, own)
        exact = sum(
            fill(language.hole(h.left, h.right), h.left, h.right, loaded, asked).text.rstrip() == h.middle.rstrip()
            for h in filled
        )
        share = 100 * exact / max(1, len(filled))
        print(
            f"{name:8} {bits:.3f} bits per byte of {len(weighed)} holes, {share:.1f} % of {len(filled)} exact",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""How often each of Python's conventions is right, and how often it speaks.

    python -m benchmarks.conventions --corpus RUN/corpus.jsonl [--files 500] [--unfinished]

RUN is the folder of `suture train`, whose corpus holds no reserved project: the numbers go into `conventions.PROBABILITIES`, and so they are
fitted. What a person wrote is taken out at the places of `suture.training.editing_places`; a text is right when what was taken out
begins with it, and not with a longer name, call or subscript. Up to five files of the package are open. No model is asked, and no parser.
With `--unfinished`, each file ends with the cursor's line, as when it is written from top to bottom.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from suture.lsp_server.completion.proposing.conventions import conventional
from suture.training.corpus import load_corpus
from suture.training.editing_places import EditingPlace, File, spans

from .places import nearest

_KEYWORD = re.compile(r"\s*\w+=")
_ANNOTATED = re.compile(r"\w+: ")


def cases(place: EditingPlace, *, unfinished: bool = False) -> Iterator[tuple[str, str, str]]:
    """Left, right and what stands between: at the place, and behind the name of a keyword argument or an annotated parameter.

    unfinished: nothing is right of the place but the rest of its line.
    """
    text = place.file.text
    left, right, taken = text[: place.start], text[place.end :], place.taken
    if unfinished:
        right = right.partition("\n")[0]
    yield left, right, taken
    name = _KEYWORD.match(taken) if place.kind == "argument" else None
    if name:
        yield left + name[0], right, taken[name.end() :]
    for name in _ANNOTATED.finditer(taken) if place.kind == "parameters" else ():
        yield left + taken[: name.end()], right, taken[name.end() :]


def is_right(said: str, taken: str) -> bool:
    """Whether what was taken out is what was said, or goes on with something else."""
    return taken.startswith(said) and not re.match(r"[\w.(\[]", taken[len(said) :])


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--corpus", type=Path, required=True, help="corpus.jsonl of a run of `suture train`")
    arguments.add_argument("--files", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--unfinished", action="store_true", help="cut off what is below the cursor's line")
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    everything = load_corpus(options.corpus).train
    sources = rng.sample(everything, options.files)
    packages: dict[str, list[File]] = {source.package: [] for source in sources}
    for source in everything:
        if source.package in packages:
            packages[source.package].append(File(source.package, source.path, source.text))
    said: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for source in sources:
        file = File(source.package, source.path, source.text)
        others = [(other.path, other.text) for other in nearest(file, packages[source.package])]
        for place in spans(file, rng):
            for left, after, taken in cases(place, unfinished=options.unfinished):
                found = conventional(left, after, others)
                if found is not None:
                    said[found.rule] += 1
                    right[found.rule] += is_right(found.text, taken)
    print("| rule | right % | cases |\n| --- | --: | --: |")
    for rule, count in said.most_common():
        print(f"| {rule} | {100 * right[rule] / count:.1f} | {count} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Suggestions behind a dot, by the source of the members: none, our own resolver, the type checker, or both.

    python -m benchmarks.dots FOLDER... [--language python|typescript|go] [--program CHECKER] [--model MODEL] [--places 100] [--letters 0] [--seed 1]

Takes an attribute, except its first letters, and the rest of its line out of a file of each folder, the root of a project. For each way the
table counts the suggestions shown unasked, and those beginning with the true name; then the same for the best text, shown or not. `wrong` has
another name first. The checker has unlimited time. Times are wall-clock times.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from suture.common.reach import Reach
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.hidden import Hidden
from suture.lsp_server.settings.spec import Settings
from suture.parser.languages.python.semantics.names import Scope

from .types import taken_out

_WAYS = {"none": (False, False), "own": (True, False), "checker": (False, True), "both": (True, True)}
"""(our resolver, the checker)"""
_WORD = re.compile(r"\w+")


@contextmanager
def resolver(*, on: bool) -> Iterator[None]:
    """Switch our own resolver's knowledge of members and arguments on or off."""
    if on:
        yield
    else:
        with (
            patch.object(Scope, "members", lambda self, path: None),
            patch.object(Scope, "signature", lambda self, path: None),
        ):
            yield


def main(arguments: list[str]) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", default="python")
    parser.add_argument("--program")
    parser.add_argument("--model")
    parser.add_argument("--places", type=int, default=100, help="of each folder")
    parser.add_argument("--letters", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=500.0, help="after which no more places are looked at")
    parser.add_argument("--ways", default="none,own,checker,both")
    options = parser.parse_args(arguments)
    settings = Settings(
        attributes=True, type_server=options.program, **({"model": options.model} if options.model else {})
    )
    engine = CompletionEngine(settings, patient=True)
    engine.keeper.load()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    times_s: dict[str, list[float]] = defaultdict(list)
    count, until_s = 0, time.monotonic() + options.seconds
    for root in (folder.resolve() for folder in options.folders):
        for taken in taken_out(root, options.places, random.Random(options.seed), options.language, arguments=False):
            if time.monotonic() > until_s:
                break
            begin = taken.begin + min(options.letters, len(taken.name) - 1)
            left, right = taken.text[:begin], taken.text[taken.end :]
            text = left + (right[right.find("\n") :] if "\n" in right else "")
            wanted, count = taken.text[begin : taken.end], count + 1
            for way in options.ways.split(","):
                own, checker = _WAYS[way]
                for least, kind in ((None, "shown"), (0.0, "best")):
                    place = CursorContext(
                        str(taken.path), options.language, text, len(left), path=str(taken.path), reach=Reach(str(root), True),
                        settings=replace(settings, types=checker, certainty=least),
                    )  # fmt: skip
                    with resolver(on=own):
                        begun_s = time.perf_counter()
                        outcome = engine.suggest(place, lambda: False)
                        times_s[way].append(time.perf_counter() - begun_s)
                        engine.sessions.forget(place.document)
                    if isinstance(outcome, Hidden):
                        continue
                    word = _WORD.match(outcome.text)
                    counts[way][kind] += 1
                    counts[way][f"{kind} right"] += word is not None and word[0] == wanted
    engine.unload()
    print(f"{count} places")
    for way in options.ways.split(","):
        seen = counts[way]
        parts = ", ".join(
            f"{kind} {seen[kind]}: {seen[f'{kind} right']} right, {seen[kind] - seen[f'{kind} right']} wrong"
            for kind in ("shown", "best")
        )
        print(f"{way:8} {parts}; {statistics.median(times_s[way]) * 1e3:.0f} ms in the median")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

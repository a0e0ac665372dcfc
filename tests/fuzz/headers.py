"""Headers cut from above their blocks in files with another line broken: the block is not hidden, and the header is taken.

python -m tests.fuzz.headers --language go --sources FOLDER --places 300 --seed 1
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from suture.common.line_ends import line_span
from suture.parser import language

from benchmarks.broken_names import BREAKAGES, TYPESCRIPT, break_elsewhere, is_valid, sources, taken

from .spans import LANGUAGES

_LONGEST = 9_000
_A_FILE = 3
_LEAST = 4
"""Lines beside the block among which one is broken."""
_BREAKAGES = ("half line", "half token", "bracket", "quote", "conflict", "begun")
_HEADERS = {"python": re.compile(r"^[ \t]*(?:@\w|\w)[^\n]*:$", re.MULTILINE)}
_BRACES = re.compile(r"^[ \t]*\w[^\n]*[({\[]$", re.MULTILINE)
_LABEL = re.compile(r"[ \t]*(?:case|default)\b")


class Cut(NamedTuple):
    """A header that is cut, from start to end, and its block, which ends at `block`, between texts broken elsewhere."""

    left: str
    header: str
    block: str
    right: str
    breakage: str


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _block_end(text: str, header: str, end: int, *, by_layout: bool) -> int:
    """The end of the lines below a header that ends at an offset and are deeper than it, and of the line that closes them."""
    while end < len(text):
        start, stop = line_span(text, end + 1)
        line = text[start:stop]
        if line.strip() and _width(line) <= _width(header) and (by_layout or not _LABEL.match(line)):
            return end if by_layout else stop
        end = stop
    return end


def cuts(text: str, name: str, rng: random.Random) -> Iterator[Cut]:
    """Some headers of a text, each with a line broken above or below its block."""
    breakages = BREAKAGES.get(name, TYPESCRIPT)
    kinds = {kind: breakages[kind] for kind in _BREAKAGES}
    headers = list(_HEADERS.get(name, _BRACES).finditer(text))
    for header in rng.sample(headers, min(_A_FILE, len(headers))):
        body, end = header.start() + _width(header[0]), header.end()
        start = rng.choice((body, body, rng.randrange(body, end)))
        block = _block_end(text, header[0], end, by_layout=name == "python")
        above, below = text[: header.start()], text[block:]
        if rng.random() < 0.5:
            above, _, used = break_elsewhere(above, "", kinds, 1, rng) if above.count("\n") > _LEAST else ("", "", [])
        else:
            _, below, used = break_elsewhere("", below, kinds, 1, rng) if below.count("\n") > _LEAST else ("", "", [])
        cut = Cut(above + text[header.start() : start], text[start:end], text[end:block], below, "".join(used))
        if used and not is_valid(cut.left + cut.header + cut.block + cut.right, name):
            yield cut


def fault(name: str, cut: Cut) -> str:
    """What is wrong with the hole that a cut leaves; "" where nothing is."""
    text, offset = cut.left + cut.block + cut.right, len(cut.left)
    session = language(name).session(Path("/nowhere/file"))
    session.doubts = True  # as an editor's
    hole = session.mended(session.hole(text, offset, level="syntax"), text, offset, level="syntax")
    if not taken(hole.state, cut.header):
        return "refused"
    return "hidden" if any(start < offset + len(cut.block) and end > offset for start, end in hole.hidden) else ""


def main() -> int:
    """Print the faults, and how many places beside each kind of breakage have one."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.fuzz.headers", description=(__doc__ or "").splitlines()[0]
    )
    arguments.add_argument("--language", choices=LANGUAGES, default="python")
    arguments.add_argument("--sources", help="a folder of valid files; Python's library unless given")
    arguments.add_argument("--places", type=int, default=300)
    arguments.add_argument("--longest", type=int, default=_LONGEST)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", type=int, default=0, help="so many faults")
    options = arguments.parse_args()
    rng, counts = random.Random(options.seed), Counter[tuple[str, str]]()
    for text, path in sources(options, rng):
        if counts.total() >= options.places:
            break
        for cut in cuts(text, options.language, rng) if is_valid(text, options.language) else ():
            said = fault(options.language, cut)
            counts[cut.breakage, said] += 1
            if said and options.show > 0:
                options.show -= 1
                print(f"----- {said} {cut.breakage} {path}\n{cut.left[-300:]}<<<{cut.header}>>>{cut.block[:300]}")
    print(f"{'':12}{'places':>8}{'taken':>8}{'refused':>9}{'hidden':>8}")
    for kind in (*_BREAKAGES, ""):
        taken_, refused, hidden = (
            sum(count for (one, said), count in counts.items() if said == fault and (one == kind or not kind))
            for fault in ("", "refused", "hidden")
        )
        print(f"{kind or 'all':12}{taken_ + refused + hidden:8}{taken_:8}{refused:9}{hidden:8}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""One session whose file is edited elsewhere between two requests at a cut, or typed on at it.

    python -m tests.fuzz.edited --language go --sources FOLDER --places 200 --seed 1

A text that is complete with nothing hidden makes a valid file with its closers; nothing is hidden where a new session hides nothing, once
the edits are undone or if the cut piece is refused; and a text with brackets pending stays complete while it is typed.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from suture.parser import Hole, Session, language
from suture.parser.pending import mended
from suture.parser.pending_hole import pending_behind

from benchmarks.broken_names import is_valid, sources, taken

from .spans import LANGUAGES, Cut, cuts

_LONGEST = 6_000
_STEPS = 5
_MOST_LINES = 6
_SPLITS = 3
_INSERTED = (
    "x\n", "}\n", "{\n", "(\n", ")\n", '"\n', "`\n", "/*\n", "if (a) {\n", "f(\n", "  },\n", "    x = (\n",
)  # fmt: skip
"""Lines that people write, whole or half."""


def new_session(name: str, path: Path = Path("/nowhere/file")) -> Session:
    """A session like an editor's."""
    session = language(name).session(path)
    session.doubts = True
    return session


def mended_hole(session: Session, left: str, right: str) -> Hole:
    """The hole between two texts, with its pending closers."""
    hole = session.hole(left + right, len(left), level="syntax")
    return session.mended(hole, left + right, len(left), level="syntax")


def edited(left: str, right: str, rng: random.Random, clip: list[str]) -> tuple[str, str]:
    """Both contexts with some lines other than the cursor's deleted, inserted, pasted or half written. clip: the lines deleted last."""
    above, below = left.splitlines(keepends=True), right.splitlines(keepends=True)
    begun = above.pop() if above and not left.endswith("\n") else ""
    rest = below.pop(0) if below else ""
    lines = rng.choice((above, below))
    if lines:
        row, action = rng.randrange(len(lines)), rng.choice(("delete", "insert", "paste", "half"))
        if action == "delete":
            end = row + rng.randint(1, _MOST_LINES)
            clip[:] = lines[row:end]
            del lines[row:end]
        elif action == "half":
            lines[row] = lines[row][: len(lines[row]) // 2] + "\n"
        else:
            lines[row:row] = [rng.choice(_INSERTED)] if action == "insert" else clip
    return "".join(above) + begun, rest + "".join(below)


def faults(name: str, text: str, cut: Cut, rng: random.Random, path: Path = Path("/nowhere/file")) -> Iterator[str]:
    """What is wrong with the holes at a cut in one session, with edits elsewhere and their undoing."""
    first = text[: cut.start], text[cut.end :]
    session, states, clip = new_session(name, path), [first], ["x\n"]
    for step in range(_STEPS):
        if step:
            is_undone = len(states) > 1 and rng.random() < 0.4
            states.append(rng.choice((first, states[-2])) if is_undone else edited(*states[-1], rng, clip))
        left, right = states[-1]
        if rng.random() < 0.3:
            session.hole(left + right, rng.randrange(len(left + right) + 1), level="syntax")
        if rng.random() < 0.2:
            session.foresee(left + right)
        hole = mended_hole(session, left, right)
        if hole.hidden and (states[-1] == first or not taken(hole.state, text[cut.start : cut.end])):
            if not mended_hole(new_session(name, path), left, right).hidden:
                yield "something stays hidden"
        if not hole.hidden:
            bridges = () if hole.state is None else hole.state.bridges()
            for said in filter(str.strip, (text[cut.start : cut.end], *bridges)):
                whole = left + said + mended(right, pending_behind(hole, said))
                if taken(hole.state, said) and not is_valid(whole, name):
                    yield f"invalid with {said!r}"


def split(name: str, text: str, cut: Cut, rng: random.Random, path: Path = Path("/nowhere/file")) -> Iterator[str]:
    """The beginnings of the cut text, with brackets pending, whose rest is complete no more once they are typed."""
    left, piece, right = text[: cut.start], text[cut.start : cut.end], text[cut.end :]
    session = new_session(name, path)
    hole = mended_hole(session, left, right)
    ends = [end for end in range(2, len(piece) + 1) if piece[end - 1].strip() and taken(hole.state, piece[:end])]
    for end in rng.sample(ends, min(_SPLITS, len(ends))):
        at = rng.randrange(1, end)
        begun, rest = piece[:at], piece[at:end]
        left_over = pending_behind(hole, begun + rest)
        if all(closer.text == "," for closer in left_over):  # behind the text itself, that is the next text
            continue
        if rest.strip() and not taken(mended_hole(session, left + begun, right).state, rest):
            yield f"{rest!r} is complete behind {begun!r} no more"


def main() -> int:
    """Print the faults, and how many cuts were tried."""
    arguments = argparse.ArgumentParser(prog="python -m tests.fuzz.edited", description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--language", choices=LANGUAGES, default="python")
    arguments.add_argument("--sources", help="a folder of valid files; Python's library unless given")
    arguments.add_argument("--places", type=int, default=200)
    arguments.add_argument("--longest", type=int, default=_LONGEST)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    rng, counts = random.Random(options.seed), Counter[str]()
    for text, path in sources(options, rng):
        if counts["cuts"] >= options.places:
            break
        for cut in cuts(text, rng) if is_valid(text, options.language) else ():
            counts["cuts"] += 1
            for check in (faults, split):
                for said in check(options.language, text, cut, rng, path):
                    counts[check.__name__] += 1
                    left, piece, right = text[: cut.start], text[cut.start : cut.end], text[cut.end :]
                    print(f"----- {said} {cut} {path}\n{left[-300:]}<<<{piece}>>>{right[:300]}", flush=True)
    print(*(f"{name} {counts[name]}" for name in ("cuts", "faults", "split")))
    return int(bool(counts["faults"] or counts["split"]))


if __name__ == "__main__":
    sys.exit(main())

"""People's actions in an editor, as values: sessions of edits made up from files, or from the commits of a repository.

A session is an iterator of steps for one buffer; its driver applies each step before asking for the next one. Nothing here knows the
protocol.
"""

from __future__ import annotations

import difflib
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

_CLOSERS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'"}
_WORD = re.compile(r"[^\W\d]\w{2,}")
_ODD = ("# é ü ß\n", "# 😀 𝔘𝔫𝔦 中文\n", 's = "\u2028 👩‍👩‍👧 \x0c"\n', "# a\u0301 \ufeff\n")
_MAX_CHARS = 60_000
_UNIT = re.compile(r"\r\n|[\s\S]")


@dataclass(frozen=True)
class Edit:
    """New text for a range, in characters; each of several counts in the text left by the one before."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Step:
    """Simultaneous edits, all in one notification, and the cursor after them; None: no request for a suggestion."""

    edits: tuple[Edit, ...] = ()
    cursor: int | None = None
    whole: bool = False  # the client sends the whole text
    reopen: bool = False  # the document is closed, and opened again


@dataclass
class Buffer:
    """A document in its editor."""

    original: str
    text: str = ""
    taken: bool = False  # a suggestion was accepted in the middle of something
    undone: list[tuple[Edit, ...]] = field(default_factory=list)  # the inverse of each step, the last one last

    def __post_init__(self) -> None:
        self.text = self.original

    @property
    def newline(self) -> str:
        """The line end to type."""
        return "\r\n" if "\r\n" in self.original else "\r" if "\r" in self.original else "\n"

    def apply(self, edits: Sequence[Edit]) -> None:
        """Make edits, and keep their inverse."""
        back = []
        for edit in edits:
            back.append(Edit(edit.start, edit.start + len(edit.text), self.text[edit.start : edit.end]))
            self.text = self.text[: edit.start] + edit.text + self.text[edit.end :]
        self.undone = [*self.undone[-50:], tuple(reversed(back))]


def made_up(buffer: Buffer, random: Random, past: Sequence[tuple[str, str]] = ()) -> Iterator[Step]:
    """An endless session; `past`: earlier texts of some file and their later versions."""
    deeds: list[Callable[[Buffer, Random], Iterator[Step]]] = [
        *(retype_lines, retype_lines, retype_lines, retype_in_line, retype_in_line),
        *(look_around, undo, rename, many_cursors, paste_and_cut, backspace, reopen),
    ]
    while True:
        if past and random.random() < 0.15:
            yield from follow(buffer, random, *random.choice(past))
        buffer.taken = False
        yield from random.choice(deeds)(buffer, random)
        if len(buffer.text) > _MAX_CHARS or random.random() < 0.1:
            yield from replace_all(buffer, random, buffer.original)


def retype_lines(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Delete some lines, and write them again."""
    starts = _line_starts(buffer.text)
    first = random.randrange(len(starts))
    last = min(first + random.randint(1, 4), len(starts) - 1)
    start, end = starts[first], starts[last]
    removed = buffer.text[start:end][:400]
    if removed and not _splits(buffer.text, start + len(removed)):
        yield Step((Edit(start, start + len(removed), ""),), start)
        yield from type_in(buffer, random, start, removed)


def retype_in_line(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Delete the end of a line, and write it again."""
    starts = _line_starts(buffer.text)
    start = starts[random.randrange(len(starts))]
    line = re.compile(r"[^\r\n]*").match(buffer.text, start)
    if line and (content := line[0]).strip() and len(content) < 200:
        at = start + random.randrange(len(content))
        removed = buffer.text[at : line.end()]
        yield Step((Edit(at, line.end(), ""),), at)
        yield from type_in(buffer, random, at, removed)


def look_around(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Jump back and forth."""
    for _ in range(random.randint(1, 4)):
        yield Step((), _place(buffer.text, random))


def undo(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Take back the last steps."""
    for _ in range(random.randint(1, 15)):
        if not buffer.undone:
            return
        edits = buffer.undone[-1]
        yield Step(edits, edits[-1].start + len(edits[-1].text) if edits else None)
        if buffer.taken:
            buffer.undone.clear()
            return
        del buffer.undone[-2:]  # the undone step, and the undoing


def rename(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Rename a name everywhere at once."""
    names = sorted(set(_WORD.findall(buffer.text)))
    if names:
        name = random.choice(names)
        places = [found.start() for found in re.finditer(rf"\b{re.escape(name)}\b", buffer.text)][:50]
        new = f"{name}_{random.choice('abé𝔘')}"
        # From the end to the start, so that each offset stays valid.
        edits = tuple(Edit(at, at + len(name), new) for at in reversed(places))
        yield Step(edits, places[0] + len(new) if places else None)


def many_cursors(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Write at several places at once, and delete it again."""
    places = sorted({_place(buffer.text, random) for _ in range(random.randint(2, 5))})
    typed = random.choice(("abc", "x = 1", "😀é"))
    for count, char in enumerate(typed):
        # From the start to the end: earlier insertions have moved each place, by this character too.
        edits = tuple(
            Edit(at + number * (count + 1) + count, at + number * (count + 1) + count, char)
            for number, at in enumerate(places)
        )
        yield Step(edits, places[0] + count + 1)
        if buffer.taken:
            buffer.taken = False
            return
    for left in range(len(typed) - 1, -1, -1):
        yield Step(
            tuple(
                Edit(at + number * left + left, at + number * left + left + 1, "") for number, at in enumerate(places)
            )
        )


def paste_and_cut(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Paste something, odd characters among it, and mostly cut it out again."""
    starts = _line_starts(buffer.text)
    at = random.choice(starts)
    if random.random() < 0.5:
        text = random.choice(_ODD).replace("\n", buffer.newline)
    else:
        start = random.choice(starts)
        text = buffer.text[start : start + 500]
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
    if text and not _splits(buffer.text, at):
        yield Step((Edit(at, at, text),), at + len(text))
        if random.random() < 0.7 and not buffer.taken:
            yield Step((Edit(at, at + len(text), ""),), at)
        buffer.taken = False


def backspace(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Delete backwards, key by key, and write it again."""
    at = _place(buffer.text, random)
    units = _UNIT.findall(buffer.text[max(0, at - 12) : at])
    units = units[1:] if units[:1] == ["\n"] else units
    removed = "".join(units)
    for unit in reversed(units):
        yield Step((Edit(at - len(unit), at, ""),), at - len(unit))
        if buffer.taken:
            buffer.taken = False
            return
        at -= len(unit)
    yield from type_in(buffer, random, at, removed)


def reopen(buffer: Buffer, random: Random) -> Iterator[Step]:
    """Close the document, and open it again."""
    yield Step(reopen=True, cursor=_place(buffer.text, random))


def replace_all(buffer: Buffer, random: Random, text: str) -> Iterator[Step]:
    """Replace the whole text."""
    yield Step((Edit(0, len(buffer.text), text),), random.choice((None, 0, len(text))), whole=random.random() < 0.7)


def follow(buffer: Buffer, random: Random, before: str, after: str) -> Iterator[Step]:
    """The way from one text to another, hunk by hunk, key by key."""
    newline = buffer.newline
    before, after = before.replace("\n", newline), after.replace("\n", newline)
    yield from replace_all(buffer, random, before)
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    shift = 0
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        start = len("".join(old[:i])) + shift
        gone, come = "".join(old[i:j]), "".join(new[k:m])
        common = _common(gone, come)
        at = start + common
        yield Step((Edit(at, start + len(gone), ""),), at)
        yield from type_in(buffer, random, at, come[common:])
        if buffer.text[start : start + len(come)] != come:
            return  # a suggestion was accepted, and the text has changed
        shift += len(come) - len(gone)


def type_in(buffer: Buffer, random: Random, at: int, text: str) -> Iterator[Step]:
    """Write a text key by key, in an editor with or without auto-closed brackets; ends with an accepted suggestion."""
    closing = random.random() < 0.5
    closers: list[str] = []
    buffer.taken = False
    for unit in _UNIT.findall(text):
        if closers and unit == closers[-1] and buffer.text[at : at + 1] == unit:
            closers.pop()  # it exists already: the cursor moves over it
            at += 1
            yield Step((), at)
        elif closing and unit in _CLOSERS:
            closers.append(_CLOSERS[unit])
            at += 1
            yield Step((Edit(at - 1, at - 1, unit + closers[-1]),), at)
        else:
            at += len(unit)
            yield Step((Edit(at - len(unit), at - len(unit), unit),), at)
        if buffer.taken:
            buffer.taken = False
            return
    if closers:
        yield Step((Edit(at, at + len(closers), ""),), at)


def files_of_the_library(random: Random, count: int) -> list[Path]:
    """Some modules of the standard library, neither tiny nor huge."""
    folder = Path(difflib.__file__).parent
    found = sorted(path for path in folder.glob("*.py") if 2_000 < path.stat().st_size < 30_000)
    return random.sample(found, count)


def commits_of(folder: Path, random: Random, count: int) -> list[tuple[str, str]]:
    """Texts of Python files before and after some commits of a repository; none without git."""

    def git(*arguments: str) -> str:
        asked = ["git", "-C", str(folder), *arguments]
        done = subprocess.run(asked, capture_output=True, encoding="utf-8", errors="replace", check=False)
        return done.stdout if done.returncode == 0 else ""

    try:
        commits = git("log", "--no-merges", "--format=%H", "-n", "400").split()
    except OSError:
        return []
    found: list[tuple[str, str]] = []
    for commit in random.sample(commits, min(len(commits), 3 * count)):
        names = git(
            "diff-tree", "--no-commit-id", "--name-only", "--diff-filter=M", "-r", commit, "--", "*.py"
        ).splitlines()
        for name in names[:1]:
            before, after = git("show", f"{commit}~:{name}"), git("show", f"{commit}:{name}")
            if before and after and len(before) < 30_000:
                found.append((before, after))
        if len(found) == count:
            break
    return found


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", text))]


def _place(text: str, random: Random) -> int:
    at = random.randint(0, len(text))
    return at - _splits(text, at)


def _splits(text: str, at: int) -> bool:
    """Whether a place is between \\r and \\n."""
    return text[at - 1 : at + 1] == "\r\n" if at else False


def _common(one: str, other: str) -> int:
    count = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return count - (one[count - 1 : count] == "\r" if count else False)

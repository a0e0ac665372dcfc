"""Context from other files of the same language: excerpts with the same names, and the signatures of imported names.

Excerpts are windows of lines from the editor's open files, compared by their identifiers (weighted Jaccard: the rarer an identifier among the
windows, the more it counts). Signatures come from modules beside the file, for the names it imports. Secret-looking and ignored files are
never used.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from ...common import untrusted
from ...common.bounded import BoundedDict
from ...common.possessive import compiled
from ...common.reach import ANYWHERE, Reach
from .gitignore import is_ignored
from .secrets import begins_with_key, leads_to_secret


@dataclass(frozen=True)
class SnippetLimits:
    """Bounds of the search and of its result; with 20 files of 2,000 lines a choice takes some 10 ms."""

    files: int = 20  # other files, the last edited ones
    chars_of_file: int = 200_000  # from its start; the rest is ignored
    window_lines: int = 20
    step_lines: int = 10
    lines_before: int = 40  # of the cursor, to take identifiers from
    lines_after: int = 15
    pieces: int = 4
    chars: int = 3_000  # of all excerpts together: some 800 tokens
    least_score: float = 0.08
    modules: int = 8  # imported modules to show signatures of
    signature_chars: int = 1_200


LIMITS = SnippetLimits()
KNOWN_S = 20.0  # seconds to cache whether a file's repository ignores it; a look-up takes 0.1 ms
_MAX_KNOWN = 1000


@dataclass(frozen=True)
class OtherFile:
    """Another file's text."""

    path: str
    text: str


@dataclass(frozen=True)
class Excerpt:
    """A useful part of another file."""

    path: str
    text: str


@dataclass(frozen=True)
class _Window:
    start: int  # the first line
    text: str
    names: frozenset[str]


_MAX_IMPORTS_CHARS = 1_000_000  # of a text, searched for imports
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"[^\W\d]\w{2,}")  # shorter names are in every file
# Possessive throughout, and each run ends where the next import may begin: linear for any text.
_IMPORT = compiled(
    r"^[ \t]*+(?:from(?:[ \t]++|(?=\.))(?P<dots>\.*+)[ \t]*+(?P<module>(?!import\b)\w[\w.]*+)?[ \t]*+import\b[ \t]*+"
    r"(?P<names>\((?:[\w\s,.*\\]|#[^\n]*+)*+\)?+|[^\n#;]*+)|import[ \t]++(?P<plain>[\w., \t]++))",
    re.MULTILINE,
)
_DEFINITION = re.compile(r"^(?P<indent>[ ]{0,4}|\t?)(?:(?:async[ \t]+)?def|class)[ \t]+(?P<name>\w+)", re.MULTILINE)
_MAX_HEAD = 600  # characters of a signature


class CrossFileContext:
    """Chooses excerpts, and caches the cut files and its choice."""

    def __init__(self, limits: SnippetLimits = LIMITS) -> None:
        self._limits = limits
        self._windows: BoundedDict[str, tuple[str, tuple[_Window, ...]]] = BoundedDict(2 * limits.files)
        self._chosen: BoundedDict[str, tuple[int, tuple[OtherFile, ...], tuple[Excerpt, ...]]] = BoundedDict(
            limits.files
        )
        self._modules: BoundedDict[Path, tuple[int, str]] = BoundedDict(limits.files)
        self._shown: BoundedDict[str, tuple[float, bool]] = BoundedDict(_MAX_KNOWN)

    def pieces(
        self, path: str, text: str, offset: int, others: Sequence[OtherFile], reach: Reach = ANYWHERE
    ) -> tuple[Excerpt, ...]:
        """The excerpts for a place, the most useful first. reach: the unopened files it may read.

        They stay the same while the cursor stays near and the other files do not change: a model's prompt starts with them.
        """
        limits = self._limits
        others = tuple(others[: limits.files])
        line = text.count("\n", 0, offset)
        chosen = self._chosen.get(path)
        if chosen is None or abs(chosen[0] - line) > limits.step_lines or not _same(chosen[1], others):
            chosen = (
                line,
                others,
                (*self._signatures(path, text, others, reach), *self._similar(text, offset, others)),
            )
            self._chosen[path] = chosen
        self._chosen.move_to_end(path)
        return chosen[2]

    def may_be_shown(self, path: str) -> bool:
        """Whether a file may be context for others. The verdict is cached for KNOWN_S."""
        now_s = time.monotonic()
        cached = self._shown.get(path)
        if cached is None or now_s - cached[0] > KNOWN_S:
            cached = self._shown[path] = (now_s, not leads_to_secret(path) and not is_ignored(Path(path)))
        return cached[1]

    def _similar(self, text: str, offset: int, others: Sequence[OtherFile]) -> Iterator[Excerpt]:
        limits = self._limits
        wanted = names_around(text, offset, limits)
        windows = [(source, window) for source in others for window in self._cut(source)]
        spread = Counter(name for _, window in windows for name in window.names & wanted)
        weight = {name: math.log(1 + len(windows) / count) for name, count in spread.items()}
        # A name found nowhere else says nothing of its own, but lowers the share of the text found here.
        missing = math.log(1 + len(windows)) * 0.25 * (len(wanted) - len(weight))
        everything = sum(weight.values()) + missing
        scored: list[tuple[float, int]] = []
        for number, (_, window) in enumerate(windows):
            common = sum(weight[name] for name in window.names & wanted)
            if common:
                other = 0.25 * len(window.names - wanted)
                scored.append((common / (everything + other), number))
        taken: list[tuple[OtherFile, _Window]] = []
        room = limits.chars
        for score, number in sorted(scored, key=lambda entry: (-entry[0], entry[1])):
            source, window = windows[number]
            if score < limits.least_score or len(taken) == limits.pieces:
                return
            apart = all(source is not s or abs(window.start - w.start) >= limits.window_lines for s, w in taken)
            if apart and len(window.text) <= room and window.text.strip() not in text:
                taken.append((source, window))
                room -= len(window.text)
                yield Excerpt(source.path, window.text)

    def _cut(self, source: OtherFile) -> tuple[_Window, ...]:
        cached = self._windows.get(source.path)
        if cached is None or cached[0] is not source.text:
            cached = self._windows[source.path] = (source.text, tuple(windows_of(source.text, self._limits)))
        self._windows.move_to_end(source.path)
        return cached[1]

    def _signatures(self, path: str, text: str, others: Sequence[OtherFile], reach: Reach) -> Iterator[Excerpt]:
        """The signatures of names imported from modules beside the file, the last import first."""
        if not path.endswith((".py", ".pyi")):
            return
        opened = {other.path: other.text for other in others}
        room = self._limits.signature_chars
        for module, names in islice(reversed(list(imports_of(text))), self._limits.modules):
            for candidate in files_of(module, Path(path)):
                code = opened.get(candidate.as_posix())
                code = self._read(candidate, reach) if code is None else code
                if code is None:
                    continue
                shown = signatures_in(code, names, room)
                if shown:
                    room -= len(shown)
                    yield Excerpt(candidate.as_posix(), shown)
                break

    def _read(self, path: Path, reach: Reach) -> str | None:
        """A module's text; None for a missing, forbidden, too large, secret-looking or ignored file."""
        try:
            status = path.stat()
            if not S_ISREG(status.st_mode) or not reach.allows(path) or leads_to_secret(path.as_posix()):
                return None
            cached = self._modules.get(path)
            if cached is None or cached[0] != status.st_mtime_ns:
                if status.st_size > self._limits.chars_of_file or is_ignored(path):
                    return None
                cached = self._modules[path] = (
                    status.st_mtime_ns,
                    untrusted.read_text(path, 4 * self._limits.chars_of_file, "replace"),
                )
        except (OSError, ValueError):
            return None
        return None if begins_with_key(path.name, cached[1]) else cached[1]


def names_around(text: str, offset: int, limits: SnippetLimits = LIMITS) -> frozenset[str]:
    """The identifiers near a place."""
    start = offset
    for _ in range(limits.lines_before):
        start = text.rfind("\n", 0, start)
        if start < 0:
            break
    end = offset
    for _ in range(limits.lines_after):
        end = text.find("\n", end + 1)
        if end < 0:
            end = len(text)
            break
    return frozenset(_NAME.findall(text[max(start, 0) : end][-20_000:]))


def windows_of(text: str, limits: SnippetLimits = LIMITS) -> Iterator[_Window]:
    """Cut a text into overlapping windows; each begins at its first nonempty line."""
    lines = text[: limits.chars_of_file].split("\n")
    for start in range(0, max(len(lines) - limits.step_lines, 1), limits.step_lines):
        window = "\n".join(lines[start : start + limits.window_lines]).strip("\r\n")
        names = frozenset(_NAME.findall(window))
        if names and len(window) <= limits.chars:
            yield _Window(start, window + "\n", names)


def imports_of(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The modules imported by a Python text, with leading dots, and the names from each; no names: the whole module."""
    for match in _IMPORT.finditer(text, 0, _MAX_IMPORTS_CHARS):
        if match["plain"] is not None:
            for part in match["plain"].split(","):
                if part.split():
                    yield part.split()[0], frozenset()
            continue
        names = [
            part.split()[0] for part in _COMMENT.sub("", match["names"]).strip("() \t\r\n").split(",") if part.split()
        ]
        module = match["dots"] + (match["module"] or "")
        if match["module"]:
            yield module, frozenset(names)
        else:  # from . import a, b
            for name in names:
                yield module + name, frozenset()


def files_of(module: str, importer: Path) -> Iterator[Path]:
    """The possible paths of a module, as seen from the importing file."""
    dots = len(module) - len(module.lstrip("."))
    parts = PurePosixPath(*module.lstrip(".").split("."))
    if dots:
        folders = [importer.parents[dots - 1]] if dots <= len(importer.parents) else []
    else:
        folders: list[Path] = []
        for folder in islice(importer.parents, 5):
            folders.append(folder)
            if untrusted.exists(folder / ".git"):
                break
    for folder in folders:
        base = folder / parts
        yield base.with_name(base.name + ".py")
        yield base / "__init__.py"


def signatures_in(code: str, names: frozenset[str], most_chars: int) -> str:
    """The first lines of a module's functions and classes: of the named ones, or of all at its top level."""
    shown: list[str] = []
    inside = False  # a shown class
    for match in _DEFINITION.finditer(code):
        if not match["indent"]:
            inside = not names or match["name"] in names
            wanted = inside
        else:
            wanted = inside and bool(names) and not match["name"].startswith("_")
        if not wanted:
            continue
        line = match["indent"] + " ".join(_head(code, match.start()).split()) + " ..."
        if sum(map(len, shown)) + len(shown) + len(line) + 1 > most_chars:
            break
        shown.append(line)
    return "".join(line + "\n" for line in shown)


def _head(code: str, start: int) -> str:
    """A definition up to the colon before its body."""
    depth = 0
    for offset in range(start, min(start + _MAX_HEAD, len(code))):
        char = code[offset]
        depth += (char in "([{") - (char in ")]}")
        if char == ":" and depth <= 0:
            return code[start : offset + 1]
    return code[start:].split("\n", 1)[0]


def _same(files: Sequence[OtherFile], other: Sequence[OtherFile]) -> bool:
    return len(files) == len(other) and all(
        a.path == b.path and a.text is b.text for a, b in zip(files, other, strict=True)
    )

"""The keystrokes saved by suggestions, typing letter by letter against the server's own path.

    python -m benchmarks.keystrokes --sources FOLDER [--lines 60]   # lines of reserved projects, typed into their files
    python -m benchmarks.keystrokes --sources FOLDER --files 12     # short files of such projects, each from top to bottom
    python -m benchmarks.keystrokes --sources FOLDER --files 12 --among  # each with the other files of its project around it
    python -m benchmarks.keystrokes --project FOLDER                # the files of a small project, each from top to bottom

The typist's editor closes brackets and quotes and indents. The typist waits at each letter, and accepts an entirely right suggestion with one
key, or the header of one with a wrong block, for two keys more; with `--words`, also its right words where they save keys, with a key each.
As in the server, a suggestion typed along stays, and a refused one raises the threshold for the rest of the line
(`lsp_server/completion/asking/refusals.py`). A suggestion that stays while its beginning is typed counts once. The editor's indentation is no
letter. A suggestion may replace the editor's closers in a header, unless `--keep-closers` simulates a client without this, and may leave the
cursor before its closing brackets, unless `--no-snippets` does.

The lines of `--sources` are taken out of files of projects reserved for evaluation and unseen by the model, as in `benchmarks.places`; up to
five files of the project are open. With `--files` whole files of them are typed into empty ones, one per project, of 20 to 70 lines as a
person writes them: not minified, and mostly code. Each is alone in its folder, unless `--among` puts the project's other files of at most
100,000 characters around it, on disk, and opens up to five of them, the nearest by folder: never the file itself or a copy of it elsewhere in
the project.

The files of `--project` are typed in the order of their names, or in that of a file `order.txt` beside them; nothing is below the cursor, and
the finished ones are open. `--out` writes each suggestion, and each place without one, as a line of JSON.
"""

from __future__ import annotations

import argparse
import io
import json
import keyword
import random
import re
import sys
import tempfile
import time
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from statistics import median

from suture import model, parser
from suture.lsp_server.completion.asking.refusals import Refusals, Shown
from suture.lsp_server.completion.asking.suggestion_cache import CachedSuggestion, behind_rest, realignments, remainder
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.context.cross_file import OtherFile
from suture.lsp_server.settings.spec import Settings
from suture.parser.languages.python.closers import closers_to_replace
from suture.training.editing_places import File

from .reserved_files import files_in, lay_out, open_beside, trained_on

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_BEFORE_QUOTE = re.compile(r"(?<!\w)[rbfuRBFU]{0,2}\Z|[^\w\"']\Z")
_BODY = re.compile(r"\n[ \t]+pass\Z")  # of a header without one yet: it is accepted with the header, and removed
_BLOCK = re.compile(r"(?<=:)\n[ \t]+.*\Z")
_REMOVAL = 2  # keys, such as Shift+Home and Delete
_PIECE = re.compile(r"\s*(?:\w+|[^\w\s]+)")
_PATIENCE_MS = 5000  # for a second look, so that a busy machine does not change the answers
_SHORTEST_LINE, _LONGEST_LINE = 8, 100  # of typed code, without its indentation
_SHORTEST_FILE, _LONGEST_FILE = 20, 70  # lines
_MOST_PROSE = 0.3  # of the characters of a file, in comments and docstrings
_SHORTEST_NAME = 3  # letters, in the median
_LONGEST_OTHER = 100_000  # characters of a file around the typed one
_SAME_PATH = 2  # last parts of a path shared by a copy
_SAME_LINES = 0.8  # of a file's lines in a copy


@dataclass(frozen=True)
class Moment:
    """The suggestion at a letter without an earlier one."""

    path: str
    line: int
    before: str  # the line up to the cursor
    shown: str
    truth: str  # the rest of the line, or as many lines as shown
    right: bool
    refused: int  # suggestions in the line before


@dataclass
class Typing:
    """The counts of typing."""

    letters: int = 0
    keys: int = 0
    ms: list[float] = field(default_factory=list[float])
    moments: list[Moment] = field(default_factory=list[Moment])

    def row(self) -> str:
        """The measures in a line of a table."""
        shown = [moment for moment in self.moments if moment.shown]
        right = sum(moment.right for moment in shown)
        times = sorted(self.ms) or [0.0]
        return (
            f"| {self.letters} | {100 * len(shown) / max(1, self.keys):.1f} | {100 * right / max(1, len(shown)):.0f} % | "
            f"{100 * (1 - self.keys / max(1, self.letters)):.1f} % | {times[len(times) // 2]:.0f} ms |"
        )

    def add(self, other: Typing) -> None:
        """Add the counts of another text."""
        self.letters, self.keys = self.letters + other.letters, self.keys + other.keys
        self.ms += other.ms
        self.moments += other.moments


HEADER = (
    "| text | letters | suggestions per 100 keys | right | keys saved | processor time p50 |\n"
    "| --- | --: | --: | --: | --: | --: |"
)


@dataclass
class Editor:
    """A text in an editor that closes brackets and quotes, and moves the closers to a line of their own where the line ends with their
    openers."""

    left: str
    right: str
    closers: str = ""  # directly behind the cursor
    below: list[str] = field(default_factory=list[str])  # line ends, indentation and closers, nearest first
    closes: bool = True

    @property
    def text(self) -> str:
        """The whole text."""
        return self.left + self.closers + "".join(self.below) + self.right

    def insert(self, text: str, replaced: int, after: str = "") -> None:
        """Accept a suggestion in place of `replaced` closed brackets and quotes behind the cursor; `after` comes behind the cursor."""
        self.left += text
        self.closers = after + self.closers[replaced:]

    def type(self, wanted: str) -> tuple[int, int, int]:
        """Press the next key towards the wanted text; the numbers of its characters written, of letters, and of keys."""
        if wanted[0] == "\n":
            return self._enter(wanted)
        char = wanted[0]
        if self.closers[:1] == char:
            self.closers = self.closers[1:]
        elif not self.closes:
            pass
        elif char in _CLOSERS and self.closers[:1] in ("", *_CLOSERS.values()):
            self.closers = _CLOSERS[char] + self.closers
        elif char in "\"'" and self.closers[:1] in ("", *_CLOSERS.values()) and _BEFORE_QUOTE.search(self.left[-3:]):
            self.closers = char + self.closers
        self.left += char
        return 1, 1, 1

    def _enter(self, wanted: str) -> tuple[int, int, int]:
        line = self.left[self.left.rfind("\n") + 1 :]
        if self.closers and _CLOSERS.get(line[-1:]) == self.closers[0]:
            self.below.insert(0, "\n" + line[: len(line) - len(line.lstrip())] + self.closers)
            self.closers = ""
        if self.below and not self.closers and wanted.startswith(self.below[0]):
            moved = self.below.pop(0)  # the cursor moves down to existing text
            self.left += moved
            return len(moved), len(moved.strip()) + 1, 1
        length = len(wanted) - len(wanted.lstrip("\n \t")) if wanted.strip() else len(wanted)
        self.left += wanted[:length]
        lines = wanted[:length].count("\n")
        return length, lines, lines


class Typist:
    """Types texts, and accepts right suggestions."""

    def __init__(
        self,
        engine: CompletionEngine,
        settings: Settings,
        *,
        words: bool = False,
        keep_closers: bool = False,
        snippets: bool = True,
    ) -> None:
        self._engine, self._settings, self._words, self._keep = engine, settings, words, keep_closers
        self._snippets = snippets

    def type(self, path: Path, left: str, truth: str, right: str, others: Sequence[OtherFile]) -> Typing:
        """Type a text between two others."""
        counts, editor, refusals, written_to = Typing(), Editor(left, right), Refusals(), 0
        last: CachedSuggestion[int] | None = None
        language = parser.language_for_path(path.as_posix()) or "python"
        while written_to < len(truth):
            offset, rest = len(editor.left), truth[written_to:]
            closed = (
                0 if self._keep else min(closers_to_replace(editor.left, editor.text[offset:]), len(editor.closers))
            )
            text = editor.left + editor.text[offset + closed :]
            refused = refusals.count("", text, offset)
            place = CursorContext(
                path.as_uri(), language, text, offset, path=path.as_posix(), others=tuple(others), settings=self._settings,
                refused=refused, options={"looks_ms": _PATIENCE_MS}, inside=self._snippets,
            )  # fmt: skip
            whole, behind, new = self._shown(place, last, counts)
            shown, after = whole[: len(whole) - behind], whole[len(whole) - behind :]
            refusals.note("", Shown(text, offset, shown, refused))
            if new:
                counts.moments.append(_moment(place, shown, rest))
                last = CachedSuggestion(text, offset, whole, behind) if whole else None
            taken = shown if shown and rest.startswith(shown) else ""
            keys = 1
            header = _BLOCK.sub("", shown)
            if shown and not taken and header != shown and rest.startswith(header) and len(header) > _REMOVAL + 1:
                taken, keys = header, 1 + _REMOVAL
            if shown and not taken and self._words:
                taken, keys = _right_words(shown, rest)
                taken = taken if len(taken) > keys else ""
            if taken:
                editor.insert(taken, closed, after if taken == shown else "")
                written_to, counts.keys, counts.letters = (
                    written_to + len(taken),
                    counts.keys + keys,
                    counts.letters + _letters(taken),
                )
                continue
            written, letters, keys = editor.type(rest)
            written_to, counts.keys, counts.letters = written_to + written, counts.keys + keys, counts.letters + letters
        self._engine.sessions.forget(path.as_uri())
        return counts

    def _shown(self, place: CursorContext, last: CachedSuggestion[int] | None, counts: Typing) -> tuple[str, int, bool]:
        """The text shown at a place, its number of characters behind the cursor, and whether it was made for the place."""
        if last is not None:
            rest = remainder(last, place.text, place.offset)
            if not rest:
                rest = self._engine.sessions.first_that_fits(place, list(realignments(last, place.text, place.offset)))
            if rest and rest.strip() and rest.strip() != "pass":
                behind = behind_rest(last, place.offset, rest, last.value)
                if behind < len(rest):
                    return rest, behind, False
        started = time.thread_time()
        outcome = self._engine.suggest(place, lambda: False)
        counts.ms.append((time.thread_time() - started) * 1e3)
        return (outcome.text, outcome.behind, True) if isinstance(outcome, Suggestion) else ("", 0, True)


def _moment(place: CursorContext, shown: str, rest: str) -> Moment:
    start = place.text.rfind("\n", 0, place.offset) + 1
    end = rest.find("\n", len(shown))
    return Moment(
        Path(place.path or "").name, place.text.count("\n", 0, place.offset) + 1, place.text[start : place.offset], shown,
        rest if end < 0 else rest[:end], bool(shown) and rest.startswith(_BODY.sub("", shown)), place.refused,
    )  # fmt: skip


def _letters(text: str) -> int:
    """The number of letters to type in a text, without the editor's indentation."""
    return len(re.sub(r"\n\s+", "\n", text))


def _right_words(shown: str, rest: str) -> tuple[str, int]:
    """The right words and signs at the start of a suggestion, and their number."""
    end = count = 0
    for piece in _PIECE.finditer(shown):
        if not rest.startswith(shown[: piece.end()]) or re.match(r"\w\w", rest[piece.end() - 1 : piece.end() + 1]):
            break
        end, count = piece.end(), count + 1
    return shown[:end], count


# -- the texts to type


def project(folder: Path) -> list[Path]:
    """The files of a small project in the order of writing."""
    order = folder / "order.txt"
    if order.is_file():
        return [folder / name for name in order.read_text(encoding="utf-8").split()]
    return sorted(folder.glob("*.py"))


def type_project(typist: Typist, files: Sequence[Path], root: Path) -> Iterator[tuple[str, Typing]]:
    """Type the files of a project, each into an empty one."""
    written: list[OtherFile] = []
    for file in files:
        path = root / file.name
        text = file.read_text(encoding="utf-8")
        yield file.name, typist.type(path, "", text, "", tuple(reversed(written)))
        path.write_text(text, encoding="utf-8")  # imported modules are searched on disk
        written.append(OtherFile(path.as_posix(), text))


def lines_of(files: Sequence[File], count: int, seed: int) -> list[tuple[File, int, int]]:
    """Lines of code without their indentation, from different files, spread over all projects: file, start and end."""
    rng = random.Random(seed)
    projects: dict[str, list[File]] = {}
    for file in files:
        projects.setdefault(file.project, []).append(file)
    for listed in projects.values():
        rng.shuffle(listed)
    lines_found: list[tuple[File, int, int]] = []
    names = sorted(projects)
    while len(lines_found) < count and any(projects.values()):
        rng.shuffle(names)
        for name in names:
            if projects[name] and len(lines_found) < count:
                file = projects[name].pop()
                line = _line_to_type(rng, file.text)
                if line is not None:
                    lines_found.append((file, *line))
    return lines_found


def _line_to_type(rng: random.Random, text: str) -> tuple[int, int] | None:
    lines = list(re.finditer(r"^[ \t]*(\S.*)$", text, re.MULTILINE))
    rng.shuffle(lines)
    for match in lines[:40]:
        code = match[1].rstrip()
        start, end = match.start(1), match.start(1) + len(code)
        if not _SHORTEST_LINE <= len(code) <= _LONGEST_LINE or code.startswith("#"):
            continue
        state = parser.language("python").hole(text[: match.start()], text[match.start() :]).state
        # Without the line the file must still be valid code: a suite of this line alone is no place to type in.
        if (
            state is not None
            and state.region == "code"
            and parser.language("python").hole(text[:start], text[end:]).viable
        ):
            return start, end
    return None


def files_to_type(files: Sequence[File], count: int, seed: int) -> list[File]:
    """Short files for writing from top to bottom at once, one per project."""
    rng = random.Random(seed)
    projects: dict[str, list[File]] = {}
    for file in sorted(files, key=lambda file: (file.project, file.path)):
        if _SHORTEST_FILE <= file.text.count("\n") <= _LONGEST_FILE and is_typed(file.text):
            projects.setdefault(file.project, []).append(file)
    chosen = [rng.choice(listed) for listed in projects.values()]
    return rng.sample(chosen, min(count, len(chosen)))


def is_typed(text: str) -> bool:
    """Whether a file looks typed by a person: spaces, one statement per line, telling names, and mostly code."""
    prose, names, expected = 0, list[int](), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and expected):
            prose += len(token.string)
        elif token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            names.append(len(token.string))
        elif token.type == tokenize.OP and token.string == ";":
            return False
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            expected = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return "\t" not in text and prose <= _MOST_PROSE * len(text) and median(names or [0]) >= _SHORTEST_NAME


def files_around(file: File, files: Iterable[File]) -> list[File]:
    """The other files of a file's project, without copies of it."""
    others = {other.path: other for other in files if other.project == file.project}
    return [other for other in others.values() if len(other.text) <= _LONGEST_OTHER and not is_copy(other, of=file)]


def is_copy(other: File, *, of: File) -> bool:
    """Whether a file is `of`, or a built, installed, vendored or older copy of it: by the end of its path, or by its lines."""
    mine, its = PurePosixPath(other.path).parts, PurePosixPath(of.path).parts
    shared = min(_SAME_PATH, len(mine), len(its))
    lines = {line.strip() for line in of.text.splitlines()} - {""}
    held = lines.intersection(line.strip() for line in other.text.splitlines())
    return mine[-shared:] == its[-shared:] or len(held) >= _SAME_LINES * len(lines)


def type_files(
    typist: Typist, files: Sequence[File], root: Path, among: Sequence[File] | None = None
) -> Iterator[tuple[str, Typing]]:
    """Type whole files into empty ones, in empty projects, or with their other files among the given ones."""
    for file in files:
        around = files_around(file, among or ())
        lay_out(around, root)
        path = root / file.project / (Path(file.path).name if among is None else file.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        others = open_beside(file, around, root)
        yield f"{file.project}/{file.path}", typist.type(path, "", file.text.rstrip() + "\n", "", others)


def type_lines(
    typist: Typist, files: Sequence[File], chosen: Sequence[tuple[File, int, int]], root: Path
) -> Iterator[tuple[str, Typing]]:
    """Type lines back into their files."""
    written: set[str] = set()
    for file, start, end in chosen:
        if file.project not in written:
            written.add(file.project)
            lay_out((other for other in files if other.project == file.project), root)
        path = root / file.project / file.path
        name = f"{file.project}/{file.path}:{file.text.count(chr(10), 0, start) + 1}"
        others = open_beside(file, files, root)
        yield name, typist.type(path, file.text[:start], file.text[start:end], file.text[end:], others)


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = arguments.add_mutually_exclusive_group(required=True)
    what.add_argument("--sources", type=Path, help="a folder of archives or projects, of which lines are typed")
    what.add_argument(
        "--project",
        type=Path,
        help="a folder of files that are typed from top to bottom: those of order.txt, of any language, else all of Python",
    )
    arguments.add_argument("--model", default=None, help="a model's folder; the embedded model when not given")
    arguments.add_argument(
        "--certainty", type=float, default=None, help="the threshold; the model's own when not given"
    )
    arguments.add_argument("--words", action="store_true", help="also accept right words one by one")
    arguments.add_argument(
        "--keep-closers", action="store_true", help="no suggestion takes the place of closed brackets"
    )
    arguments.add_argument("--no-snippets", action="store_true", help="the cursor goes to the end of what is accepted")
    arguments.add_argument("--lines", type=int, default=60)
    arguments.add_argument("--files", type=int, default=0, help="of --sources: type so many short files, not lines")
    arguments.add_argument(
        "--among",
        action="store_true",
        help="with --files: type each among its project's other files of at most 100,000 characters, the nearest five of them open",
    )
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--part", default="1/1", help="with --files, such as 2/3: only the second third of them")
    arguments.add_argument("--out", type=Path, default=None, help="write each moment as a line of JSON")
    options = arguments.parse_args()
    if options.among and not (options.sources and options.files):
        arguments.error("--among goes with --sources and --files")
    settings = Settings(model=options.model, device="cpu", certainty=options.certainty)
    engine = CompletionEngine(settings, patient=True)
    engine.keeper.load()
    typist = Typist(
        engine, settings, words=options.words, keep_closers=options.keep_closers, snippets=not options.no_snippets
    )
    everything = Typing()
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if options.project:
            typings = type_project(typist, project(options.project), Path(folder))
        else:
            card = Path(options.model) if options.model else Path(str(model.__file__)).parent / "embedded"
            files = files_in(options.sources, trained_on(card))
            if options.files:
                part, parts = map(int, options.part.split("/"))
                chosen = files_to_type(files, options.files, options.seed)[part - 1 :: parts]
                typings = type_files(typist, chosen, Path(folder), files if options.among else None)
            else:
                typings = type_lines(typist, files, lines_of(files, options.lines, options.seed), Path(folder))
        for name, typing in typings:
            everything.add(typing)
            if options.project or options.files:
                print(f"| {name} {typing.row()}", flush=True)
            if options.out:
                with options.out.open("a", encoding="utf-8") as out:
                    out.writelines(json.dumps(asdict(moment)) + "\n" for moment in typing.moments)
    print(f"| **all** {everything.row()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

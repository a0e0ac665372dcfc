"""The suggestions while small files are written from top to bottom, by the place of the pause.

    python -m benchmarks.writing --sources FOLDER... [--model DIR] [--count 400] [--seed 1] [--json RESULTS.json]

Short files of projects reserved for evaluation (`suture.training.reserved`) and unseen by the model are typed into empty documents: Python,
Go and JSON, or those of `--suffixes`. FOLDER holds archives or project folders, as in `benchmarks.places`. They are typed twice: in an editor
that closes brackets and quotes, like VS Code ("closed"; the closers stay behind the cursor until typed over), and in one that does not, like
Neovim ("open"). A real server is asked over LSP at some places of each file, as in a pause in typing. None of its suggestions is accepted.
`--offline` asks the server's own path in this process instead, waits for a slow model or a busy machine as long as it takes, and prints each
place as a line of JSON; `--summarize` reads such lines, too.

A shown text is *right* when the file goes on with it. It is *padded* when it does not, and the text ends in mere validity: closing brackets
behind a right text where the file has none, an empty block, a filler such as `pass` or `:x`. It is *begun* when its first word or sign is
right; else it is *wrong*. Where nothing is shown, the server is *silent*. At the end of a line only a line end is right, and so is silence.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from suture import model, parser
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.engine.silence import unanswered
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.parser.language import traits
from suture.training.editing_places import EditingPlace, File

from .keystrokes import Editor, is_typed
from .reserved_files import files_in, language_of, trained_on
from .server import Client, Document

OUTCOMES = ("right", "begun", "wrong", "padded", "silent")
EDITORS = ("closed", "open")
_SHORTEST_FILE, _LONGEST_FILE, _LONGEST_LINE = 8, 90, 120  # lines, and characters
_LONGEST_TEXT = 20_000  # characters of an untyped file
_STOPS_IN_A_FILE = 12
_FILES_OF_A_PROJECT = 4
_CLIENT = {"snippets": True, "replaceClosers": True}  # the abilities announced by both clients of the project
_PATIENCE_MS = 5000  # for a second look, so that a busy machine does not change the answers
_COMMENT = r"(?:#|//)"
_KINDS = (  # the last words of the line before the cursor, and the text behind it
    ("comment", rf"{_COMMENT}\s?\w+ ", r"\w"),
    ("decorator", r"^\s*@", r"\w"),
    ("attribute", r"(?:[A-Za-z_]\w*|[)\]])\.", r"\w"),
    ("opener", r"[(\[{]", r"\S"),
    ("string", r"[(\[{=,:]\s*[\"']", r"[^\"']"),
    ("key", r"^\s*[\"']", r"[^\"']"),
    ("header", r"^\s*(?:\}\s*)?[a-z]+ ", r"\S.*[:{]$"),
    ("value", r"[\w)\]\"'] ?(?:[:+*/|-]?=|:) ", r"\S"),
    ("operand", r" (?:[=!<>]=|[<>+*/%|&-]|&&|\|\||and|or|not|in|is|if|else) ", r"\S"),
    ("keyword", r"^\s*[a-z]+ ", r"[^\s=:+*/|&<>-]"),
    ("argument", r", ", r"\S"),
    ("word", r"(?<![\w\"'])[A-Za-z]\w", r"\w\w"),
    ("line end", r"[\w)\]}\"',:;({\[]", r"$"),
)
_MATCHERS = tuple(
    (kind, re.compile(rf"(?:{before})\Z"), re.compile(after, re.MULTILINE)) for kind, before, after in _KINDS
)
KINDS = ("first line", "next line", "new block", *(kind for kind, *_ in _KINDS))
_REGIONS = {"comment": "comment", "string": "string", "key": "string"}
_CODE = re.compile(rf"^\s*(?!{_COMMENT})\S", re.MULTILINE)
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
_PIECE = re.compile(r"\s*(?:\w+|[^\w\s]+)")
_CLOSING = re.compile(r"[\s)\]}]*[)\]}]\Z")
_FILLER = re.compile(r"\n[ \t]*(?:pass|\.\.\.|0|x|_|None|nil|null)\s*[)\]}]*\Z|:(?:\w+|\.\.\.)\Z")
_EMPTY_BLOCK = re.compile(rf"[({{\[:][ \t]*(?:{_COMMENT}[^\n]*)?\n\s*(?:{_COMMENT}[^\n]*\s*)*[)\]}}]+\Z")
_OPENERS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Stop:
    """A place in a file for a pause in typing."""

    kind: str
    file: File
    at: int


@dataclass(frozen=True)
class Result:
    """The suggestion there."""

    kind: str
    language: str
    editor: str
    project: str
    path: str
    line: int
    before: str  # the line up to the cursor
    wanted: str  # the file's continuation, as many lines as shown
    shown: str
    outcome: str
    ms: float


# -- the pauses


def kind_of(text: str, offset: int) -> str | None:
    """The kind of place at an offset of a file written up to it; None where nobody pauses."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    before, after = text[start:offset], text[offset : end if end >= 0 else len(text)]
    if re.match(rf"\s*{_COMMENT}", before + after) and not _CODE.search(text[:start]):
        return None  # nobody types the licence above a file
    if not before.strip():
        return _kind_of_line(text[:start], before) if after[:1].strip() else None
    return next((kind for kind, behind, ahead in _MATCHERS if behind.search(before) and ahead.match(after)), None)


def _is_as_it_looks(stop: Stop) -> bool:
    """Whether it is in code, or in a comment or a string for the kinds of these."""
    left = stop.file.text[: stop.at]
    state = parser.language(language_of(stop.file.path)).hole(left, "").state
    region = "" if state is None else state.region
    if region == "code":  # unknown in some grammars
        line = _STRING.sub("", left[left.rfind("\n") + 1 :])
        commented = re.search(_COMMENT, line) or left.rfind("/*") > left.rfind("*/")
        region = "comment" if commented else "string" if set("\"'`") & set(line) else "code"
    return region == _REGIONS.get(stop.kind, "code")


def _kind_of_line(above: str, blank: str) -> str | None:
    lines = above.splitlines()
    last = next((line for line in reversed(lines) if line.strip()), "")
    if not last:
        return None  # an empty file
    deeper = len(blank) > len(last) - len(last.lstrip())
    return "first line" if deeper else "new block" if not lines[-1].strip() else "next line"


def choose(files: Sequence[File], count: int, seed: int) -> list[Stop]:
    """Equally many places of each language, spread over kinds and projects: at most one in a line, some in a file."""
    languages = sorted({language_of(file.path) for file in files})
    stops: list[Stop] = []
    for number, language in enumerate(languages):
        rng, counts, here = random.Random(seed), Counter[str](), list[Stop]()
        most = (count - len(stops)) // (len(languages) - number)
        for file in _in_turn([file for file in files if language_of(file.path) == language], rng):
            here += _stops_of(file, min(_STOPS_IN_A_FILE, most - len(here)), rng, counts)
            if len(here) == most:
                break
        stops += here
    return stops


def _in_turn(files: Sequence[File], rng: random.Random) -> Iterator[File]:
    """Files of one project after another, a few of each."""
    projects: dict[str, list[File]] = {}
    for file in sorted(files, key=lambda each: (each.project, each.path)):
        projects.setdefault(file.project, []).append(file)
    for listed in projects.values():
        rng.shuffle(listed)
    names = rng.sample(list(projects), len(projects))
    for number in range(_FILES_OF_A_PROJECT):
        yield from (projects[name][number] for name in names if number < len(projects[name]))


def _stops_of(file: File, count: int, rng: random.Random, counts: Counter[str]) -> list[Stop]:
    """Places of a file, those of the rarest kinds so far first."""
    ends = range(1, len(file.text.rstrip()) + 1)
    stops = [Stop(kind, file, end) for end in ends if (kind := kind_of(file.text, end))]
    rng.shuffle(stops)
    chosen: dict[int, Stop] = {}
    while stops and len(chosen) < count:
        stop = min(stops, key=lambda stop: counts[stop.kind])
        stops.remove(stop)
        line = file.text.count("\n", 0, stop.at)
        if line not in chosen and _is_as_it_looks(stop):
            chosen[line] = stop
            counts[stop.kind] += 1
    return sorted(chosen.values(), key=lambda stop: stop.at)


def rests_of_lines(files: Sequence[File], count: int, seed: int) -> list[EditingPlace]:
    """Equally many places of each kind, except ends of lines, with the rest of the line taken out."""
    places: list[EditingPlace] = []
    for stop in choose([file for file in files if len(file.text) <= _LONGEST_TEXT], count * (len(KINDS) - 1), seed):
        text = stop.file.text
        end = stop.at + len(text[stop.at :].partition("\n")[0].rstrip())
        if end > stop.at:
            places.append(EditingPlace(stop.kind, stop.file, stop.at, end, end))
    return places


def is_short(file: File) -> bool:
    """Whether such a file is typed at once."""
    lines = file.text.splitlines()
    return (
        (not file.path.endswith(".py") or is_typed(file.text))
        and _SHORTEST_FILE <= len(lines) <= _LONGEST_FILE
        and max(map(len, lines)) <= _LONGEST_LINE
        and bool(language_of(file.path))
        and parser.language(language_of(file.path)).hole(file.text, "").viable
    )


# -- the shown texts


def judged(text: str, rest: str) -> str:
    """Compare the shown text, up to the cursor's new place, with the file's continuation: one of OUTCOMES."""
    text = text.rstrip()
    if not text:
        return "silent"
    if _begins(rest, text):
        return "right"
    if _is_padded(text, rest):
        return "padded"
    begun = _PIECE.match(text)
    return "begun" if begun is not None and _begins(rest, begun[0]) else "wrong"


def _begins(rest: str, text: str) -> bool:
    """Whether a file goes on with a text, ending at its last word's end."""
    return rest.startswith(text) and re.match(r"\w\w", rest[len(text) - 1 : len(text) + 1]) is None


def _is_padded(text: str, rest: str) -> bool:
    if _FILLER.search(text) or _EMPTY_BLOCK.search(text):
        return True
    closing = _CLOSING.search(text)
    core = text if closing is None else text[: closing.start()]
    return core != text and bool(core) and _begins(rest, core) and not _is_balanced(text)


def _is_balanced(text: str) -> bool:
    """Whether a text closes only its own brackets."""
    opened: list[str] = []
    for char in text:
        if char in "([{":
            opened.append(char)
        elif char in _OPENERS and (not opened or opened.pop() != _OPENERS[char]):
            return False
    return True


def as_shown(inserted: str | dict[str, str]) -> tuple[str, str]:
    """The text of an item, and the part of it before the cursor after an acceptance."""
    if isinstance(inserted, str):
        return inserted, inserted
    before, stop, behind = re.split(r"\$(?:0|\{0:((?:\\.|[^\\}])*)\})", inserted["value"], maxsplit=1)
    plain: Callable[[str], str] = lambda part: re.sub(r"\\([\\$}])", r"\1", part)  # noqa: E731
    selected = plain(stop or "")
    return plain(before) + selected + plain(behind), plain(before) + selected


# -- typing

Ask = Callable[[Editor], tuple[str, str]]
"""Gives the text shown in an editor, and the part of it before the cursor after an acceptance."""
Opened = Callable[[File], tuple[Ask, Callable[[], None]]]
"""Opens an empty document for a file; returns the functions to ask in it, and to close it."""


def over_lsp(client: Client) -> Opened:
    """Documents of a server."""

    def opened(file: File) -> tuple[Ask, Callable[[], None]]:
        document = Document(client, "", language_of(file.path), Path(file.path).suffix)

        def ask(editor: Editor) -> tuple[str, str]:
            document.become(editor.text)
            return as_shown(document.ask(len(editor.left)))

        return ask, document.close

    return opened


def in_process(engine: CompletionEngine, settings: Settings) -> Opened:
    """Documents of an engine."""

    def opened(file: File) -> tuple[Ask, Callable[[], None]]:
        def ask(editor: Editor) -> tuple[str, str]:
            place = place_in(editor, file, settings)
            outcome = engine.suggest(place, lambda: False) if unanswered(place) is None else None
            return (outcome.text, outcome.to_cursor) if isinstance(outcome, Suggestion) else ("", "")

        return ask, lambda: engine.sessions.forget(_uri(file))

    return opened


def place_in(editor: Editor, file: File, settings: Settings) -> CursorContext:
    """The cursor of an editor while typing a file, as in the project's clients: a suggestion may replace the closers."""
    left, language = editor.left, language_of(file.path)
    right = editor.text[len(left) :]
    text = left + right[traits(language).closed(left, right) :]
    return CursorContext(
        _uri(file), language, text, len(left), path=_uri(file).removeprefix("file://"), settings=settings, inside=True,
        options={"looks_ms": _PATIENCE_MS},
    )  # fmt: skip


def _uri(file: File) -> str:
    return f"file:///benchmark/{file.project}/{file.path}"


def type_file(opened: Opened, editor_name: str, stops: Sequence[Stop]) -> Iterator[Result]:
    """Type a file, and ask at each stop."""
    file = stops[0].file
    ask, close = opened(file)
    editor = Editor("", "", closes=editor_name == "closed")
    for stop in stops:
        while len(editor.left) < stop.at:
            editor.type(file.text[len(editor.left) :])
        if len(editor.left) > stop.at:
            continue  # the cursor has moved down to an existing bracket
        started = time.perf_counter()
        whole, shown = ask(editor)
        ms = (time.perf_counter() - started) * 1e3
        rest = file.text[stop.at :]
        start = file.text.rfind("\n", 0, stop.at) + 1
        yield Result(
            stop.kind, language_of(file.path), editor_name, file.project, file.path, file.text.count("\n", 0, stop.at) + 1,
            file.text[start : stop.at], "\n".join(rest.split("\n")[: shown.count("\n") + 1]), whole,
            judged(shown, rest), ms,
        )  # fmt: skip
    close()


# -- reporting


def summary(results: Iterable[Result]) -> dict[str, int]:
    """The numbers of places, and of each outcome."""
    counts = Counter(result.outcome for result in results)
    return {
        "places": counts.total(),
        "shown": counts.total() - counts["silent"],
        **{outcome: counts[outcome] for outcome in OUTCOMES},
    }


def tables(results: Sequence[Result]) -> str:
    """Markdown: by kind, by language, and by editor."""
    parts: list[str] = []
    for title, of, order in (
        ("kind of place", lambda result: result.kind, KINDS),
        ("language", lambda result: result.language, None),
        ("brackets", lambda result: result.editor, EDITORS),
    ):
        names = order or sorted({of(result) for result in results})
        rows = [(name, summary(result for result in results if of(result) == name)) for name in names]
        rows = [(name, row) for name, row in rows if row["places"]]
        if title == "brackets":
            rows.append(("**all**", summary(results)))
        columns = list(summary(()))
        lines = [f"| {title} | " + " | ".join(columns) + " |", "| --- |" + " --: |" * len(columns)]
        lines += [f"| {name} | " + " | ".join(str(row[column]) for column in columns) + " |" for name, row in rows]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def main() -> int:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sources", type=Path, nargs="+", help="folders of archives or projects")
    arguments.add_argument("--suffixes", nargs="+", default=[".py", ".go", ".json"], help="of the files that are typed")
    arguments.add_argument("--model", default=None, help="a model's folder or GGUF file; the embedded one if not given")
    arguments.add_argument("--count", type=int, default=400, help="places; each is asked about in both editors")
    arguments.add_argument("--editors", nargs="+", choices=EDITORS, default=EDITORS)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--part", default="1/1", help="such as 2/3: only the second third of the files")
    arguments.add_argument("--offline", action="store_true", help="ask in this process, without a server")
    arguments.add_argument("--json", type=Path, nargs="+", default=(), help="write what was shown at each place")
    arguments.add_argument(
        "--summarize", action="store_true", help="only print the tables of such files, as of one run"
    )
    options = arguments.parse_args()
    if options.summarize:
        print(tables([result for path in options.json for result in _read(path)]))
        return 0
    if not options.sources:
        arguments.error("--sources is required")
    card = Path(options.model) if options.model else Path(str(model.__file__)).parent / "embedded"
    seen = trained_on(card)
    files = [
        file
        for folder in options.sources
        for suffix in options.suffixes
        for file in files_in(folder, seen, suffix)
        if is_short(file)
    ]
    stops = choose(files, options.count, options.seed)
    part, parts = map(int, options.part.split("/"))
    chosen = list(dict.fromkeys(stop.file for stop in stops))[part - 1 :: parts]
    asked = _offline if options.offline else _served
    results: list[Result] = []
    for result in asked(
        options.model, options.editors, [[stop for stop in stops if stop.file is file] for file in chosen]
    ):
        results.append(result)
        if options.offline:
            print(json.dumps(asdict(result)), flush=True)
    projects = sorted({file.project for file in chosen})
    said = f"{len(results)} places in {len(chosen)} files of {', '.join(projects)}\n\n{tables(results)}"
    print(said, file=sys.stderr if options.offline else sys.stdout)
    for path in options.json:
        record = {"summary": summary(results), "places": [asdict(result) for result in results]}
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


def _served(model_name: str | None, editors: Sequence[str], files: Sequence[Sequence[Stop]]) -> Iterator[Result]:
    for editor in editors:
        client = Client.start(_CLIENT | ({"model": model_name} if model_name else {}))
        try:
            for stops in files:
                yield from type_file(over_lsp(client), editor, stops)
        finally:
            client.stop()


def _offline(model_name: str | None, editors: Sequence[str], files: Sequence[Sequence[Stop]]) -> Iterator[Result]:
    settings = Settings(model=model_name)
    opened = in_process(CompletionEngine(settings, patient=True), settings)
    for editor in editors:
        for stops in files:
            yield from type_file(opened, editor, stops)


def _read(path: Path) -> Iterator[Result]:
    """The places in a file written by `--json` or `--offline`."""
    text = path.read_text("utf-8")
    places = json.loads(text)["places"] if text.startswith("{\n") else map(json.loads, text.splitlines())
    yield from (Result(**place) for place in places)


if __name__ == "__main__":
    sys.exit(main())

"""The keys saved by completion tools with the same model: windows of reserved projects, typed letter by letter with each of them.

    python -m benchmarks.clients --sources FOLDER --model FILE.gguf [--windows 12] [--tools suture llama.vim] [--out SHOWN.jsonl]

A window is some lines of a file (`--lines`), between the text above and the text below it. The typist waits at each letter for the tool's
text by its own rules (`client_rules.py`), the editor indents, and a text stays as long as its beginning is typed. Each window is typed three
times, accepting only whole texts, with one key; or also right words, with a key each; or also right lines, with a key each.

*Saved* is the share of letters saved. *Shown*, *right* and *wrong* count texts where whole ones are accepted; a text is *begun* where its
first word is right. A wrong text is *beyond repair* where no text typed behind it makes the file valid.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from suture import model, parser
from suture.lsp_server.completion.asking.refusals import Refusals, Shown
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.training.editing_places import File

from .client_rules import Continue, LlamaVim, LlamaVscode, Proposal, Tool, Writer
from .keystrokes import Editor
from .reserved_files import files_in, language_of, trained_on

WAYS = ("whole", "words", "lines")
"""The parts accepted."""
_PIECE = re.compile(r"\s*(?:\w+|[^\w\s]+)")
_LONGEST_LINE = 120  # of a window
_LONGEST_FILE = 200  # lines, since other tools make the model reread their whole request at each letter
_LEAST_CODE = 0.7  # of a window's lines
_PATIENCE_MS = 5000  # for a second look, so that a busy machine does not change the answers


@dataclass(frozen=True)
class Window:
    """Lines of a file to type, between those above and below."""

    project: str
    path: str
    left: str
    truth: str
    right: str


@dataclass(frozen=True)
class Text:
    """A shown text."""

    tool: str
    path: str
    before: str  # the line up to the cursor
    shown: str
    truth: str
    right: bool
    begun: bool
    beyond_repair: bool


@dataclass
class Counts:
    """The counts of typing."""

    letters: int = 0
    keys: int = 0
    texts: list[Text] = field(default_factory=list[Text])

    @property
    def saved(self) -> float:
        """The percentage of letters saved."""
        return 100 * (1 - self.keys / max(1, self.letters))


class Suture:
    """The server's own path, for a client that leaves the cursor within brackets."""

    def __init__(self, engine: CompletionEngine, settings: Settings) -> None:
        self._engine, self._settings, self._refusals = engine, settings, Refusals()

    def proposal(self, left: str, right: str, path: str) -> Proposal:
        refused = self._refusals.count("", left + right, len(left))
        place = CursorContext(
            Path(path).as_uri(), language_of(path), left + right, len(left), path=path, settings=self._settings,
            refused=refused, options={"looks_ms": _PATIENCE_MS}, inside=True,
        )  # fmt: skip
        outcome = self._engine.suggest(place, lambda: False)
        if not isinstance(outcome, Suggestion):
            return Proposal()
        self._refusals.note("", Shown(left + right, len(left), outcome.to_cursor, refused))
        return Proposal(outcome.text, outcome.behind)

    def forget(self) -> None:
        """Begin another window."""
        self._refusals = Refusals()


def typed(tool: Tool, name: str, window: Window, path: str, way: str) -> Counts:
    """Type a window with a tool."""
    counts, editor, written = Counts(), Editor(window.left, window.right, closes=False), 0
    kept = Proposal()
    while written < len(window.truth):
        rest = window.truth[written:]
        behind = editor.text[len(editor.left) :]
        if not kept.text:
            kept = tool.proposal(editor.left, behind, path)
            if kept.text.strip():
                counts.texts.append(_text(name, window, editor, kept, rest))
        taken, keys = _accepted(kept, rest, way)
        if taken:
            after = kept.text[len(kept.text) - kept.behind :] if kept.behind and taken == _shown(kept) else ""
            letters = len(re.sub(r"\n\s+", "\n", taken))
            editor.insert(taken, 0, after)
            written, counts.keys, counts.letters = written + len(taken), counts.keys + keys, counts.letters + letters
            kept = Proposal()
            continue
        length, letters, keys = editor.type(rest)
        written, counts.keys, counts.letters = written + length, counts.keys + keys, counts.letters + letters
        # A text typed along stays; perhaps only its closing brackets are left of it.
        along = _shown(kept).startswith(rest[:length]) and len(_shown(kept)) > length
        kept = replace(kept, text=kept.text[length:]) if along else Proposal()
    return counts


def _shown(proposal: Proposal) -> str:
    return proposal.text[: len(proposal.text) - proposal.behind]


def _text(name: str, window: Window, editor: Editor, proposal: Proposal, rest: str) -> Text:
    shown, behind = _shown(proposal), editor.text[len(editor.left) :]
    first = _PIECE.match(rest)
    end = rest.find("\n", len(shown))
    return Text(
        name, f"{window.project}/{window.path}", editor.left.rpartition("\n")[2], shown, rest if end < 0 else rest[:end],
        rest.startswith(shown.rstrip()), first is not None and shown.startswith(first[0]),
        is_beyond_repair(window.path, editor.left, proposal.text, behind),
    )  # fmt: skip


def is_beyond_repair(path: str, left: str, text: str, right: str) -> bool:
    """Whether a text makes a completable file uncompletable at a cursor."""
    language = parser.language(language_of(path))
    return not language.hole(left + text, right).viable and language.hole(left, right).viable


def _accepted(proposal: Proposal, rest: str, way: str) -> tuple[str, int]:
    """The accepted part of a text, and the number of keys for it; "" where nothing is saved."""
    shown = _shown(proposal)
    if shown.strip() and rest.startswith(shown) and len(shown) > 1:
        return shown, 1
    if way == "whole":
        return "", 0
    pieces = _PIECE.finditer(shown) if way == "words" else re.finditer(r".*(?:\n|\Z)", shown)
    end = keys = 0
    for piece in pieces:
        text = shown[: piece.end()].rstrip("\n")
        cut = way == "words" and re.match(r"\w\w", rest[len(text) - 1 : len(text) + 1]) is not None
        if not text or not rest.startswith(text) or cut or (way == "lines" and rest[len(text) :][:1] not in ("", "\n")):
            break
        end, keys = len(text), keys + 1
    return (shown[:end], keys) if len(re.sub(r"\s", "", shown[:end])) > keys else ("", 0)


def windows_in(files: Sequence[File], count: int, lines: int, seed: int) -> list[Window]:
    """Windows of `lines` lines, one per file, spread over all projects."""
    rng = random.Random(seed)
    by_project: dict[str, list[File]] = {}
    for file in sorted(files, key=lambda file: (file.project, file.path)):
        by_project.setdefault(file.project, []).append(file)
    for listed in by_project.values():
        rng.shuffle(listed)
    chosen, names = list[Window](), sorted(by_project)
    rng.shuffle(names)
    while len(chosen) < count and any(by_project.values()):
        for name in names:
            if by_project[name] and len(chosen) < count:
                chosen += _window(rng, by_project[name].pop(), lines)
    return chosen


def _window(rng: random.Random, file: File, count: int) -> list[Window]:
    """A window of a file, without its first and last lines; none where it has too little code."""
    lines = file.text.split("\n")
    if len(lines) > _LONGEST_FILE:
        return []
    starts = [
        start
        for start in range(2, len(lines) - count - 2)
        if lines[start].strip()
        and max(map(len, lines[start : start + count])) <= _LONGEST_LINE
        and sum(map(_is_code, lines[start : start + count])) >= _LEAST_CODE * count
    ]
    if not starts:
        return []
    start = rng.choice(starts)
    first = len(lines[start]) - len(lines[start].lstrip())
    above, below = "\n".join(lines[:start]) + "\n", "\n" + "\n".join(lines[start + count :])
    truth = "\n".join(lines[start : start + count])
    return [Window(file.project, file.path, above + truth[:first], truth[first:].rstrip(), below)]


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "//", "*", "/*", '"""', "'''"))


# -- the table

HEADER = (
    "| tool | saved, whole | by word | by line | shown | right | begun | wrong | beyond repair |\n"
    "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"
)


def row(name: str, counts: dict[str, Counts]) -> str:
    """A line of the table."""
    texts = counts[next(iter(counts))].texts
    right = sum(text.right for text in texts)
    begun = sum(text.begun and not text.right for text in texts)
    saved = " | ".join(f"{counts[way].saved:.1f} %" if way in counts else "" for way in WAYS)
    beyond = sum(text.beyond_repair for text in texts)
    return f"| {name} | {saved} | {len(texts)} | {right} | {begun} | {len(texts) - right} | {beyond} |"


def compare(
    tools: dict[str, Tool], windows: Iterable[Window], root: Path, ways: Sequence[str]
) -> Iterator[dict[str, dict[str, Counts]]]:
    """Type the windows with each tool; the counts so far, by tool and by the parts accepted, after each window."""
    everything = {name: {way: Counts() for way in ways} for name in tools}
    for window in windows:
        path = root / window.project / window.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(window.left + window.right, encoding="utf-8")
        for name, tool in tools.items():
            for way in ways:
                if isinstance(tool, Suture):
                    tool.forget()
                counts, added = everything[name][way], typed(tool, name, window, path.as_posix(), way)
                counts.letters, counts.keys = counts.letters + added.letters, counts.keys + added.keys
                counts.texts += added.texts
        yield everything


def tools_named(names: Sequence[str], settings: Settings, speed: int) -> tuple[dict[str, Tool], Callable[[], None]]:
    """The named tools over one model, and a function to release it."""
    engine = CompletionEngine(settings, patient=True)
    engine.keeper.load()
    writer = Writer(engine.keeper.model(), speed)
    known: dict[str, Callable[[], Tool]] = {
        "suture": lambda: Suture(engine, settings), "llama.vim": lambda: LlamaVim(writer),
        "llama.vscode": lambda: LlamaVscode(writer), "continue": lambda: Continue(writer),
    }  # fmt: skip
    return {name: known[name]() for name in names}, engine.unload


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--sources", type=Path, required=True, help="a folder of archives or projects")
    arguments.add_argument("--suffixes", nargs="+", default=[".py"], help="of the files that are read")
    arguments.add_argument("--model", default=None, help="a model's file or folder; the embedded model when not given")
    arguments.add_argument(
        "--tools", nargs="+", default=["suture", "llama.vim", "llama.vscode", "continue"],
        choices=["suture", "llama.vim", "llama.vscode", "continue"],
    )  # fmt: skip
    arguments.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS, help="what is accepted")
    arguments.add_argument("--windows", type=int, default=12)
    arguments.add_argument("--lines", type=int, default=8, help="of a window")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--part", default="1/1", help="such as 2/3: only the second third of the windows")
    arguments.add_argument(
        "--tokens-a-second", type=int, default=60, help="by which limits of time become those of tokens"
    )
    arguments.add_argument("--all", action="store_true", help="projects that are not reserved, to try something out")
    arguments.add_argument("--out", type=Path, default=None, help="write each text that was shown as a line of JSON")
    options = arguments.parse_args()
    card = Path(options.model) if options.model else Path(str(model.__file__)).parent / "embedded"
    seen = trained_on(card)
    files = [
        file
        for suffix in options.suffixes
        for file in files_in(options.sources, seen, suffix, reserved=not options.all)
    ]
    part, parts = map(int, options.part.split("/"))
    windows = windows_in(files, options.windows, options.lines, options.seed)[part - 1 :: parts]
    print(
        f"{len(windows)} windows of {options.lines} lines in "
        + ", ".join(f"{w.project}/{w.path}" for w in windows)
        + "\n"
    )
    settings = Settings(model=options.model, device="cpu", certainty=None)
    tools, close = tools_named(options.tools, settings, options.tokens_a_second)
    everything = dict[str, dict[str, Counts]]()
    with tempfile.TemporaryDirectory() as folder:
        for everything in compare(tools, windows, Path(folder), options.ways):
            rows = (row(name, counts) for name, counts in everything.items())
            print("\n".join(rows) + "\n", file=sys.stderr, flush=True)
    print("\n".join((HEADER, *(row(name, counts) for name, counts in everything.items()))))
    if options.out:
        texts = (text for counts in everything.values() for text in counts[options.ways[0]].texts)
        options.out.write_text("".join(json.dumps(asdict(text)) + "\n" for text in texts), encoding="utf-8")
    close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

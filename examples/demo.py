"""Show Suture's suggestions in the samples, beside the same model's text without a grammar: `make demo`."""

from __future__ import annotations

import ast
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from suture import model, parser
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.editing import Editing
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.model.loading.recommend import GAIN, recommend
from suture.parser.pending import mended

SAMPLES = Path(__file__).with_name("samples.json")
SHOWN = 60  # characters of context on a line of the screen
PATIENCE_MS = 60_000  # for a second text, so that a busy machine shows the same as others


@dataclass(frozen=True)
class Sample:
    """A place where a person would write the suggestion; the playground and the tests read the same file.

    The places are chosen: in most, the model alone goes wrong.
    """

    name: str
    language: str
    text: str  # with | for the cursor
    wanted: str
    asked: bool = False  # by pressing the key; else it comes by itself

    @property
    def sides(self) -> tuple[str, str]:
        """The text before and behind the cursor."""
        left, right = self.text.split("|")
        return left, right

    @property
    def place(self) -> CursorContext:
        """The cursor."""
        left, right = self.sides
        return CursorContext(self.name, self.language, left + right, len(left), options={"looks_ms": PATIENCE_MS})


def samples() -> list[Sample]:
    """All samples, in the order of showing them."""
    return [Sample(**values) for values in json.loads(SAMPLES.read_text(encoding="utf-8"))]


def suggested(engine: CompletionEngine, sample: Sample) -> str:
    """The text the server would show in a sample; "" for nothing."""
    if sample.asked:
        several = engine.alternatives(sample.place, 3, lambda: False)
        return several[0].text if several else ""
    found = engine.suggest(sample.place, lambda: False)
    return found.text if isinstance(found, Suggestion) else ""


def unconstrained(engine: CompletionEngine, sample: Sample) -> str:
    """The text of the model alone."""
    left, right = sample.sides
    state = engine.sessions.hole(sample.place).state
    assert state is not None
    options = model.Options(mode="unconstrained", max_tokens=32, max_lines=0)
    return model.complete(engine.keeper.model(), state, left, right, options).text


def main() -> int:
    """Print each sample; exit status 1 when a suggestion does not fit."""
    start = time.perf_counter()
    engine = CompletionEngine(Settings(), patient=True)  # a slow machine shows the same
    engine.keeper.load()
    engine.sessions.prepare("python")
    print(
        f"Model and grammar loaded in {time.perf_counter() - start:.1f} s. The suggestion stands between the marks.\n"
        "These places were chosen to show what the constraint does: at most of them the model alone goes wrong.\n"
    )
    shown = [show(engine, sample) for sample in samples()]
    failed = sum(not fits for fits, _ in shown)
    alone = sum(valid for _, valid in shown)
    print(
        f"{len(shown) - failed} of {len(shown)} fit with the constraint, {alone} of {len(shown)} without it, at places chosen for that."
    )
    if failed:
        print(f"{failed} suggestions do not fit: this is a bug, please report it.")
    print(better_model())
    return min(failed, 1)


def show(engine: CompletionEngine, sample: Sample) -> tuple[bool, bool]:
    """Complete one sample and print it; return whether the suggestion fits, and the text of the model alone."""
    start = time.perf_counter()
    text = suggested(engine, sample)
    took_ms = (time.perf_counter() - start) * 1e3
    alone = unconstrained(engine, sample)
    left, right = sample.sides
    print(f"• {sample.name}" + (" (the user asked)" if sample.asked else ""))
    for line in (left + mark(text) + right).splitlines():
        print(f"    {line[: SHOWN * 2]}")
    place = engine.sessions.editing(sample.place)
    assert isinstance(place, Editing)
    hole, finished = place.hole, mended(place.cursor.right, place.hole.pending)
    fits = not why_broken(hole, sample.language, left, text, finished)
    print(f"    → {whole(hole) if fits else 'DOES NOT FIT'}; {took_ms:.0f} ms")
    problem = why_broken(hole, sample.language, left, alone, finished)
    print(f"    without the constraint: {mark(in_one_line(alone))}")
    print(f"    → {problem or ('valid, too' if hole.viable else 'no new error, too')}\n")
    return fits, not problem


def whole(hole: parser.Hole) -> str:
    """The state of a file with a fitting text, in words."""
    if hole.pending:
        return "valid once you finish what is begun: " + ", ".join(mark(in_one_line(one.text)) for one in hole.pending)
    return "the file is valid" if hole.viable else "no new error in a file that is broken elsewhere"


def better_model() -> str:
    """How to get a better model on this machine, if there is one."""
    suited = recommend()
    if suited.preset is None:
        return f"This was the small bundled model. {suited.in_words()}"
    steps = "\n".join(f"    {step}" for step in suited.steps())
    return f"This was the small bundled model. {suited.in_words()} {GAIN}\n{steps}"


def mark(text: str) -> str:
    """The suggestion, marked for a person's eye."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"\033[7m{text}\033[0m" if colour else f"⟦{text}⟧"


def in_one_line(text: str) -> str:
    """As much of a text as is shown, in one line."""
    shown = text.replace("\n", "⏎")
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"


def why_broken(hole: parser.Hole, language: str, left: str, text: str, right: str) -> str:
    """The place where a text for a hole breaks the file, by the language's own parser, or names something undefined; "" if it fits.

    In a file broken elsewhere, Suture is the judge: the part around the hole has to hold together.
    """
    if hole.viable:
        try:
            json.loads(left + text + right) if language == "json" else ast.parse(left + text + right)
        except json.JSONDecodeError as error:
            return f"breaks the file at {error.lineno}:{error.colno}: {error.msg}"
        except SyntaxError as error:
            return f"breaks the file at {error.lineno}:{error.offset}: {error.msg}"
    refused = why_refused(hole, text)
    return f"parses, but {refused}" if refused and hole.viable else refused


def why_refused(hole: parser.Hole, text: str) -> str:
    """The reason why Suture does not show a text in a hole; "" if it fits."""
    state = hole.state
    assert state is not None
    for end in range(len(text)):
        after = state.advance(text[end])
        if after is None:
            return state.refusal(text[end]) or f"does not fit after {in_one_line(text[:end])!r}"
        state = after
    return "" if state.complete else state.refusal("") or "leaves something open"


if __name__ == "__main__":
    sys.exit(main())

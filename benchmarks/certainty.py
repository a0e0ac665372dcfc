"""The effect of a threshold of certainty: the share of texts shown while somebody types, the share of right ones, and the keys saved.

    python -m benchmarks.certainty --corpus RUN/corpus.jsonl

Lines taken out of unseen files are typed again letter by letter. A suggestion is requested at every letter, to compare all thresholds on the
same answers; for each, a typist accepts an entirely right suggestion with one key and types a letter otherwise. As in the server, a
suggestion typed along stays, and a refused one raises the threshold for the rest of the line (`lsp_server/completion/asking/refusals.py`).
`certain` in `suggestion.py` decides what is shown; `slight` is the share of single signs, or of nothing but signs. A suggestion that stays
while its beginning is typed counts at each letter, and once under `suggestions`. The model's own numbers are fitted by
`suture.training.fit_copying`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from suture import model, parser
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.judging.certainty import by_model, certain
from suture.lsp_server.completion.judging.policy import is_informative, raised
from suture.lsp_server.completion.proposing.editing import Editing, shaped
from suture.lsp_server.completion.proposing.filling import fill as fill_hole
from suture.lsp_server.completion.proposing.shown import Suggestion, to_show
from suture.lsp_server.completion.proposing.suggestion import LOOKS
from suture.model.calibration import Certainty
from suture.training.corpus import Source, load_corpus
from suture.training.fit_copying import fitting_sources

from .model import line_to_type

_THRESHOLDS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.26, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8)
_PATIENCE_MS = 5000  # for a second look, so that a busy machine does not change the answers


@dataclass(frozen=True)
class CompletionRequest:
    """A request while a line is typed."""

    text: str  # of the file, with the typed part of the line
    offset: int
    truth: str  # the rest of the line
    place: Editing
    completion: model.Completion

    def shown(self, numbers: Certainty, least: float) -> Suggestion | None:
        """The suggestion shown with a threshold."""
        sure = certain(self.completion, by_model(numbers), least) if least else None
        chosen = self.completion if not least else sure.completion if sure else None
        suggestion = None if chosen is None else to_show(self.place, chosen)
        return suggestion if isinstance(suggestion, Suggestion) else None


def ask_at_every_letter(
    loaded: model.Model, sources: Sequence[Source], lines: int, seed: int
) -> Iterator[list[CompletionRequest]]:
    """The requests of each line."""
    rng = random.Random(seed)
    session = parser.language("python").session()
    for _ in range(lines):
        text, start, end = line_to_type(rng, sources)
        asked: list[CompletionRequest] = []
        for offset in range(start, end):
            now = text[:offset] + text[end:]
            cursor, hole = Cursor.at(now, offset), session.hole(now, offset, lambda: False)
            place = Editing(cursor, session, hole, "python", 0.0)
            options = shaped(model.Options(looks_ms=_PATIENCE_MS), place)
            options = replace(options, looks=LOOKS)
            completion = fill_hole(hole, cursor.left, cursor.right, loaded, options)
            asked.append(CompletionRequest(now, offset, text[offset:end], place, completion))
        yield asked


def typed(lines: Sequence[Sequence[CompletionRequest]], numbers: Certainty, least: float) -> dict[str, float]:
    """The counts of typing the lines with a threshold."""
    keys = letters = shown = right = length = slight = made = made_right = 0
    for asked in lines:
        letters += len(asked)
        position = refused = 0
        stays = ""  # the rest of a suggestion typed along
        while position < len(asked):
            keys += 1
            suggestion = None if stays else asked[position].shown(numbers, raised(least, refused))
            text = stays or ("" if suggestion is None else suggestion.text)
            fits = text != "" and asked[position].truth.startswith(text)
            took, stays = 1, ""
            if text:
                shown, right = shown + 1, right + fits
                length += len(text)
                slight += not is_informative(text)
                made, made_right = made + (suggestion is not None), made_right + (fits and suggestion is not None)
                if fits:
                    took, refused = len(text), 0
                elif asked[position].truth[0] == text[0]:
                    stays = text[1:]
                else:
                    refused += 1
            position += took
    return {
        "threshold": least,
        "shown per 100 keystrokes": 100 * shown / keys,
        "right % of shown": 100 * right / max(1, shown),
        "suggestions per 100 keystrokes": 100 * made / keys,
        "right % of suggestions": 100 * made_right / max(1, made),
        "keystrokes saved %": 100 * (1 - keys / letters),
        "slight % of shown": 100 * slight / max(1, shown),
        "characters shown": length / max(1, shown),
    }


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--corpus", type=Path, required=True, help="corpus.jsonl of a run of `suture train`")
    arguments.add_argument("--model", default=None, help="a local folder; the embedded model when not given")
    arguments.add_argument("--lines", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--threads", type=int, default=None)
    options = arguments.parse_args()
    loaded = model.load(options.model, threads=options.threads)
    held_out = load_corpus(options.corpus).held_out
    fitted = fitting_sources(held_out)
    sources = [source for source in held_out if source not in fitted]
    lines = list(ask_at_every_letter(loaded, sources, options.lines, options.seed))
    rows = [typed(lines, loaded.certainty, least) for least in _THRESHOLDS]
    print("| " + " | ".join(rows[0]) + " |\n|" + " --: |" * len(rows[0]))
    for row in rows:
        print(
            "| "
            + " | ".join(f"{value:.2f}" if name == "threshold" else f"{value:.1f}" for name, value in row.items())
            + " |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

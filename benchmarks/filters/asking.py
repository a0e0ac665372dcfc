"""The model's prompt and sampling, the same in all arms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from suture import model
from suture.lsp_server.context.cross_file import LIMITS, CrossFileContext, OtherFile
from suture.model.decoding.types import Mode, Snippet

from benchmarks.papers.record import Job

from .holes import neighbours, one_line, tokens

LINE_LAST = "line last"  # prefix first, with the cursor's line behind the token for the middle
ORDERS = ("psm", "spm", LINE_LAST)
_COMMENTS = {"python": "#", "go": "//"}


@dataclass(frozen=True)
class Asking:
    """The options that vary."""

    context: int = 1024  # tokens of left and right context together
    right_lines: int | None = None  # of the right context in the prompt; None: as many as fit
    others: bool = False  # whether the prompt shows pieces of the project's other files, as in an editor
    temperature: float = 0.0
    draws: int = 4  # of a sampled text, until one parses
    sample: int = 0  # another number samples other texts

    def options(self, job: Job, mode: Mode, draw: int = 0) -> model.Options:
        """The options for a text; the same draw begins with the same random numbers in all modes."""
        most = 0 if one_line(job.row) and mode == "constrained" else None
        return model.Options(
            mode=mode, max_tokens=tokens(job.row), max_lines=most, context_tokens=self.context, language=job.language,
            path=PurePosixPath(job.data).name if self.others else None, snippets=self._snippets(job),
            temperature=self.temperature, seed=(job.seed * 100_000 + job.number) * 1_000 + self.sample * 100 + draw,
        )  # fmt: skip

    def shown(self, job: Job) -> str:
        """The right context in the prompt; the constraint knows all of it."""
        return job.right if self.right_lines is None else "".join(job.right.splitlines(True)[: self.right_lines])

    def _snippets(self, job: Job) -> tuple[Snippet, ...]:
        if not self.others:
            return ()
        near = [OtherFile(f"{file.project}/{file.path}", file.text) for file in neighbours(job, LIMITS.files)]
        pieces = CrossFileContext().pieces(job.data, job.left + job.right, len(job.left), near)
        return tuple(Snippet(piece.path, piece.text, _COMMENTS[job.language]) for piece in pieces)


def load(name: str | None, device: str, threads: int | None, order: str | None) -> model.Model:
    """The model with one of its template's orders; None: its own."""
    own = order if order != LINE_LAST else "psm"
    loaded = model.load(name, device=device, threads=threads, order=own)
    return loaded if order is None else replace(loaded, line_last=order == LINE_LAST)

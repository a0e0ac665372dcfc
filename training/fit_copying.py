"""Fits the numbers beside a model's weights, on files unseen by the model.

    python -m suture.training.fit_copying --model DIR --corpus RUN/corpus.jsonl [--holes N] [--threads N] [--language go]

First the document's gate against the model (`cache_lm.mixture.MixtureWeights`): rests of lines, whole lines and holes of the training's kinds
are filled with their right answers, token by token; the numbers maximise the likelihood of these answers. Then the gate of the names around
the cursor (`fit_names`), and the calibration of the model's probability of a text (`fit_calibration`). The packages used here do not measure
the model. For a language other than Python the holes are rests of lines and lines, and the numbers are kept in files of its own. The same
weights and corpus give the same numbers; it takes some minutes on one core.
"""

# Some of torch's methods have no types.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..common.terminal import Parser, say
from ..model import calibration
from ..model.cache_lm import mixture
from ..model.cache_lm.mixture import END_FEATURES, FEATURES, Copier, MatchFeatures, MixtureWeights
from ..model.errors import ModelError
from ..model.loading.load import in_language, load
from ..model.name_lm import votes as name_votes
from ..model.ngram_lm import backoff, votes
from ..model.ngram_lm.votes import FEATURES as NGRAM_FEATURES
from ..model.ngram_lm.votes import NgramVoter, NgramVotes
from ..model.prompting import prompt
from ..model.runtime.base import Model
from ..model.vote_gate import VoteGate
from . import repository_corpus
from .corpus import Source, load_corpus
from .editing_places import KINDS, File, choose
from .evaluate import EvaluationHole, line_holes, while_written, whole_line_holes
from .fim import choose_hole
from .fit_calibration import PLACES, fit_certainty
from .fit_names import fit_names

FITTED_ON = ("cattrs", "pgcli", "rich", "sqlite-utils", "xmltodict")  # of the packages held out from training

HOLES = 2400

_STOPS_SHARE = 0.4  # of the holes are at places where people pause
_RESTS_SHARE = 0.3  # are rests of lines
_LINES_SHARE = 0.2  # are lines; the rest is of all kinds
_SHORT_SHARE = 0.25  # of the holes are in files cut short: a new file has less to copy, and less to trust
_WRITTEN_SHARE = 0.25  # are in files being written from top to bottom, with nothing below
_LONGEST_ANSWER = 40  # tokens
_HIDDEN = 24
_STEPS = 300
_RATE = 0.02
_DECAY = 1e-5
_LEAST = -40.0  # log probability


@dataclass(frozen=True, slots=True)
class Position:
    """One token of a right answer: the predictions of the model and the document before it."""

    votes: MatchFeatures
    usual: NgramVotes
    token: int
    log_prob: float  # of the token, by the model
    end_log_prob: float  # of the end, by the model
    is_end: bool


@dataclass(frozen=True, slots=True)
class Fitted:
    """The gates of the document and of the n-gram model."""

    copying: MixtureWeights
    ngrams: VoteGate | None  # None without an n-gram model

    def save(self, folder: Path, language: str = "") -> None:
        """Write the numbers into a model's folder, for one language or any."""
        self.copying.save(folder / in_language(mixture.FILE, language))
        if self.ngrams is not None:
            self.ngrams.save(folder / in_language(votes.FILE, language))


def fitting_sources(held_out: Sequence[Source]) -> list[Source]:
    """The files to fit on: those of known packages or, without any, of every second one but the last."""
    names = sorted({source.package for source in held_out})
    chosen = set(FITTED_ON) & set(names) or set(names[:-1:2])
    return [source for source in held_out if source.package in chosen]


def calibrate(
    model: Model,
    holes: Sequence[EvaluationHole],
    seed: int = 0,
    say: Callable[[str], None] = lambda _: None,
    voter: NgramVoter | None = None,
) -> Fitted:
    """Fit the gates for a model without copying."""
    positions = collect(model, holes, voter)
    say(f"fitting how far to copy on {len(positions)} tokens of {len(holes)} holes")
    return fit(positions, seed, say)


def choose_holes(texts: Sequence[str], count: int, seed: int) -> list[EvaluationHole]:
    """Holes like those of completions, most of them in a line of code."""
    rng = random.Random(seed)
    files = [File("", str(number), text) for number, text in enumerate(texts)]
    stops = choose(files, -(-int(_STOPS_SHARE * count) // KINDS), seed)
    holes = [EvaluationHole(stop.file.text[: stop.start], stop.taken, stop.file.text[stop.end :]) for stop in stops]
    count += len(holes) - int(_STOPS_SHARE * count)
    holes += line_holes(texts, int(_RESTS_SHARE * count), seed)
    holes += whole_line_holes(texts, int(_LINES_SHARE * count), seed)
    while texts and len(holes) < count:
        text = rng.choice(texts)
        start, end = choose_hole(text, rng)
        holes.append(EvaluationHole(text[:start], text[start:end], text[end:]))
    return [_unfinished(hole, rng) for hole in holes]


def choose_lines(texts: Sequence[str], count: int, seed: int) -> list[EvaluationHole]:
    """Holes in files of any language: rests of lines, and lines."""
    rng = random.Random(seed)
    rests = round(count * _RESTS_SHARE / (_RESTS_SHARE + _LINES_SHARE))
    holes = line_holes(texts, rests, seed) + whole_line_holes(texts, count - rests, seed)
    return [_unfinished(hole, rng) for hole in holes]


def _unfinished(hole: EvaluationHole, rng: random.Random) -> EvaluationHole:
    """The hole, or the same in a shorter file."""
    kind = rng.random()
    if kind < _SHORT_SHARE:
        return _in_short_file(hole, rng)
    return while_written(hole, rng) if kind < _SHORT_SHARE + _WRITTEN_SHARE else hole


def _in_short_file(hole: EvaluationHole, rng: random.Random) -> EvaluationHole:
    """The hole with few lines around it."""
    left = hole.left[-rng.randint(100, 2000) :]
    right = hole.right[: rng.randint(1, 800)]
    left = left[left.find("\n") + 1 :] if len(left) < len(hole.left) else left
    return EvaluationHole(left, hole.middle, right[: right.rfind("\n") + 1])


def collect(model: Model, holes: Sequence[EvaluationHole], voter: NgramVoter | None = None) -> list[Position]:
    """The positions of all right answers, each with its end token unless it is very long."""
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends, voter)
    end = int(copier.ends[0])
    positions: list[Position] = []
    for hole in holes:
        asked = prompt.build(model, hole.left, hole.right, budget=model.context_tokens - _LONGEST_ANSWER - 8)
        copier.read(hole.left, hole.right, (), asked.ids, asked.forced)
        answer = list(model.vocabulary.encode(asked.forced.decode(errors="ignore") + hole.middle))[:_LONGEST_ANSWER]
        rows = [model.runtime.prefill(asked.ids), *(model.runtime.rows(answer) if answer else ())]
        targets = answer if len(answer) == _LONGEST_ANSWER else [*answer, end]
        for index, (row, token) in enumerate(zip(rows, targets, strict=False)):
            generated = copier.spelling(answer[:index])
            logp = copier.log_probabilities(row, generated)
            log_end = float(np.logaddexp.reduce(logp[copier.ends]))
            is_end = token == end
            log_prob = log_end if is_end else float(logp[token])
            copied = copier.votes(generated, logp)
            usual = copier.ngram_votes(answer[:index], logp, copied)
            positions.append(Position(copied, usual, token, log_prob, log_end, is_end))
    return positions


def fit(positions: Sequence[Position], seed: int = 0, say: Callable[[str], None] = lambda _: None) -> Fitted:
    """The gates with the greatest likelihood of the positions' tokens."""
    torch.manual_seed(seed)
    data = _Data(positions)
    gates = [_gate(FEATURES), *([_gate(NGRAM_FEATURES)] if len(data.usual.features) else [])]
    end_bias = torch.nn.Parameter(torch.zeros(END_FEATURES))
    parameters = [parameter for gate in gates for parameter in gate.parameters()] + [end_bias]
    optimizer = torch.optim.Adam(parameters, lr=_RATE)
    say(f"nats per token without copying: {-data.log_prob.mean().item():.4f}")
    loss = data.log_prob.new_zeros(())
    for step in range(_STEPS):
        optimizer.param_groups[0]["lr"] = _RATE * (1 - step / _STEPS)
        loss = data.nats(gates, end_bias).mean()
        penalty = torch.stack([(value**2).sum() for value in parameters]).sum()
        optimizer.zero_grad()
        (loss + _DECAY * penalty).backward()
        optimizer.step()
    say(f"nats per token with copying{' and n-grams' * (len(gates) - 1)}: {loss.item():.4f}")
    (hidden, token, end), *ngrams = map(_numbers, gates)
    copying = MixtureWeights(hidden, token, end, end_bias.detach().double().numpy())
    return Fitted(copying, VoteGate(*ngrams[0]) if ngrams else None)


def _gate(features: int) -> torch.nn.Sequential:
    """A network for the log weights of votes for a token, and for the end."""
    out = torch.nn.Linear(_HIDDEN, 2)
    with torch.no_grad():
        out.weight.mul_(0.3)
        out.bias.fill_(-3.0)  # at first the model is trusted
    return torch.nn.Sequential(torch.nn.Linear(features, _HIDDEN), torch.nn.Tanh(), out)


def _numbers(gate: torch.nn.Sequential) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The hidden layer, the weights for tokens, those for the end."""
    values = {name: value.detach().double() for name, value in gate.named_parameters()}
    both = torch.cat([values["2.weight"], values["2.bias"][:, None]], dim=1).numpy()
    return torch.cat([values["0.weight"].T, values["0.bias"][None]]).numpy(), both[0], both[1]


class _Votes:
    """The votes of one kind at all positions, as flat tensors: V votes altogether."""

    def __init__(self, positions: Sequence[Position], votes: Sequence[MatchFeatures] | Sequence[NgramVotes]) -> None:
        self.owner = torch.repeat_interleave(torch.tensor([len(vote.tokens) for vote in votes]))  # (V,) the position
        self.features = torch.tensor(np.concatenate([vote.features for vote in votes]), dtype=torch.float32)
        hits = [vote.tokens == position.token for vote, position in zip(votes, positions, strict=True)]
        self.hits = torch.tensor(np.concatenate(hits))
        self.may_end = torch.tensor(np.concatenate([vote.ends for vote in votes]))


class _Data:
    """All positions as flat tensors: (P,)."""

    def __init__(self, positions: Sequence[Position]) -> None:
        self.copied = _Votes(positions, [position.votes for position in positions])
        self.usual = _Votes(positions, [position.usual for position in positions])
        self.is_end = torch.tensor([p.is_end for p in positions])
        self.log_prob = torch.tensor([p.log_prob for p in positions]).clamp(min=_LEAST)
        self.end_prob = torch.tensor([p.end_log_prob for p in positions]).clamp(min=_LEAST, max=-1e-6).exp()
        self.end_features = torch.tensor(np.array([p.votes.end_features for p in positions]), dtype=torch.float32)

    def nats(self, gates: Sequence[torch.nn.Sequential], end_bias: Tensor) -> Tensor:
        """The negative log probability of each position's token: (P,)."""
        right = torch.zeros_like(self.log_prob)
        total = 1 + right
        for kind, gate in zip((self.copied, self.usual), gates, strict=False):
            token, end = gate(kind.features).clamp(max=12).exp().unbind(1)
            end = end * kind.may_end
            total = total.index_add(0, kind.owner, token + end)
            wanted = torch.where(self.is_end[kind.owner], end, token * kind.hits)
            right = right.index_add(0, kind.owner, wanted)
        factor = (self.end_features @ end_bias).exp()
        own = torch.where(self.is_end, self.end_prob * factor, self.log_prob.exp())
        own = own / (1 - self.end_prob + self.end_prob * factor)
        return -((right + own) / total + 1e-12).log()


def calibrate_folder(
    folder: Path,
    texts: Sequence[str],
    holes: int,
    seed: int,
    threads: int | None,
    say: Callable[[str], None],
    language: str = "",
) -> None:
    """Fit and write the numbers of the model in a folder: all of them, or those of copies and n-grams in one language."""
    plain = load(str(folder), copying=False, threads=threads)
    table = folder / in_language(backoff.FILE, language)
    ngrams = backoff.load_backoff(table, plain.vocabulary, plain.runtime.size) if table.exists() else None
    voter = NgramVoter(ngrams, plain.vocabulary) if ngrams is not None else None
    chosen = choose_lines(texts, holes, seed) if language else choose_holes(texts, holes, seed)
    (folder / name_votes.FILE).unlink(missing_ok=True)  # these numbers are fitted after the others
    calibrate(plain, chosen, seed, say, voter).save(folder, language)
    if not language:
        # Whole lines too: names lacking in the code below tell most about an empty line.
        rng = random.Random(seed)
        lines = [_unfinished(hole, rng) for hole in whole_line_holes(texts, holes // 2, seed + 1)]
        names = fit_names(load(str(folder), copying=True, threads=threads), [*chosen, *lines], seed, say)
        if names is not None:
            names.save(folder / name_votes.FILE)
        copies = load(str(folder), copying=True, threads=threads)
        fit_certainty(copies, texts, seed, say, min(PLACES, holes)).save(folder / calibration.FILE)


def main() -> int:
    """Fit, and write `copying.json`, `names.json` and `certainty.json` into the model's folder."""
    parser = Parser(prog="python -m suture.training.fit_copying", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--model", type=Path, required=True, help="the folder with the weights, which is written to")
    parser.add_argument("--corpus", type=Path, required=True, help="corpus.jsonl of the run of `suture train`")
    parser.add_argument("--holes", type=int, default=HOLES, help=f"to fit the copying on (default: {HOLES})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument(
        "--language", default="", choices=("", *repository_corpus.KINDS), help="of the corpus, where it is not Python"
    )
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    try:
        held_out = load_corpus(options.corpus).held_out
        texts = [source.text for source in (held_out if options.language else fitting_sources(held_out))]
        if not texts:
            raise ModelError(f"{options.corpus} holds no file that the model has not seen")
        asked = options.model, texts, options.holes, options.seed, options.threads
        calibrate_folder(*asked, print, options.language)
    except (ModelError, OSError) as error:
        say(f"calibrate: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

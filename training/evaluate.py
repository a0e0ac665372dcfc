"""The quality of a model on unseen files: bits per byte, and the share of exactly filled holes."""

from __future__ import annotations

import difflib
import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from keyword import iskeyword

import torch
from tokenizers import Tokenizer
from transformers import DynamicCache, LlamaForCausalLM

from .fim import END_ID, MIDDLE_ID, PAD_ID, PREFIX_ID, SUFFIX_ID, join, rest_of_line

_WINDOW_CHARACTERS = 8000
_LONGEST_ANSWER = 64  # tokens
_CODE = "(=.:["  # each evaluated line of code has one of them
_CLOSED = re.compile(
    r"([)\]}\"']*):?[ \t]*(?:\n|\Z)"
)  # brackets closed by an editor, and the end of the line or header


@dataclass(frozen=True)
class EvaluationHole:
    """A hole in a line of code: the text left of it, its own text, the text right of it."""

    left: str
    middle: str
    right: str


def while_written(hole: EvaluationHole, rng: random.Random) -> EvaluationHole:
    """The hole as in a file written from top to bottom: only auto-closed brackets follow, and perhaps a line end.

    A hole with other text behind it in its line stays unchanged.
    """
    closed = _CLOSED.match(hole.right)
    if closed is None:
        return hole
    return EvaluationHole(hole.left, hole.middle, closed[1] + rng.choice(("", "\n")))


def evaluate(
    model: LlamaForCausalLM,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    *,
    holes: int = 300,
    characters: int | None = None,
) -> dict[str, float]:
    """Every measure on the texts, with the in-file copy baseline beside the model."""
    if not texts or holes <= 0:
        return {}
    characters = 1000 * holes if characters is None else characters
    model.eval()
    chosen = line_holes(texts, holes)
    results = {"bits per byte": bits_per_byte(model, tokenizer, texts, characters)}
    nats = [hole_nats(model, tokenizer, hole) for hole in chosen]
    size = sum(len(hole.middle.encode()) for hole in chosen)
    results["bits per byte in single-line holes, end token included"] = sum(nats) / math.log(2) / max(1, size)
    for name, answers in (
        ("model", [fill(model, tokenizer, hole) for hole in chosen]),
        ("in-file copy", [copy_from_file(hole) for hole in chosen]),
    ):
        pairs = [(answer.rstrip(), hole.middle.rstrip()) for answer, hole in zip(answers, chosen, strict=True)]
        results[f"exact match of {len(chosen)} single-line holes, {name}"] = _mean([a == b for a, b in pairs])
        results[f"edit similarity, {name}"] = _mean([difflib.SequenceMatcher(None, a, b).ratio() for a, b in pairs])
    return results


@torch.inference_mode()
def bits_per_byte(model: LlamaForCausalLM, tokenizer: Tokenizer, texts: Sequence[str], characters: int) -> float:
    """The mean over windows from the starts of the files, as left context before an empty right one."""
    nats, size = 0.0, 0
    for text in texts:
        text = text[: min(_WINDOW_CHARACTERS, characters - size)]
        if not text:
            break
        ids = tokenizer.encode(text).ids
        room = model.config.max_position_embeddings - 2
        for start in range(0, len(ids), room):
            nats += float(_token_nats(model, [SUFFIX_ID, PREFIX_ID, *ids[start : start + room]])[1:].sum())
        size += len(text.encode())
    return nats / math.log(2) / max(1, size)


@torch.inference_mode()
def hole_nats(model: LlamaForCausalLM, tokenizer: Tokenizer, hole: EvaluationHole) -> float:
    """The negative log-likelihood of the right answer and its end."""
    prompt = _prompt(model, tokenizer, hole)
    answer = [*tokenizer.encode(hole.middle).ids[:_LONGEST_ANSWER], END_ID]
    return float(_token_nats(model, [*prompt, *answer])[len(prompt) - 1 :].sum())


@torch.inference_mode()
def fill(model: LlamaForCausalLM, tokenizer: Tokenizer, hole: EvaluationHole) -> str:
    """The model's greedy answer up to its end token or the end of the line, without any constraint."""
    cache = DynamicCache(config=model.config)
    ids = torch.tensor([_prompt(model, tokenizer, hole)], device=model.device)
    answer: list[int] = []
    for _ in range(_LONGEST_ANSWER):
        logits = model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1).logits[0, -1]
        logits[[PREFIX_ID, MIDDLE_ID, SUFFIX_ID, PAD_ID]] = -math.inf
        best = int(logits.argmax())
        if best == END_ID:
            break
        answer.append(best)
        text = tokenizer.decode(answer, skip_special_tokens=False)
        if "\n" in text:
            return text[: text.index("\n")]
        ids = torch.tensor([[best]], device=model.device)
    return tokenizer.decode(answer, skip_special_tokens=False)


def copy_from_file(hole: EvaluationHole) -> str:
    """A sceptic's baseline: the continuation of the longest earlier or later occurrence of the text before the hole."""
    line = hole.left[hole.left.rfind("\n") + 1 :]
    for start in range(len(line)):
        tail = line[start:]
        for text, place in (
            (hole.left, hole.left.rfind(tail, 0, len(hole.left) - 1)),
            (hole.right, hole.right.find(tail)),
        ):
            if place >= 0:
                rest = text[place + len(tail) :]
                return rest.split("\n", 1)[0]
    return ""


def line_holes(texts: Sequence[str], count: int, seed: int = 0) -> list[EvaluationHole]:
    """Holes from a place in a line of code to its end, drawn evenly over the texts."""

    def drawn(text: str, rng: random.Random) -> tuple[int, int] | None:
        span = rest_of_line(text, rng)
        if span is None:
            return None
        line = text[text.rfind("\n", 0, span[0]) + 1 : span[1]].strip()
        return span if any(sign in line for sign in _CODE) and not _is_prose(line) else None

    return _drawn(texts, count, seed, drawn)


def whole_line_holes(texts: Sequence[str], count: int, seed: int = 0) -> list[EvaluationHole]:
    """Holes of a line of code, three in ten with its indentation, drawn evenly over the texts."""

    def drawn(text: str, rng: random.Random) -> tuple[int, int] | None:
        place = rng.randrange(len(text) + 1)
        start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
        end = len(text) if end < 0 else end
        line = text[start:end].strip()
        is_code = any(sign in line for sign in _CODE) or iskeyword(line.partition(" ")[0])
        if not is_code or not any(map(str.isalnum, line)) or _is_prose(line):
            return None
        return start + (len(text[start:end]) - len(text[start:end].lstrip()) if rng.random() < 0.7 else 0), end

    return _drawn(texts, count, seed, drawn)


def _drawn(
    texts: Sequence[str], count: int, seed: int, draw: Callable[[str, random.Random], tuple[int, int] | None]
) -> list[EvaluationHole]:
    rng = random.Random(seed)
    holes: list[EvaluationHole] = []
    for _ in range(20 * count):
        if len(holes) == count:
            break
        text = rng.choice(texts)
        span = draw(text, rng)
        if span is not None:
            start, end = span
            holes.append(EvaluationHole(text[:start], text[start:end], text[end:]))
    return holes


def _is_prose(line: str) -> bool:
    """Whether a line looks like part of a comment or a docstring, useless for judging completions."""
    return line.startswith(("#", '"', "'")) or line.endswith(".")


def _prompt(model: LlamaForCausalLM, tokenizer: Tokenizer, hole: EvaluationHole) -> list[int]:
    """The suffix-first prompt with as much of both contexts as fits the model's window beside the answer."""
    room = model.config.max_position_embeddings - _LONGEST_ANSWER - 4
    prefix = tokenizer.encode(hole.left[-6 * room :]).ids
    suffix = tokenizer.encode(hole.right[: 2 * room]).ids[: room // 3]
    prefix = prefix[-(room - len(suffix)) :]
    ids = join(prefix, [], suffix, spm=True).ids
    return list(ids[:-1])


def _token_nats(model: LlamaForCausalLM, ids: list[int]) -> torch.Tensor:
    batch = torch.tensor([ids], device=model.device)
    logits = model(input_ids=batch).logits[0, :-1].float()
    return torch.nn.functional.cross_entropy(logits, batch[0, 1:], reduction="none")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))

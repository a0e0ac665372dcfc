"""A GPU's speed with models, in one command of some minutes: `python -m benchmarks.card --out FOLDER`.

Nothing is downloaded: models have the shapes of Qwen2.5-Coder and random weights, made on the GPU, and the vocabulary and all texts are from
this repository. FOLDER gets `card.json` and the tables, `card.md`. Without a GPU, small shapes show that the command works.

Random weights write nothing acceptable to an engine. So the logit of a text's true next token is raised: the model's computation is
unchanged, and the engine accepts about as much as of a good model. Times are for this machine and its GPU as they are.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from suture import model, parser
from suture.model.cache_lm.mixture import Copier, DraftingRuntime
from suture.model.errors import OutOfMemory
from suture.model.prompting.fim_template import detect
from suture.model.prompting.vocabulary import Vocabulary
from suture.model.runtime import transformers_runtime
from suture.model.runtime.base import Model, Runtime
from suture.model.runtime.on_device import OnDevice
from suture.model.runtime.static_runtime import StaticRuntime
from suture.model.runtime.torch_runtime import TorchRuntime
from suture.model.runtime.transformers_runtime import HfRuntime
from suture.training.tokenizer import train_tokenizer

ROOT = Path(__file__).resolve().parent.parent
_ROWS = (1, 2, 4, 8, 16)
_RAISED = 60.0  # logits, of the right token
_LONGEST = 24_000  # characters of a file
_TEXT_TOKENS = 20
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w{3,}")


@dataclass(frozen=True)
class Shape:
    """The sizes of a model."""

    name: str
    hidden: int
    inner: int
    layers: int
    heads: int
    groups: int
    vocabulary: int
    tied: bool = True


SHAPES = (
    Shape("0.5B", 896, 4864, 24, 14, 2, 151_936),
    Shape("1.5B", 1536, 8960, 28, 12, 2, 151_936),
    Shape("7B", 3584, 18944, 28, 28, 4, 152_064, tied=False),
)
TINY = (Shape("tiny", 64, 96, 2, 4, 2, 2_000),)


@dataclass(frozen=True)
class Plan:
    """The extent of the measurements."""

    shapes: Sequence[Shape]
    lengths: Sequence[int]  # tokens of prompts
    window: int
    places: int
    repeats: int
    deadline: float  # of `perf_counter`


def built(shape: Shape, device: torch.device) -> Any:
    """A model of a shape with random weights, made on its device."""
    config = transformers.AutoConfig.for_model(
        "qwen2",
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.groups,
        max_position_embeddings=32_768,
        rope_theta=1e6,
        tie_word_embeddings=shape.tied,
    )
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    torch.manual_seed(0)
    with device:
        return transformers.AutoModelForCausalLM.from_config(config, dtype=dtype).eval()


def ms_of(work: Callable[[], object], repeats: int) -> float:
    """The median time of some work, after a warm-up."""
    work()
    taken: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1e3)
    return statistics.median(taken)


def difference(fixed: Runtime, growing: Runtime, ids: Sequence[int]) -> float:
    """The largest difference of two runtimes' logits over prompts, steps and crops, in standard deviations of a logit."""
    worst = 0.0
    half = len(ids) // 2
    for read in (
        lambda runtime: runtime.prefill(ids[:half]),
        lambda runtime: runtime.step(ids[half]),
        lambda runtime: runtime.rows(ids[half : half + 5]),
        lambda runtime: runtime.rows(ids[half : half + 16]),
        lambda runtime: (runtime.crop(half), runtime.rows(ids[half : half + 3]))[1],
        lambda runtime: runtime.prefill(ids),
    ):
        mine, theirs = read(fixed), read(growing)
        worst = max(worst, float(np.abs(mine - theirs).max() / theirs.std()))
    return worst


def steps(runtime: Runtime, ids: Sequence[int], repeats: int) -> dict[str, float]:
    """Milliseconds of a step by its number of tokens, behind `ids`."""
    runtime.prefill(ids)

    def step(count: int) -> None:
        runtime.rows(ids[:count])
        runtime.crop(len(ids))

    return {str(count): ms_of(lambda count=count: step(count), repeats) for count in _ROWS}


def prompts(runtime: Runtime, ids: Sequence[int], lengths: Sequence[int], repeats: int) -> dict[str, float]:
    """Milliseconds of a whole prompt by its number of tokens, read in pieces as in requests."""

    def read(length: int) -> None:
        runtime.crop(0)
        for end in (*range(256, length, 256), length):
            runtime.prefill(ids[:end])

    return {str(length): ms_of(lambda length=length: read(length), repeats) for length in lengths}


def copies(runtime: TorchRuntime, ids: Sequence[int], repeats: int) -> dict[str, float]:
    """Milliseconds of a step of six tokens, as for checking drafts, with whole rows copied, and with only their best copied."""
    short = OnDevice(runtime, [1, 2], [0])
    runtime.prefill(ids)

    def step(rows: Callable[[Sequence[int]], object]) -> None:
        rows(ids[:6])
        runtime.crop(len(ids))

    return {
        "a step of 6, whole rows": ms_of(lambda: step(runtime.rows), repeats),
        "a step of 6, the best of each row": ms_of(lambda: step(short.rows), repeats),
    }


def in_turn(runtime: Runtime, ids: Sequence[int], repeats: int) -> dict[str, float]:
    """Milliseconds of a key in one of two documents, after the other one."""
    documents = [list(ids), list(reversed(ids))]
    for document in documents:
        runtime.prefill(document)

    def key() -> None:
        documents.reverse()
        documents[0][-1] += 1
        runtime.prefill(documents[0])

    return {"a key in the other one of two documents": ms_of(key, repeats)}


class Raised:
    """Raises the logit of a text's next token, wherever a runtime's sequence is a prompt with the beginning of the text."""

    def __init__(self, runtime: TorchRuntime, copier: Copier, vocabulary: Vocabulary, end: int) -> None:
        """copier: knows the prompt of a request."""
        self._runtime, self._copier, self._vocabulary, self._end = runtime, copier, vocabulary, end
        self._exact = runtime._logits
        self.text = b""

    def __enter__(self) -> Raised:
        self._runtime._logits = self._logits  # type: ignore[method-assign]
        return self

    def __exit__(self, *problem: object) -> None:
        del self._runtime._logits

    def _logits(self, ids: Sequence[int], keep: int) -> torch.Tensor:
        logits = self._exact(ids, keep)
        sequence = [*self._runtime._sequence, *ids]
        start, target = len(self._copier.prompt), self._copier.forced + self.text
        if sequence[:start] == self._copier.prompt:
            for position, row in enumerate(logits, len(sequence) - keep + 1):
                spelled = self._vocabulary.decode(sequence[start:position])
                if position >= start and target.startswith(spelled):
                    rest = self._vocabulary.encode(target[len(spelled) :].decode(errors="ignore"))
                    row[rest[0] if rest else self._end] += _RAISED
        return logits


def sources(most: int) -> list[str]:
    """The largest Python files of this repository within a bound."""
    texts = [
        path.read_text(encoding="utf-8") for top in ("parser", "lsp_server") for path in (ROOT / top).rglob("*.py")
    ]
    return sorted((text for text in texts if len(text) <= most), key=len)[-40:]


def places(texts: Sequence[str], chance: random.Random) -> Iterator[tuple[str, int, int]]:
    """Names in files, endlessly: a file, the offset of the cursor, that of the line's end."""
    while True:
        text = chance.choice(texts)
        names = [match.start() for match in _NAME.finditer(text, len(text) // 3)]
        offset = chance.choice(names)
        end = text.find("\n", offset) % len(text)
        is_code = "#" not in text[text.rfind("\n", 0, offset) + 1 : offset] and text.count('"""', 0, offset) % 2 == 0
        if is_code and end - offset <= 2 * _TEXT_TOKENS:  # else it may stay unfinished
            yield text, offset, end


def completions(runtime: TorchRuntime, vocabulary: Vocabulary, texts: Sequence[str], plan: Plan) -> dict[str, float]:
    """Times of constrained completions at names, after a key, in ms; the share outside of the model; tokens."""
    template = detect(vocabulary.ids, opening=vocabulary.opening, ends=[0], added=vocabulary.controls)
    copier = Copier(vocabulary, runtime.size, template.ends)
    drafting = DraftingRuntime(runtime, copier)
    loaded = Model("random", drafting, vocabulary, template, plan.window - 1024, reader=copier)
    raised = Raised(runtime, copier, vocabulary, template.ends[0])
    whole: list[float] = []
    engine: list[float] = []
    tokens: list[int] = []
    right = 0
    options = model.Options(max_tokens=_TEXT_TOKENS, max_lines=0)
    for text, offset, end in places(texts, random.Random(5)):
        if len(whole) == plan.places or time.perf_counter() > plan.deadline:
            break
        session = parser.language("python").session()
        for cursor in (offset, offset + 1):  # the first letter is typed: the second request is timed
            raised.text = text[cursor:end].encode()
            left, behind = text[:cursor], text[end:]
            started = time.perf_counter()
            state = session.hole(left + behind, cursor).state
            assert state is not None, "the repository's own files are valid"
            with raised:
                completion = model.complete(loaded, state, left, behind, options)
            taken = (time.perf_counter() - started) * 1e3
        whole.append(taken)
        engine.append(1 - completion.model_ms / taken)
        tokens.append(completion.tokens)
        right += text[offset + 1 : end].startswith(completion.text)
    return {
        "places": len(whole),
        "right": right,
        "tokens": statistics.fmean(tokens),
        "median": statistics.median(whole),
        "p95": statistics.quantiles(whole, n=20)[-1],
        "share of all but the model": statistics.fmean(engine),
    }


def out_of_memory(module: Any, fixed: Runtime, growing: Runtime, ids: Sequence[int]) -> dict[str, str]:
    """Try a cache without room, and a GPU filled by others."""
    said: dict[str, str] = {}
    try:
        StaticRuntime(module, limit=2_000_000_000, size=fixed.size)
        said["a cache without room"] = "was made"
    except torch.OutOfMemoryError:
        said["a cache without room"] = "is refused"
    gc.collect()
    held: list[torch.Tensor] = []
    for size in (1 << 30, 1 << 26, 1 << 22):
        try:
            while True:
                held.append(torch.empty(size, dtype=torch.uint8, device=module.device))
        except torch.OutOfMemoryError:
            continue
    for name, runtime in (("graphs on a full card", fixed), ("eager on a full card", growing)):
        runtime.crop(0)
        try:
            runtime.prefill(ids)
            said[name] = "go on"
        except OutOfMemory:
            said[name] = f"say so; {runtime.length} tokens are left"
    held.clear()
    torch.cuda.empty_cache()
    said["afterwards"] = "agree" if difference(fixed, growing, ids[:200]) < 1 else "DIFFER"
    return said


def measured(
    shape: Shape, device: torch.device, vocabulary: Vocabulary, texts: Sequence[str], plan: Plan
) -> dict[str, Any]:
    """All numbers of a shape."""
    on_card = device.type == "cuda"
    if on_card:
        torch.cuda.reset_peak_memory_stats()
    module = built(shape, device)
    stored = sum(parameter.nbytes for parameter in module.parameters())
    started = time.perf_counter()
    # Without a GPU the same runtime computes eagerly.
    make = transformers_runtime.runtime_of if on_card else StaticRuntime
    fixed = make(module, limit=plan.window, size=shape.vocabulary)
    result: dict[str, Any] = {
        "runtime": type(fixed).__name__,
        "start, s": time.perf_counter() - started,
        "weights, MB": stored / 1e6,
    }
    growing = HfRuntime(module, limit=plan.window, size=shape.vocabulary)
    ids = np.random.default_rng(0).integers(5, len(vocabulary), max(plan.lengths)).tolist()
    result["difference"] = difference(fixed, growing, ids[: min(700, len(ids))])
    behind = [length for length in (900, 4000) if length + _ROWS[-1] <= plan.window and length <= len(ids)] or [
        len(ids)
    ]
    for name, runtime, repeats in (("graphs", fixed, plan.repeats), ("eager", growing, max(1, plan.repeats // 4))):
        result[f"steps, {name}"] = {str(length): steps(runtime, ids[:length], repeats) for length in behind}
        result[f"prompts, {name}"] = prompts(runtime, ids, plan.lengths, max(1, repeats // 4))
        runtime.crop(0)
    result["rows and documents"] = copies(fixed, ids[: behind[-1]], plan.repeats) | in_turn(
        fixed, ids[: behind[-1]], plan.repeats
    )
    if on_card:
        result["memory, MB"] = torch.cuda.max_memory_allocated() / 1e6
    result["completions"] = completions(fixed, vocabulary, texts, plan)
    if on_card:
        result["out of memory"] = out_of_memory(module, fixed, growing, ids)
    return result


def bandwidth(device: torch.device) -> float:
    """The device's memory bandwidth in copying, in bytes a second."""
    numbers = torch.ones(1 << (29 if device.type == "cuda" else 22), device=device)
    other = torch.empty_like(numbers)

    def copy() -> None:
        other.copy_(numbers)
        if device.type == "cuda":
            torch.cuda.synchronize()

    return 2 * numbers.nbytes / ms_of(copy, 5) * 1e3


def tables(results: dict[str, Any]) -> str:
    """The numbers as Markdown."""
    lines = [f"{results['device']}, torch {results['torch']}, transformers {results['transformers']}, "
             f"{results['bandwidth, GB/s']:,.0f} GB/s", ""]  # fmt: skip
    for name, shape in results["shapes"].items():
        least = shape["weights, MB"] / results["bandwidth, GB/s"]
        memory = f", {shape['memory, MB']:,.0f} MB in all" if "memory, MB" in shape else ""
        lines += [
            f"## {name}: {shape['runtime']}, weights of {shape['weights, MB']:,.0f} MB, which are read in {least:.2f} ms{memory}",
            f"\nStart {shape['start, s']:.1f} s; largest difference to eager {shape['difference']:.2g} of a logit's deviation.",
            "\n| ms | graphs | eager |\n| --- | --: | --: |",
        ]
        for length, counts in shape["steps, graphs"].items():
            eager = shape["steps, eager"][length]
            lines += [
                f"| a step of {rows} behind {length} | {ms:.2f} | {eager[rows]:.2f} |" for rows, ms in counts.items()
            ]
        eager = shape["prompts, eager"]
        lines += [
            f"| a prompt of {length} | {ms:.1f} | {eager[length]:.1f} |"
            for length, ms in shape["prompts, graphs"].items()
        ]
        lines += [f"| {name} | {ms:.2f} | |" for name, ms in shape["rows and documents"].items()]
        lines += [
            "\n| completions | |\n| --- | --: |",
            *(f"| {key} | {value:.3g} |" for key, value in shape["completions"].items()),
        ]
        lines += [f"| {key} | {value} |" for key, value in shape.get("out of memory", {}).items()]
        lines.append("")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and write both files."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument(
        "--minutes", type=float, default=5.5, help="no shape is begun, and no place asked, after so many"
    )
    options = arguments.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    on_card = device.type == "cuda"
    deadline = time.perf_counter() + 60 * options.minutes
    plan = Plan(SHAPES, (256, 512, 1024, 2048, 4096), 5120, 100, 40, deadline)
    if not on_card:
        torch.set_num_threads(1)
        plan = Plan(TINY, (64, 200), 1400, 4, 2, deadline)
    texts = sources(_LONGEST if on_card else 3_000)
    vocabulary = Vocabulary(train_tokenizer(texts, SHAPES[0].vocabulary if on_card else TINY[0].vocabulary))
    results: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if on_card else "CPU, small shapes",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "tokens in the vocabulary": len(vocabulary),
        "bandwidth, GB/s": bandwidth(device) / 1e9,
        "shapes": {},
    }
    options.out.mkdir(parents=True, exist_ok=True)
    for number, shape in enumerate(plan.shapes):
        now = time.perf_counter()
        if now > deadline:
            break
        share = (deadline - now) / (len(plan.shapes) - number)  # later shapes get what a shape leaves over
        results["shapes"][shape.name] = measured(shape, device, vocabulary, texts, replace(plan, deadline=now + share))
        gc.collect()
        if on_card:
            torch.cuda.empty_cache()
        # After each shape, so that the results so far are safe.
        (options.out / "card.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        (options.out / "card.md").write_text(tables(results), encoding="utf-8")
    print(tables(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())

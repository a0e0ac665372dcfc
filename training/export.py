"""Write a trained model as a Hugging Face folder with its model card; the folder's files change in single moves."""

from __future__ import annotations

import copy
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from tokenizers import Tokenizer
from transformers import GenerationConfig, LlamaForCausalLM

from ..model.loading.weights import EIGHT_BITS, narrowed, read_arrays
from .config import TrainConfig
from .corpus import Corpus, Source
from .fim import END_ID, PAD_ID
from .fit_copying import fitting_sources
from .tokenizer import END, MIDDLE, PAD, PREFIX, SUFFIX
from .train import Progress


def export_model(
    folder: Path, model: LlamaForCausalLM, tokenizer: Tokenizer, card: str, *, weight_bits: int = 16
) -> None:
    """Write config.json, model.safetensors (bf16, or 8 bits as in `weights`), the tokenizer, generation_config.json and README.md."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as name:
        made = Path(name)
        low = copy.deepcopy(model)
        torch.nn.Module.to(low, device="cpu", dtype=torch.bfloat16)
        low.config.use_cache = True
        low.generation_config = GenerationConfig(eos_token_id=END_ID, pad_token_id=PAD_ID, do_sample=False)
        if weight_bits == 8:
            setattr(low.config, EIGHT_BITS, True)
        low.save_pretrained(made)  # pyright: ignore[reportUnknownMemberType]
        if weight_bits == 8:
            save_file(narrowed(read_arrays(made)), made / "model.safetensors", {"format": "pt"})
        tokenizer.save(str(made / "tokenizer.json"))
        (made / "tokenizer_config.json").write_text(json.dumps(_tokenizer_config(), indent=2) + "\n", encoding="utf-8")
        (made / "README.md").write_text(card, encoding="utf-8")
        for path in sorted(made.iterdir()):
            shutil.copymode(__file__, path)
            path.replace(folder / path.name)


def _tokenizer_config() -> dict[str, object]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "eos_token": END,
        "pad_token": PAD,
        "additional_special_tokens": [PREFIX, MIDDLE, SUFFIX, PAD],
        "suture_fim_order": "spm",
    }


def model_card(
    config: TrainConfig,
    corpus: Corpus,
    parameters: int,
    progress: Progress,
    results: Mapping[str, float],
    notes: str = "",
) -> str:
    """The model card: the model, its training data, its training and its results; `notes`: Markdown of one's own."""
    rows = "\n".join(f"| {name} | {value:.4g} |" for name, value in results.items())
    measured = f"\n{_RESULTS}\n\n| measure | value |\n| --- | --- |\n{rows}\n" if results else ""
    return f"""\
---
license: apache-2.0
library_name: transformers
pipeline_tag: text-generation
tags: [code, fill-in-the-middle]
---

# A small fill-in-the-middle model for {_languages(corpus.train)}

Made by `suture train` for inline completion on a CPU. It fills the hole between a left and a right context:

```
{SUFFIX}right context{PREFIX}left context{MIDDLE}  ->  text of the hole{END}
```

It also knows `{PREFIX}left{SUFFIX}right{MIDDLE}`. It is small and has seen only {_languages(corpus.train)}: expect
the next few words or the rest of a line, not knowledge of the world, and check what it writes.

## The model

Llama architecture, {parameters / 1e6:.1f} M parameters in {"8 bits" if config.weight_bits == 8 else "bfloat16"}: {config.layers} layers of width
{config.hidden_size}, {config.heads} heads, tied embeddings, context {config.context} tokens.
Vocabulary: {config.vocab_size} tokens; byte-level BPE, single digits, runs of spaces, indentation apart from words.

## Training

{progress.tokens / 1e6:.1f} million tokens in {progress.step} steps and {progress.seconds / 60:.0f} minutes.
At the end the loss was {progress.loss:.3f} nats per token, and {progress.hole_loss:.3f} on the tokens of holes.
{config.spm_share:.0%} of the documents have the suffix first, the others the prefix first.
Holes are cut at characters: the rest of a line, lines, blocks, arguments, words, random and empty spans.
The loss of a hole's tokens counts {config.hole_weight:g} times.
Optimizer {config.optimizer}, learning rate {config.learning_rate:g} falling linearly to zero, seed {config.seed}.

## Copying, n-grams and names

Suture mixes what the model predicts with what the open file says after places that look like the one before the cursor, and with what
usually follows the last tokens in the packages below (`ngrams/table.safetensors`, if it is there: a back-off model of n-grams that two or more
of them have). `copying.json` and `ngrams/gate.json` hold how far each is to be trusted: numbers fitted on held-out packages ({", ".join(_fitted_on(corpus))}),
which the results below leave out. `names.json`, fitted on the same packages, says how far the use of names around the cursor is to be trusted. `certainty.json`,
fitted on them, too, turns the model's probability of a text into
one that it is what somebody types. Other programs that load this folder get the model alone.
{notes}{measured}
## Data

Files in {_languages(corpus.train)} of packages whose licence is permissive, as their metadata states it; without vendored and generated
code, tables, and files equal or nearly equal to another.

### Trained on: {_sizes(corpus.train)}

{_packages(corpus.train)}

### Held out: {_sizes(corpus.held_out)}

{_packages(corpus.held_out)}
"""


_SUFFIXES = {
    "Python": ".py",
    "Go": ".go",
    "TypeScript": ".ts .tsx .mts .cts",
    "JavaScript": ".js .jsx .mjs .cjs",
    "JSON": ".json",
}
_LANGUAGES = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}

_RESULTS = """\
## Results on held-out packages

Single-line holes go from a place in a line of code to its end; the answers are greedy, unconstrained, and the model's alone. In-file copy
is a baseline without a model: it goes on as the file does after the longest other occurrence of the text before the
hole. Where it is ahead, the model has yet to learn to use its context."""


def _fitted_on(corpus: Corpus) -> list[str]:
    return sorted({source.package for source in fitting_sources(corpus.held_out)}) or ["of the embedded model"]


def _languages(sources: Sequence[Source]) -> str:
    return ", ".join(sorted({_LANGUAGES.get(Path(source.path).suffix, "others") for source in sources}))


def _sizes(sources: Sequence[Source]) -> str:
    packages = len({source.package for source in sources})
    size = sum(len(source.text) for source in sources) / 1e6
    return f"{packages} packages, {len(sources)} files, {size:.1f} M characters"


def _packages(sources: Sequence[Source]) -> str:
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for source in sources:
        files[source.package] += 1
        sizes[source.package] += len(source.text)
    licences = {source.package: source.licence for source in sources}
    lines = [f"| {name} | {licences[name]} | {files[name]} | {size:,} |" for name, size in sizes.most_common()]
    return "\n".join(["| package | licence | files | characters |", "| --- | --- | --- | --- |", *lines])

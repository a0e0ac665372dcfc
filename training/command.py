"""`suture train`: corpus, tokenizer, training, evaluation and export, in that order, in one run folder."""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.terminal import Parser, say
from ..model.loading import installed
from .config import ConfigError, TrainConfig, config_from, load_config

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from .ahead import RowsAhead
    from .corpus import Corpus
    from .fim import Rows

_EXAMPLES = """\
examples:
  suture train                                  the standard library and installed packages, into ./suture-model
  suture train my.toml --minutes 60 --out run   with your settings, for an hour
  suture train --out run --resume               go on after an interruption
  suture train --corpus ~/src/mine --steps 500  with your own code as well

The finished model is in DIR/model, for example: suture complete FILE --at 10:4 --model DIR/model
On busy CPUs set OMP_WAIT_POLICY=passive, or training threads wait for each other by spinning.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `suture train`; 0 when the model was written, 1 when training failed, 2 for unusable arguments."""
    arguments = _parser().parse_args(argv)
    if not installed.has("torch"):
        say(f"suture train: training needs PyTorch: {installed.missing('torch')}", file=sys.stderr)
        return 1
    try:
        run(_config(arguments), Path(arguments.out))
    except ConfigError as error:
        say(f"suture train: {error}", file=sys.stderr)
        return 2
    except (FloatingPointError, OSError) as error:
        say(f"suture train: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say(f"suture train: stopped; go on with --resume --out {arguments.out}", file=sys.stderr)
        return 130
    return 0


def run(config: TrainConfig, out: Path) -> None:
    """Run the remaining stages; each leaves its result in the run folder."""
    import torch

    from ..model.cache_lm.mixture import FILE, load_gate
    from ..model.loading.find import EMBEDDED
    from .ahead import RowsAhead
    from .corpus import build_corpus, load_corpus, save_corpus
    from .evaluate import evaluate
    from .export import export_model, model_card
    from .fit_copying import calibrate_folder, fitting_sources
    from .kernels import can_compile
    from .ngrams import write as write_ngrams
    from .shards import load_shards
    from .tokenizer import load_tokenizer, train_tokenizer
    from .train import Trainer, fit, keep_memory, pick_device

    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(asdict(config), indent=2) + "\n", encoding="utf-8")
    device = pick_device(config.device)
    if device.type == "cpu":
        keep_memory()
        torch.set_num_threads(config.threads or torch.get_num_threads())

    if not config.shards and not (out / "corpus.jsonl").exists():
        _say("collecting the corpus")
        save_corpus(build_corpus(config), out / "corpus.jsonl")
    corpus = load_shards(Path(config.shards).expanduser()) if config.shards else load_corpus(out / "corpus.jsonl")
    _say(f"corpus: {len(corpus.train)} files to train on, {len(corpus.held_out)} held out")

    if config.start_from and not (out / "tokenizer.json").exists():
        shutil.copyfile(Path(config.start_from).expanduser() / "tokenizer.json", out / "tokenizer.json")
    if not (out / "tokenizer.json").exists():
        _say("learning the tokenizer")
        train_tokenizer((source.text for source in corpus.train), config.vocab_size).save(str(out / "tokenizer.json"))
    tokenizer = load_tokenizer(out / "tokenizer.json")

    rows = _rows(config, corpus, tokenizer)  # before a device is used
    trainer = Trainer(config, device)
    parameters = sum(parameter.numel() for parameter in trainer.model.parameters())
    _say(f"model: {parameters / 1e6:.1f} M parameters on {device}")
    if config.compile and device.type == "cpu" and not can_compile():
        _say("there is no C++ compiler here, without which training is slower")
    state = out / "state.safetensors"
    if state.exists():
        trainer.load(state)
        _say(f"going on from step {trainer.progress.step}")
    elif config.start_from:
        trainer.start_from(Path(config.start_from).expanduser())
        _say(f"starting from the weights in {config.start_from}")

    def export(results: dict[str, float]) -> None:
        card = model_card(config, corpus, parameters, trainer.progress, results)
        export_model(out / "model", trainer.model, tokenizer, card, weight_bits=config.weight_bits)

    def due(what: str) -> None:
        trainer.save(state)
        if what == "export":
            export({})

    try:
        fit(trainer, rows, _say, due)
    finally:
        trainer.save(state)
        if isinstance(rows, RowsAhead):
            rows.close()

    export({})
    if config.ngram_megabytes:
        _say("counting n-grams")
        _say(write_ngrams(out / "model", corpus.train, megabytes=config.ngram_megabytes))
    fitted_on = fitting_sources(corpus.held_out)
    if fitted_on and config.fitting_holes:
        texts = [source.text for source in fitted_on]
        calibrate_folder(out / "model", texts, config.fitting_holes, config.seed, config.threads or None, _say)
    else:
        load_gate(EMBEDDED / FILE).save(out / "model" / FILE)
    held_out = [source.text for source in corpus.held_out if source not in fitted_on]
    random.Random(0).shuffle(held_out)
    results = evaluate(trainer.model, tokenizer, held_out, holes=config.evaluation_holes)
    for name, value in results.items():
        _say(f"{name}: {value:.4g}")
    export(results)
    _say(f"the model is in {out / 'model'}")


def _rows(config: TrainConfig, corpus: Corpus, tokenizer: Tokenizer) -> Rows | RowsAhead:
    """The rows of a run, made by other processes where wanted and possible."""
    from .ahead import RowsAhead, can_fork
    from .fim import Rows

    rows = Rows(
        [source.text for source in corpus.train],
        tokenizer,
        length=config.context + 1,
        document_tokens=config.document_tokens,
        spm_share=config.spm_share,
        seed=config.seed,
        nothing_follows=config.nothing_follows,
    )
    return RowsAhead(rows, config.workers) if config.workers and can_fork() else rows


def _config(arguments: argparse.Namespace) -> TrainConfig:
    out = Path(arguments.out)
    given = {
        "corpus": tuple(arguments.corpus) if arguments.corpus else None,
        "steps": arguments.steps,
        "minutes": arguments.minutes,
        "device": arguments.device,
        "start_from": arguments.start_from,
    }
    if not arguments.resume:
        if (out / "state.safetensors").exists():
            raise ConfigError(f"{out} already holds a run; add --resume to go on with it, or choose another --out")
        return load_config(Path(arguments.config) if arguments.config else None, **given)
    if arguments.config or arguments.corpus:
        raise ConfigError(
            "--resume takes its configuration and corpus from the run folder; leave CONFIG and --corpus out"
        )
    try:
        values = json.loads((out / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ConfigError(f"{out} holds no run to resume; leave --resume out to start one") from None
    return config_from(values | {key: value for key, value in given.items() if value is not None})


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="suture train",
        description="Train a fill-in-the-middle model for Python from permissively licensed code on this machine.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", metavar="CONFIG.toml", nargs="?", help="settings; without it the defaults")
    parser.add_argument("--out", metavar="DIR", default="suture-model", help="the run folder (default: suture-model)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in DIR")
    parser.add_argument("--corpus", metavar="FOLDER", nargs="+", help="more code: site-packages or project folders")
    parser.add_argument("--steps", type=int, metavar="N", help="number of updates")
    parser.add_argument("--minutes", type=float, metavar="M", help="training time; the schedule then follows the clock")
    parser.add_argument("--start-from", metavar="DIR", help="a model's folder: go on from its tokenizer and weights")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), help="where to train (default: auto)")
    return parser


def _say(line: str) -> None:
    say(line, flush=True)

"""The mean of several models' weights, better than each of them: the results of runs from the same initial weights.

    python -m suture.training.average OUT DIR[=SHARE] DIR[=SHARE] ...

Each result lies somewhere around the same minimum, and their differences are mostly noise (Izmailov et al. 2018, "Averaging weights leads to
wider optima and better generalization"; Wortsman et al. 2022, "Model soups"). OUT becomes a copy of the first folder with its weights
replaced. The numbers beside the weights no longer fit: see `fit_copying`.
"""

# Some of safetensors' functions have no types.
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from ..common.terminal import Parser, say
from .config import ConfigError

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"


def average(folders: Sequence[Path], shares: Sequence[float]) -> dict[str, Tensor]:
    """The weighted mean of the folders' weights, in the first one's types; shares need not add up to one.

    Raises ConfigError for weights of different shapes, different tokenizers, or shares that are not positive.
    """
    if not folders or min(shares) <= 0:
        raise ConfigError("an average needs models, each with a share above 0")
    tokenizer = _read(folders[0] / TOKENIZER)
    types: dict[str, torch.dtype] = {}
    sums: dict[str, Tensor] = {}
    for folder, share in zip(folders, shares, strict=True):
        if _read(folder / TOKENIZER) != tokenizer:
            raise ConfigError(f"the models in {folders[0]} and {folder} have different tokenizers")
        weights = _weights(folder)
        if not sums:
            types = {name: value.dtype for name, value in weights.items()}
            sums = {name: torch.zeros(value.shape) for name, value in weights.items()}
        if {name: value.shape for name, value in weights.items()} != {
            name: value.shape for name, value in sums.items()
        }:
            raise ConfigError(f"the models in {folders[0]} and {folder} have different shapes")
        for name, value in weights.items():
            sums[name] += value.float() * (share / sum(shares))
    return {name: value.to(types[name]) for name, value in sums.items()}


def write_average(out: Path, folders: Sequence[Path], shares: Sequence[float]) -> None:
    """Copy the first folder to `out`, with the mean in place of its weights."""
    if out.exists():
        raise ConfigError(f"{out} is there already")
    mean = average(folders, shares)
    shutil.copytree(folders[0], out)
    save_file(mean, out / WEIGHTS, {"format": "pt"})


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error


def _weights(folder: Path) -> dict[str, Tensor]:
    try:
        return load_file(folder / WEIGHTS)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f"cannot read the weights in {folder}: {error}") from error


def _share(argument: str) -> tuple[Path, float]:
    folder, equals, share = argument.rpartition("=")
    try:
        return (Path(folder), float(share)) if equals else (Path(argument), 1.0)
    except ValueError:
        return Path(argument), 1.0  # a folder with an equals sign in its name


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 when the mean was written, 2 when it cannot be made."""
    parser = Parser(prog="python -m suture.training.average", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("out", type=Path, metavar="OUT", help="the new folder")
    parser.add_argument("models", nargs="+", type=_share, metavar="DIR[=SHARE]", help="folders of models (share: 1)")
    arguments = parser.parse_args(argv)
    folders, shares = zip(*arguments.models, strict=True)
    try:
        write_average(arguments.out, folders, shares)
    except ConfigError as error:
        say(f"average: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

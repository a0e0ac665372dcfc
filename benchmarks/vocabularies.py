"""The vocabularies for measurements: the embedded one, and real ones from a folder beside the repository, if it exists."""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from suture.model.loading.find import find_model
from suture.model.prompting.vocabulary import Vocabulary
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

REAL = Path(__file__).resolve().parents[2] / "shared" / "tokenizers"
NAMES = ("embedded", "starcoder", "gpt2", "qwen2")
_END = "<|endoftext|>"


@dataclass(frozen=True)
class Measured:
    """A vocabulary and the id of its end of text."""

    name: str
    vocabulary: Vocabulary
    end: int

    @property
    def title(self) -> str:
        return f"{self.name} {len(self.vocabulary):,}"


def vocabulary(name: str) -> Measured | None:
    """A vocabulary by its name; None, with a message, for a missing one."""
    tokenizer = _tokenizer(name)
    if tokenizer is None:
        print(f"{name}: skipped, {REAL / name} is not there", file=sys.stderr)
        return None
    loaded = Vocabulary(tokenizer)
    return Measured(name, loaded, loaded.ids[_END])


def _tokenizer(name: str) -> Tokenizer | None:
    if name == "embedded":
        return Tokenizer.from_file(str(find_model(None) / "tokenizer.json"))
    folder = REAL / name
    if not folder.is_dir():
        return None
    if (folder / "tokenizer.json.gz").is_file():
        return Tokenizer.from_str(_unpacked(folder / "tokenizer.json.gz"))
    vocab = json.loads(_unpacked(folder / f"{name}_vocab.json.gz"))
    lines = _unpacked(folder / f"{name}_merges.txt.gz").splitlines()
    merges = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    tokenizer = Tokenizer(models.BPE(vocab, merges))  # type: ignore[arg-type]
    tokenizer.normalizer = normalizers.NFC()  # type: ignore[assignment]
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.add_special_tokens(list(json.loads((folder / f"{name}_added_tokens.json").read_text())))
    return tokenizer


def _unpacked(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()

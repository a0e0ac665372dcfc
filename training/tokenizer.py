"""A byte-level BPE tokenizer for code: single digits, runs of spaces, indentation separate from words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

from ..model.prompting.vocabulary import PIECES

END = "<|endoftext|>"
PREFIX = "<fim_prefix>"
MIDDLE = "<fim_middle>"
SUFFIX = "<fim_suffix>"
PAD = "<fim_pad>"
SPECIAL_TOKENS = (END, PREFIX, MIDDLE, SUFFIX, PAD)  # their ids are their indices here


def train_tokenizer(texts: Iterable[str], vocab_size: int) -> Tokenizer:
    """Learn the merges; every byte is a token, so that every text round-trips."""
    tokenizer = Tokenizer(BPE(unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(  # type: ignore[assignment]
        [
            pre_tokenizers.Split(Regex(PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    trainer = BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        max_token_length=24,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def load_tokenizer(path: Path) -> Tokenizer:
    """Read a tokenizer.json for encoding plain text, without special tokens."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.encode_special_tokens = True
    return tokenizer

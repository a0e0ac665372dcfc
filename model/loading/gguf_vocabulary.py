"""The vocabulary of a GGUF file: bytes and control tokens from its head, a tokenizer for known kinds.

llama.cpp splits texts by rules that the file only names (`tokenizer.ggml.pre`). The most frequent ones are implemented here; for others, or
where ours encodes differently, llama.cpp is asked.
"""

# The types of tokenizers are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..prompting.vocabulary import Vocabulary, bytes_of_pieces
from .gguf import BYTE, CONTROL, UNKNOWN, UNUSED, USER_DEFINED, Gguf

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_SPLITS: Mapping[str, Sequence[str]] = {
    "qwen2": (_WORDS % "",),
    "deepseek-r1-qwen": (_WORDS % "",),
    "llama-bpe": (_WORDS % "{1,3}",),
    "llama3": (_WORDS % "{1,3}",),
    "llama-v3": (_WORDS % "{1,3}",),
    "deepseek-coder": (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"[一-龥ࠀ-一가-퟿]+", r"\p{N}"),
}
_GPT2 = ("gpt-2", "default", "mpt", "olmo", "jais", "phi-2")
_DIGITS = ("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "granite-docling")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The vocabulary of a GGUF file."""

    pieces: Sequence[str]
    types: Sequence[int]
    kind: str  # of tokenizer: "gpt2" is byte-level BPE, "llama" SentencePiece
    pre: str  # the name of the splitting rules
    merges: Sequence[str]
    opening: tuple[int, ...]

    @property
    def controls(self) -> dict[str, int]:
        """Control tokens by name."""
        return {
            piece: i for i, (piece, kind) in enumerate(zip(self.pieces, self.types, strict=True)) if kind == CONTROL
        }

    def bytes_of(self) -> list[bytes | None]:
        """The spelling of each token, None for tokens without text."""
        if self.kind not in ("gpt2", "llama"):
            raise ModelError(
                f"its tokenizer ({self.kind}) is neither byte-level BPE nor SentencePiece: use another model"
            )
        kind = "bytelevel" if self.kind == "gpt2" else "sentencepiece"
        spelled = bytes_of_pieces(self.pieces, kind)
        for token, what in enumerate(self.types):
            if what in (CONTROL, UNUSED, UNKNOWN):
                spelled[token] = None
            elif what == USER_DEFINED:
                spelled[token] = self.pieces[token].encode()
        return spelled


def tokens_of(gguf: Gguf) -> Tokens:
    """The vocabulary in a file's head."""
    fields = gguf.fields

    def said(key: str, default: Any) -> Any:
        return fields.get(f"tokenizer.ggml.{key}", default)

    kind = str(said("model", "unknown"))
    begins = bool(said("add_bos_token", kind == "llama"))
    bos = said("bos_token_id", None)
    opening = (bos,) if begins and isinstance(bos, int) else ()
    return Tokens(gguf.tokens, gguf.token_types, kind, str(said("pre", "default")), said("merges", []), opening)


def local_vocabulary(tokens: Tokens) -> Vocabulary | None:
    """The vocabulary with a tokenizer of our own; None for unknown splitting rules."""
    tokenizer = _tokenizer(tokens)
    if tokenizer is None:
        return None
    vocabulary = Vocabulary(tokenizer)
    vocabulary.opening = tokens.opening
    for token, spelling in enumerate(tokens.bytes_of()):
        if spelling is None and token < len(vocabulary.bytes_of):
            vocabulary.bytes_of[token] = None
    return vocabulary


def _tokenizer(tokens: Tokens) -> Tokenizer | None:
    if tokens.kind != "gpt2" or BYTE in tokens.types:
        return None
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models
    from tokenizers.pre_tokenizers import ByteLevel, Digits, PreTokenizer, Sequence, Split

    parts: list[PreTokenizer]
    if tokens.pre in _SPLITS:
        parts = [Split(Regex(pattern), "isolated") for pattern in _SPLITS[tokens.pre]]
        parts.append(ByteLevel(add_prefix_space=False, use_regex=False))
    elif tokens.pre in _GPT2:
        parts = [ByteLevel(add_prefix_space=False)]
    elif tokens.pre in _DIGITS:
        parts = [Digits(individual_digits=True), ByteLevel(add_prefix_space=False)]
    else:
        return None
    ids = {piece: token for token, piece in enumerate(tokens.pieces)}
    merges = [(left, right) for left, _, right in (merge.partition(" ") for merge in tokens.merges)]
    try:
        tokenizer = Tokenizer(models.BPE(ids, merges))
    except Exception:  # merges that lead out of the vocabulary: the library raises nothing narrower
        return None
    tokenizer.pre_tokenizer = Sequence(parts)  # type: ignore[assignment]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    for piece, kind in zip(tokens.pieces, tokens.types, strict=True):
        if kind in (CONTROL, USER_DEFINED):
            tokenizer.add_tokens([AddedToken(piece, special=kind == CONTROL, normalized=False)])
    return tokenizer

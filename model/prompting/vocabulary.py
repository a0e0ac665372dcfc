"""The vocabulary of a model: the bytes of each token id.

Three kinds of tokenizer are known: byte-level BPE (GPT-2's alphabet of bytes; tiktoken vocabularies are stored this way
in a `tokenizer.json`), and SentencePiece with byte fallback (spaces as U+2581, raw bytes as `<0x0A>`).
Special and added tokens have no bytes: they can be neither generated nor smuggled in through the user's text. Unsupported: vocabularies that
cannot spell every text (WordPiece, SentencePiece without byte fallback).
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...common.bounded import BoundedDict
from ..errors import ModelError, first_line, is_panic
from .spelling_tree import SpellingTree

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Kind = Literal["bytelevel", "sentencepiece"]

SPACE = "\u2581"
PIECES = (
    r"[\r\n]+[ \t]*"
    r"|[ \t]{2,}"
    r"| ?[\p{L}\p{M}_]+"
    r"|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}_]+"
    r"|\s"
)
"""The pieces of our own tokenizers, crossed by no merge: line ends with the indentation after them, runs of spaces, words, one digit, signs."""
_OWN_SPLIT = {
    "type": "Sequence",
    "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": PIECES}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
    ],
}
_LINE_END = re.compile(r"(?<=[^\r\n])[\r\n]")
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
PROBES = (
    "def f(x):\n\tif x == 0:\n\t\treturn 'a'\r\n    # 12345 {}[]~`\\\n\n\n        y = 3.5e10  ",
    "".join(map(chr, range(32, 127))),
    " é ü ß λ 漢字 \u00a0 \u2028 \U0001f600 e\u0301 ﬁ",
)
KEPT_ENCODINGS = 16
_KEPT_PARTS = 256
_PART = 500
"""The least characters of a part of a text encoded by itself; while the text's end is typed, the others stay as they are."""
_MAX_GAPS = 100_000  # ids without a token


class Vocabulary:
    """Token ids to bytes and text to token ids, without special tokens either way."""

    opening: tuple[int, ...]  # ids put before every text by the tokenizer itself
    ids: dict[str, int]  # spelling to id
    controls: frozenset[str]  # the spellings added to the vocabulary, never produced from text
    bytes_of: list[bytes | None]  # by id, None for tokens without text

    def __init__(self, tokenizer: "Tokenizer") -> None:
        kind = _kind(tokenizer)
        added = tokenizer.get_added_tokens_decoder()
        ids = tokenizer.get_vocab(with_added_tokens=True)
        last = max(ids.values(), default=-1)
        if last > 4 * len(ids) + _MAX_GAPS:
            raise ModelError(f"its tokenizer has a token of number {last:,}: download it again")
        pieces: list[str | None] = [None] * (last + 1)
        for piece, token in ids.items():
            pieces[token] = piece
        self.opening = _opening(tokenizer)
        self.ids = ids
        self.controls = frozenset(entry.content for entry in added.values())
        self.bytes_of = bytes_of_pieces(pieces, kind)
        controls: list[str] = []
        for token, entry in added.items():
            if entry.special or entry.content.strip():
                self.bytes_of[token] = None
                controls.append(entry.content)
            else:  # runs of white space, added tokens in some vocabularies
                self.bytes_of[token] = entry.content.encode()
        self._tokenizer = _faithful(tokenizer, kind)
        self._controls = re.compile("|".join(map(re.escape, sorted(controls, key=len, reverse=True))) or r"(?!)")
        self._encodings: BoundedDict[str, tuple[int, ...]] = BoundedDict(KEPT_ENCODINGS)
        self._parts: BoundedDict[str, Sequence[int]] = BoundedDict(_KEPT_PARTS)
        self._has_parts = _breaks_at_line_ends(tokenizer)
        self._silent: dict[tuple[int, frozenset[int]], np.ndarray] = {}
        self._probe()

    def __len__(self) -> int:
        return len(self.bytes_of)

    def encode(self, text: str) -> Sequence[int]:
        """The ids of `text`, taken literally: text that looks like a special token is spelled out."""
        ids = self._encodings.get(text)
        if ids is None:
            ids = tuple(self._encode(text))
            self._encodings[text] = ids
        return ids

    def pieces(self, text: str) -> Sequence[int]:
        """The ids of a short text, without caching."""
        return self._encode(text)

    def decode(self, ids: Iterable[int]) -> bytes:
        """The bytes spelled by `ids`."""
        return b"".join(self.bytes_of[i] or b"" for i in ids)

    def starting_with(self, prefix: bytes) -> Sequence[int]:
        """All ids whose bytes start with `prefix`."""
        return self.ids_starting_with(prefix).tolist()

    def ids_starting_with(self, prefix: bytes) -> np.ndarray:
        """The same as a read-only array: quicker for most of a vocabulary."""
        low, high = self.tree.starting_with(prefix)
        return self.tree.ids[low:high]

    def silent(self, size: int, but: frozenset[int] = frozenset()) -> np.ndarray:
        """The ids below `size` without text, except some: (n,) integers, read-only."""
        ids = self._silent.get((size, but))
        if ids is None:
            mute = (i for i, spelling in enumerate(self.bytes_of[:size]) if not spelling)
            kept = [i for i in (*mute, *range(len(self.bytes_of), size)) if i not in but]
            ids = self._silent[size, but] = np.array(kept, dtype=np.int64)
            ids.flags.writeable = False
        return ids

    @cached_property
    def tree(self) -> SpellingTree:
        """The tokens with text, by their spellings."""
        return SpellingTree(self.bytes_of)

    def _encode(self, text: str) -> list[int]:
        try:
            return self._encoded(text)
        except BaseException as error:
            if is_panic(error):
                raise ModelError(f"its tokenizer fails ({first_line(error)}): use another model") from None
            raise

    def _encoded(self, text: str) -> list[int]:
        return [i for part in _parts(text) for i in self._part(part)] if self._has_parts else self._at_once(text)

    def _part(self, text: str) -> Sequence[int]:
        if len(text) < _PART:
            return self._at_once(text)
        ids = self._parts.used(text)
        if ids is None:
            ids = self._parts[text] = self._at_once(text)
        return ids

    def _at_once(self, text: str) -> list[int]:
        ids: list[int] = []
        start = 0
        for control in self._controls.finditer(text):
            # Split behind its first character, it is ordinary text.
            ids += self._tokenizer.encode(text[start : control.start() + 1], add_special_tokens=False).ids
            start = control.start() + 1
        ids += self._tokenizer.encode(text[start:], add_special_tokens=False).ids
        return ids

    def _probe(self) -> None:
        for text in PROBES:
            if self.decode(self._encode(text)) != text.encode():
                raise ModelError("its tokenizer does not reproduce the text it is given: use another model")


def _breaks_at_line_ends(tokenizer: "Tokenizer") -> bool:
    """Whether a text's encoding is that of its parts, cut before ends of lines: as far as is known, that of a tokenizer of our own."""
    split = None if tokenizer.pre_tokenizer is None else json.loads(tokenizer.pre_tokenizer.__getstate__())
    added = (entry.content for entry in tokenizer.get_added_tokens_decoder().values())
    return split == _OWN_SPLIT and tokenizer.normalizer is None and not any(re.search(r"\s", text) for text in added)


def _parts(text: str) -> Iterator[str]:
    """The parts of a text, each cut before the first end of a line behind _PART characters; the last one may be shorter."""
    start = 0
    while (end := _LINE_END.search(text, start + _PART)) is not None:
        yield text[start : end.start()]
        start = end.start()
    yield text[start:]


def _kind(tokenizer: "Tokenizer") -> Kind:
    parts = [part.__getstate__().decode() for part in (tokenizer.decoder, tokenizer.pre_tokenizer) if part is not None]
    if any('"ByteLevel"' in part for part in parts):
        return "bytelevel"
    if tokenizer.token_to_id("<0x0A>") is not None:
        return "sentencepiece"
    raise ModelError("its tokenizer is neither byte-level BPE nor SentencePiece with byte fallback: use another model")


def bytes_of_pieces(pieces: Sequence[str | None], kind: Kind) -> list[bytes | None]:
    """The spellings of a vocabulary's pieces, None for those without text."""
    if kind == "sentencepiece":
        return [None if piece is None else _sentencepiece_bytes(piece) for piece in pieces]
    table = _byte_alphabet()
    spelled: list[bytes | None] = []
    for piece in pieces:
        try:
            spelled.append(None if piece is None else piece.translate(table).encode("latin-1"))
        except UnicodeEncodeError:  # outside of the alphabet: an added token
            spelled.append(None)
    return spelled


def _sentencepiece_bytes(piece: str) -> bytes:
    byte = _BYTE.fullmatch(piece)
    return bytes([int(byte[1], 16)]) if byte else piece.replace(SPACE, " ").encode()


def _byte_alphabet() -> dict[int, int]:
    """GPT-2's letters for bytes, as a table for `str.translate`: printable bytes map to themselves."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {byte: byte for byte in plain}
    others = [byte for byte in range(256) if byte not in table]
    for rank, byte in enumerate(others):
        table[256 + rank] = byte
    for byte in others:
        table[byte] = 0xFFFF  # no letter of the alphabet
    return table


def _opening(tokenizer: "Tokenizer") -> tuple[int, ...]:
    """The ids put before every text by the tokenizer itself (a begin-of-text token, if any)."""
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    full = tokenizer.encode("a", add_special_tokens=True).ids
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start])
    return ()


def _faithful(tokenizer: "Tokenizer", kind: Kind) -> "Tokenizer":
    """The tokenizer, changed to round-trip every text: no space put in front, no Unicode normalisation."""
    from tokenizers.normalizers import Replace

    if kind == "bytelevel":
        tokenizer.normalizer = None  # type: ignore[assignment]
    elif tokenizer.normalizer is not None:
        tokenizer.normalizer = Replace(" ", SPACE)  # type: ignore[assignment]
    split = tokenizer.pre_tokenizer
    if split is not None:
        state = json.loads(split.__getstate__())
        for part in (state, *state.get("pretokenizers", ())):
            if part["type"] == "ByteLevel":
                part["add_prefix_space"] = False
            if part["type"] == "Metaspace":
                part["prepend_scheme"] = "never"
        split.__setstate__(json.dumps(state).encode())
        tokenizer.pre_tokenizer = split  # type: ignore[assignment]
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer

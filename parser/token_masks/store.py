"""Groups of a vocabulary prepared once for a language and kept as one file in the user's cache folder.

A file holds arrays as safetensors does, is mapped into memory, so that processes share its pages, and is named by a hash of everything
its content depends on. It is written under another name and renamed, so that nobody reads half of one. The process building one holds a
lock, and others wait. The content is checked by a hash when opened; a file with any fault counts as missing. Without a writable folder
everything works, only later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout
from safetensors.numpy import save

from ...common import kept_files
from ...common.mapped import mapped
from ...common.untrusted import parse_json
from .vocabulary_trie import VocabularyTrie

_KEPT_FILES = 16
"""Files in the folder, beyond which the least recently written are removed; some 10 MB each."""
_MAX_BYTES, _MAX_HEADER = 1_000_000_000, 50_000_000
_ARRAYS = (
    ("class_of", np.int32),
    ("groups", np.uint16),
    ("examples", np.int32),
    ("roots", np.int32),
    ("packed", np.uint8),
)
_TEXTS = (
    ("parent", np.int32),
    ("char", np.int16),
    ("end_node", np.int32),
    ("end_rest", np.int16),
    ("end_of_token", np.int32),
)


@dataclass(eq=False)
class Prepared:
    """The groups of many lexer states. Tokens grouped together in all of them are one class.

    class_of: (tokens,) the class of each token, from 0. groups: (states, classes) the group of a class: the number of one class in
    it, from 1; 0 for dead ones. examples: (classes,) a token of each. packed: the trees of the groups, packed by the language, with
    roots: (states,) a number for each; both empty if it packs none. texts: of all tokens. special: the tokens with a match of a pattern.
    """

    row: Mapping[str, int]
    class_of: np.ndarray
    groups: np.ndarray
    examples: np.ndarray
    roots: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    packed: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    texts: VocabularyTrie | None = None
    special: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])

    def of(self, name: str) -> np.ndarray | None:
        """(classes,) groups of a lexer state."""
        row = self.row.get(name)
        return None if row is None else self.groups[row]

    def root(self, name: str) -> int | None:
        """The packed tree of a lexer state."""
        row = self.row.get(name)
        return None if row is None or not len(self.roots) else int(self.roots[row])


def together(names: Sequence[str], rows: Sequence[np.ndarray], preferred: np.ndarray) -> Prepared:
    """Put together (tokens,) groups of several lexer states, 0 for dead tokens; preferred: tokens in their order of preference as
    examples."""
    mixed = np.zeros(len(rows[0]), dtype=np.uint64)
    random = np.random.default_rng(0)
    for row in rows:
        numbers = random.integers(1, 1 << 63, size=int(row.max()) + 1, dtype=np.uint64)
        mixed = mixed * np.uint64(6364136223846793005) + numbers[row]
    _, first, back = np.unique(mixed[preferred], return_index=True, return_inverse=True)
    examples = preferred[first]
    class_of = np.empty(len(mixed), dtype=np.int32)
    class_of[preferred] = back
    assert len(examples) < 1 << 16
    groups = np.zeros((len(rows), len(examples)), dtype=np.uint16)
    for row, of_classes in zip(rows, groups, strict=True):
        assert (row[examples][class_of] == row).all(), "two classes with one hash"
        _, firsts, group = np.unique(row[examples], return_index=True, return_inverse=True)
        of_classes[:] = np.where(row[examples] == 0, 0, firsts[group] + 1)
    return Prepared({name: row for row, name in enumerate(names)}, class_of, groups, examples.astype(np.int32))


def path_of(folder: Path, fingerprint: str, spellings: Sequence[bytes | None]) -> Path:
    """The file for the groups of a language (by its fingerprint) and a vocabulary."""
    digest = hashlib.sha256(fingerprint.encode())
    digest.update(hashlib.sha256(b"".join(module.read_bytes() for module in _modules())).digest())
    for spelling in spellings:
        digest.update(b"-" if spelling is None else len(spelling).to_bytes(4, "little") + spelling)
    return folder / f"{digest.hexdigest()[:40]}.masks"


def _modules() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*.py"))


def read(path: Path, tokens: int) -> Prepared | None:
    """The contents of a file, for so many tokens; None for a missing or faulty file."""
    try:
        arrays, about = mapped(path, _MAX_BYTES, _MAX_HEADER)
        header = parse_json(about["header"])
        if header["content"] != _digest(arrays):
            return None
        names, patterns = header["names"], header["patterns"]
        class_of, groups, examples, roots, packed = (arrays[name] for name, _ in _ARRAYS)
        prepared = Prepared({name: row for row, name in enumerate(names)}, class_of, groups, examples, roots, packed)
        rests = tuple(bytes.fromhex(rest) for rest in header["rests"])
        of_texts = {name: arrays[name] for name, _ in _TEXTS}
        prepared.texts = VocabularyTrie(chars=tuple(header["chars"]), rests=rests, head=b"", **of_texts)
        prepared.special = {pattern: arrays[f"special {number}"] for number, pattern in enumerate(patterns)}
    except (OSError, ValueError, TypeError, LookupError):
        return None
    shaped = prepared.groups.shape == (len(prepared.row), len(prepared.examples)) and len(prepared.class_of) == tokens
    shaped = shaped and len(prepared.roots) in (0, len(prepared.row)) and len(prepared.texts.end_of_token) == tokens
    return prepared if shaped else None


def write(path: Path, prepared: Prepared) -> None:
    """Keep for the next time, if the folder is writable."""
    texts = prepared.texts
    assert texts is not None
    arrays = {name: np.ascontiguousarray(getattr(prepared, name), dtype=kind) for name, kind in _ARRAYS}
    arrays |= {name: np.ascontiguousarray(getattr(texts, name), dtype=kind) for name, kind in _TEXTS}
    for number, tokens in enumerate(prepared.special.values()):
        arrays[f"special {number}"] = np.ascontiguousarray(tokens, dtype=np.int32)
    header = {
        "names": sorted(prepared.row, key=prepared.row.__getitem__),
        "chars": texts.chars,
        "rests": [rest.hex() for rest in texts.rests],
        "patterns": list(prepared.special),
        "content": _digest(arrays),
    }
    kept_files.write(path, save(arrays, {"header": json.dumps(header)}), _KEPT_FILES, "*.masks", ".lock")


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    """A hash of the arrays' content; their order is that of their names."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()


def lock_of(path: Path) -> FileLock:
    """The lock for building a file; the system releases it when its process ends."""
    with suppress(OSError):
        kept_files.make_private(path.parent)
    return FileLock(path.with_suffix(".lock"), thread_local=False)


def acquire(lock: FileLock) -> bool:
    """Whether this process may build the file now. False while another does; True also if the folder is not writable."""
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    except OSError:
        return True
    return True

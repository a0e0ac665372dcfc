"""Groups of a vocabulary prepared once for a language and kept as one file in the user's cache folder.

A file is named by a hash of all that its content depends on. It is written under another name and renamed, so that nobody
reads half of one; who builds one holds a lock file, touched as long as the work goes on, for which others wait. Its content is checked by a hash when it is opened, and
whatever is wrong with it, it is as if it were not there. The arrays are mapped into memory. Without a folder that can be
written everything works, only later.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .vocabulary_trie import VocabularyTrie

_MAGIC = b"suture masks 2\n\0"
_ALIGNMENT = 64
_KEPT_FILES = 16
"""Files in the folder, the least recently written of which are removed; some 10 MB each."""
STALE_S = 30.0
"""A lock file not touched for so long is of somebody who ended before the work did."""
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
    """The groups of many lexer states. Tokens that are together in all of them are one class.

    class_of: (tokens,) the class of each token, from 0. groups: (states, classes) the group of a class: the number of one class in
    it, from 1; 0 for dead ones. examples: (classes,) a token of each. packed: what the groups lead to, as the language packs it,
    with roots: (states,) a number for each; both empty where it does not. texts: of all tokens. special: the tokens in which a pattern
    is found.
    """

    row: Mapping[str, int]
    class_of: np.ndarray
    groups: np.ndarray
    examples: np.ndarray
    roots: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    packed: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    texts: VocabularyTrie | None = None
    special: Mapping[str, np.ndarray] = field(default_factory=dict)

    def of(self, name: str) -> np.ndarray | None:
        """(classes,) groups of a lexer state."""
        row = self.row.get(name)
        return None if row is None else self.groups[row]

    def root(self, name: str) -> int | None:
        """What was packed for a lexer state."""
        row = self.row.get(name)
        return None if row is None or not len(self.roots) else int(self.roots[row])


def together(names: Sequence[str], rows: Sequence[np.ndarray], preferred: np.ndarray) -> Prepared:
    """Put together (tokens,) groups of several lexer states, 0 for dead tokens; preferred: tokens in the order in which they are
    wanted as examples."""
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
        _, one, group = np.unique(row[examples], return_index=True, return_inverse=True)
        of_classes[:] = np.where(row[examples] == 0, 0, one[group] + 1)
    return Prepared({name: row for row, name in enumerate(names)}, class_of, groups, examples.astype(np.int32))


def path_of(folder: Path, fingerprint: str, spellings: Sequence[bytes | None]) -> Path:
    """Where the groups of a language (by its fingerprint) and a vocabulary are kept."""
    digest = hashlib.sha256(fingerprint.encode())
    digest.update(hashlib.sha256(b"".join(module.read_bytes() for module in _modules())).digest())
    for spelling in spellings:
        digest.update(b"-" if spelling is None else len(spelling).to_bytes(4, "little") + spelling)
    return folder / f"{digest.hexdigest()[:40]}.masks"


def _modules() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*.py"))


def read(path: Path, tokens: int) -> Prepared | None:
    """What is in a file, for so many tokens; None when there is no such file, or anything is wrong with it."""
    try:
        content = np.memmap(path, dtype=np.uint8, mode="r")
        start = len(_MAGIC) + 8
        if bytes(content[: len(_MAGIC)]) != _MAGIC:
            return None
        length = int.from_bytes(bytes(content[len(_MAGIC) : start]), "little")
        header = json.loads(bytes(content[start : start + length]))
        first = _aligned(start + length)
        if header["content"] != hashlib.sha256(content[first:].data).hexdigest():
            return None
        arrays = []
        kinds = [kind for _, kind in (*_ARRAYS, *_TEXTS)] + [np.int32] * len(header["patterns"])
        for kind, shape in zip(kinds, header["shapes"], strict=True):
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            arrays.append(np.frombuffer(content, kind, int(np.prod(shape)), first).reshape(shape))
            first = _aligned(first + size)
        found = Prepared({name: row for row, name in enumerate(header["names"])}, *arrays[: len(_ARRAYS)])
        of_texts = {name: array for (name, _), array in zip(_TEXTS, arrays[len(_ARRAYS) :], strict=False)}
        rests = tuple(bytes.fromhex(rest) for rest in header["rests"])
        found.texts = VocabularyTrie(chars=tuple(header["chars"]), rests=rests, head=b"", **of_texts)
        found.special = dict(zip(header["patterns"], arrays[len(_ARRAYS) + len(_TEXTS) :], strict=True))
    except (OSError, ValueError, TypeError, LookupError):
        return None
    shaped = found.groups.shape == (len(found.row), len(found.examples)) and len(found.class_of) == tokens
    shaped = shaped and len(found.roots) in (0, len(found.row)) and len(found.texts.end_of_token) == tokens
    return found if shaped else None


def write(path: Path, prepared: Prepared) -> None:
    """Keep for the next time, if the folder can be written."""
    texts = prepared.texts
    assert texts is not None
    parts = [np.ascontiguousarray(getattr(prepared, name), dtype=kind) for name, kind in _ARRAYS]
    parts += [np.ascontiguousarray(getattr(texts, name), dtype=kind) for name, kind in _TEXTS]
    parts += [np.ascontiguousarray(tokens, dtype=np.int32) for tokens in prepared.special.values()]
    body = b"".join(part.tobytes() + b"\0" * (_aligned(part.nbytes) - part.nbytes) for part in parts)
    names = sorted(prepared.row, key=prepared.row.__getitem__)
    header = {
        "names": names,
        "chars": texts.chars,
        "rests": [rest.hex() for rest in texts.rests],
        "patterns": list(prepared.special),
        "shapes": [part.shape for part in parts],
        "content": hashlib.sha256(body).hexdigest(),
    }
    text = json.dumps(header).encode()
    begin = _MAGIC + len(text).to_bytes(8, "little") + text
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(begin + b"\0" * (_aligned(len(begin)) - len(begin)) + body)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        _remove_oldest(path.parent)
    except OSError:
        pass


def acquire_lock(path: Path) -> bool:
    """May this process build the file now? False while another does; True also where the folder cannot be written."""
    lock = path.with_suffix(".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        try:
            stale = abs(time.time() - lock.stat().st_mtime) > STALE_S
            if stale:  # of two that find it so both may build: that costs time alone
                lock.unlink()
        except FileNotFoundError:
            return False  # just given back: ask again
        except OSError:
            return True
        return stale and acquire_lock(path)
    except OSError:
        return True
    return True


def keep_turn(path: Path) -> None:
    """Say that the work goes on."""
    with suppress(OSError):
        os.utime(path.with_suffix(".lock"))


def end_turn(path: Path) -> None:
    """Let others build, or read what was built."""
    with suppress(OSError):
        path.with_suffix(".lock").unlink()


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _remove_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.masks"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[_KEPT_FILES:]:
        file.unlink(missing_ok=True)

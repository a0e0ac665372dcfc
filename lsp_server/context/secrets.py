"""The recognition of secret-looking files, never shown to the model, and of cursors inside words."""

from __future__ import annotations

import os
import re
from fnmatch import translate
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import PurePath

from . import secret_names as names

_WORD_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*|[A-Z]?\d+")
HEAD_CHARS = 1024
"""The length of a file's head to search for a PEM key."""
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{1,60}-----|---- BEGIN SSH2 |PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1")
_KEY_IN_CODE = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[rn]|[\"'+(])+"
    r"(?:[A-Za-z0-9+/=]{16}|Proc-Type:|Version:|Comment:|DEK-Info:)"
)
_BACKUP_ENDS = (".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp")
_MAX_NAME = 300
_WORD = re.compile(r"\w")


@cache
def _is_named() -> re.Pattern[str]:
    return re.compile("|".join(map(translate, sorted(names.NAMES))))


@lru_cache(maxsize=4096)
def looks_secret(path: str) -> bool:
    """Whether a file looks secret, by its name or one of its folders."""
    pure = PurePath(path.replace("\\", "/"))
    name = _without_backup(pure.name)
    folders = [folder.lower() for folder in pure.parts[:-1]]
    lower = name.lower()
    if not names.SECRET_INSIDE.isdisjoint(pairwise((*folders, lower))) or not names.SECRET_FOLDERS.isdisjoint(folders):
        return True
    _, *ends = lower.lstrip(".").split(".")
    end = ends[-1] if ends else ""
    if end in names.SOURCE_ENDS:
        return lower in names.CODE_NAMES
    if _is_named().match(lower) or not names.KEY_ENDS.isdisjoint(ends):
        return True
    if not (end in names.DATA_ENDS or end.isdigit() or end in names.WORDS):
        return False
    return not names.DATA_FOLDERS.isdisjoint(folders) or _says_secret(name)


def _says_secret(name: str) -> bool:
    """Whether the words of a file's name announce secrets."""
    if len(name) > _MAX_NAME:
        return False
    parts = [part for part in re.split(r"[\W_]+", name) if part]
    if len(parts) > 1 and parts[-1].lower() in names.DATA_ENDS:
        parts.pop()
    for words in ([part.lower() for part in parts], [w.lower() for part in parts for w in _WORD_OF_NAME.findall(part)]):
        if not names.WORDS.isdisjoint(words) or not names.PAIRS.isdisjoint(pairwise(words)):
            return True
        others = [word for word in words if word not in names.HEADS]
        if len(others) < len(words) and all(word in names.WHOSE or word.isdigit() for word in others):
            return True
    return False


def begins_with_key(path: str, head: str) -> bool:
    """Whether a file begins with a PEM key or certificate, or code with a private key. head: its first HEAD_CHARS at least, or all."""
    head = head[:HEAD_CHARS]
    if "--" not in head and "PuTTY" not in head and "AGE" not in head:
        return False
    is_code = path.rpartition(".")[2].lower() in names.SOURCE_ENDS
    return (_KEY_IN_CODE if is_code else _PEM).search(head) is not None


def leads_to_secret(path: str) -> bool:
    """Whether a file looks secret, by its own name or its link target's."""
    return looks_secret(path) or looks_secret(os.path.realpath(path))


def _without_backup(name: str) -> str:
    """The original's name of an editor's backup copy: .env~, #.env#, .env.bak, ..env.swp."""
    plain = name.strip("~#")
    for end in _BACKUP_ENDS:
        if plain.endswith(end) and len(plain) > len(end):
            plain = plain.removesuffix(end)
            if end in (".swp", ".swo"):
                plain = plain.removeprefix(".") if plain.startswith("..") else plain
    return plain.removeprefix(".#") or name


def in_word(text: str, offset: int) -> bool:
    """Whether an offset is inside a word: letters, digits or underscores on both sides."""
    return 0 < offset < len(text) and _is_word(text[offset - 1]) and _is_word(text[offset])


def respects_word(text: str, offset: int, suggestion: str) -> bool:
    """Whether a suggestion respects the word around or behind the cursor.

    Inside a word it must be a piece of that word; directly before one it must not run into it.
    """
    if not suggestion or offset >= len(text) or not _is_word(text[offset]):
        return True
    if in_word(text, offset):
        return all(_is_word(char) for char in suggestion)
    return not _is_word(suggestion[-1])


def _is_word(char: str) -> bool:
    return _WORD.match(char) is not None

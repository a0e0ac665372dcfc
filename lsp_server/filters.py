"""Where nothing is suggested, and which files are never looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePath, PurePosixPath

# Files that hold secrets as a rule, by their names in lower case. Source code is not among them, whatever it is called.
_SECRET_NAMES = (
    *(".env", ".env.*", "*.env", ".envrc"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.kdbx", "*.gpg", "*.asc", "*.age"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.ppk", "*.ovpn"),
    *(".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".htpasswd", ".git-credentials", ".dockercfg"),
    *("credentials", ".credentials", "credentials.db", "client_secret*.json", "service-account*.json", "service_account*.json"),
    *("*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*", ".vault-token", "kubeconfig", "secring.*"),
)  # fmt: skip
_SECRET_STEMS = ("credential", "credentials", "secret", "secrets", "password", "passwords", "token", "tokens")
_DATA_ENDS = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".xml", ".csv", ".txt", ".properties")
_SECRET_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".azure", ".kube", ".gcloud", ".password-store"})
_WORD = re.compile(r"\w")


@lru_cache(maxsize=4096)
def looks_secret(path: str) -> bool:
    """Does a file look as if it held secrets, by its name or one of its folders?"""
    pure = PurePath(path.lower())
    name = pure.name
    stem, dot, ending = name.lstrip(".").partition(".")
    if any(fnmatchcase(name, pattern) for pattern in _SECRET_NAMES):
        return not name.endswith(".pub")  # the public half of a key
    return (stem in _SECRET_STEMS and dot + ending in _DATA_ENDS) or not _SECRET_FOLDERS.isdisjoint(pure.parts[:-1])


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Does a path match one of some globs?

    `*` and `?` stay within a folder, `**` goes through any; a pattern without a slash is for any name on the path, others
    are for the end of the path (from the root, where they start with a slash). A folder stands for all that is in it.
    """
    return any(_glob(pattern)(path.replace("\\", "/")) for pattern in patterns)


@lru_cache(maxsize=256)
def _glob(pattern: str) -> Callable[[str], bool]:
    pattern = pattern.replace("\\", "/").rstrip("/")
    if not pattern:
        return lambda path: False
    if "/" not in pattern:
        return lambda path: any(fnmatchcase(part, pattern) for part in PurePosixPath(path).parts)
    start = "" if pattern.startswith("/") else "(?:.*/)?"
    try:
        whole = re.compile(start + glob_expression(pattern) + "(?:/.*)?", re.DOTALL)
    except re.error:  # a set such as [z-a] holds nothing
        return lambda path: False
    return lambda path: whole.fullmatch(path) is not None


def glob_expression(pattern: str) -> str:
    """Give a glob of several parts as a regular expression: `*` and `?` stay within a part, `**` is any number of parts."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            parts.append("(?:.*/)?")
            at += 3
        elif pattern.startswith("**", at):
            parts.append(".*")
            at += 2
        elif char == "[" and (end := pattern.find("]", at + 2)) > 0:
            inside = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            parts.append("(?!/)[" + ("^" + inside[1:] if inside[0] in "!^" else inside) + "]")
            at = end + 1
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
            at += 1
    return "".join(parts)


@dataclass(frozen=True)
class Snooze:
    """Suggestions are off until a time; `until_s` as `time.monotonic` counts."""

    until_s: float = 0.0

    def asleep(self, now_s: float) -> bool:
        """Is it still on?"""
        return now_s < self.until_s


def in_word(text: str, offset: int) -> bool:
    """Is an offset inside a word: letters, digits or underscores on both sides?"""
    return 0 < offset < len(text) and _is_word(text[offset - 1]) and _is_word(text[offset])


def respects_word(text: str, offset: int, suggestion: str) -> bool:
    """Would a suggestion leave the word alone that the cursor is in or before?

    Inside a word it must be a piece of that word; directly before one it must not run into it.
    """
    if not suggestion or offset >= len(text) or not _is_word(text[offset]):
        return True
    if in_word(text, offset):
        return all(_is_word(char) for char in suggestion)
    return not _is_word(suggestion[-1])


def _is_word(char: str) -> bool:
    return _WORD.match(char) is not None

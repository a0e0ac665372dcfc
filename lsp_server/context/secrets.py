"""Which files are never looked at, and what would spoil a word."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath

# Files that hold secrets as a rule, by their names in lower case. Source code is not among them, whatever it is called.
_SECRET_NAMES = (
    *(".env", ".env.*", "*.env", ".envrc"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.kdbx", "*.gpg", "*.asc", "*.age"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.ppk", "*.ovpn"),
    *(".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".htpasswd", ".git-credentials", ".dockercfg"),
    *("credentials", ".credentials", "credentials.db", "client_secret*.json", "service-account*.json", "service_account*.json"),
    *("*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*", ".vault-token", "kubeconfig", "secring.*"),
    *(".secret", ".secrets", "rclone.conf", "credentials.tfrc.json"),
    *(".*_history", ".*-history", ".histfile", ".zhistory", ".*_eternal_history", "fish_history", "consolehost_history.txt"),
    *(".lesshst", ".viminfo", "_viminfo"),
)  # fmt: skip
_SECRET_STEMS = ("credential", "credentials", "secret", "secrets", "password", "passwords", "token", "tokens")
_DATA_ENDS = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".xml", ".csv", ".txt", ".properties")
_SECRET_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".azure", ".kube", ".gcloud", ".password-store", ".secrets"})
# Of other folders, a folder or file inside.
_SECRET_INSIDE = frozenset(
    (
        *(
            (".docker", "config.json"),
            (".config", "gh"),
            (".config", "glab-cli"),
            (".config", "hub"),
            (".config", "gcloud"),
        ),
        *(
            (".m2", "settings.xml"),
            (".huggingface", "token"),
            ("huggingface", "token"),
            ("huggingface", "stored_tokens"),
        ),
    )
)
_BACKUP_ENDS = (".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp")
_WORD = re.compile(r"\w")


@lru_cache(maxsize=4096)
def looks_secret(path: str) -> bool:
    """Does a file look as if it held secrets, by its name or one of its folders?"""
    pure = PurePath(path.lower())
    name = _without_backup(pure.name)
    stem, dot, ending = name.lstrip(".").partition(".")
    if not _SECRET_INSIDE.isdisjoint(pairwise((*pure.parts[:-1], name))):
        return True
    if any(fnmatchcase(name, pattern) for pattern in _SECRET_NAMES):
        return not name.endswith(".pub")  # the public half of a key
    return (stem in _SECRET_STEMS and dot + ending in _DATA_ENDS) or not _SECRET_FOLDERS.isdisjoint(pure.parts[:-1])


def leads_to_secret(path: str) -> bool:
    """Does a file look as if it held secrets, by its own name or that of what it is a link to?"""
    return looks_secret(path) or looks_secret(os.path.realpath(path))


def _without_backup(name: str) -> str:
    """The name of the file that one is a copy of, as editors keep them: .env~, #.env#, .env.bak, ..env.swp."""
    plain = name.strip("~#")
    for end in _BACKUP_ENDS:
        if plain.endswith(end) and len(plain) > len(end):
            plain = plain.removesuffix(end)
            if end in (".swp", ".swo"):
                plain = plain.removeprefix(".") if plain.startswith("..") else plain
    return plain.removeprefix(".#") or name


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

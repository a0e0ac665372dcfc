"""The built-in languages: each is a folder beside this module, and a line in it.

A folder has PATTERNS, its languages' names in editors with the patterns of their file names; its module `language` has LANGUAGES, and is
imported at the first use of one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from ..language_runtime import BuiltIn

FOLDERS = (  # one line a language
    "python",
    "go",
    "typescript",
    "json",
    "slua",
)
"""In the order in which the languages are listed."""


class BuiltIns(Mapping[str, BuiltIn]):
    """Languages by their names."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self.patterns: dict[str, tuple[str, ...]] = {}
        for folder in FOLDERS:
            patterns = import_module(f".{folder}", __package__).PATTERNS
            self._folders |= dict.fromkeys(patterns, folder)
            self.patterns |= patterns

    def __getitem__(self, name: str) -> BuiltIn:
        return import_module(f".{self._folders[name]}.language", __package__).LANGUAGES[name]

    def __contains__(self, name: object) -> bool:
        return name in self._folders

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)


BUILT_IN = BuiltIns()

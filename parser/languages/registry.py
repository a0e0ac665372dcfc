"""The languages that come with the project: each is a folder beside this module, and a line in it.

A folder has PATTERNS, the names of its languages as editors say them with the patterns of their files' names; its module `language` has LANGUAGES, and is
imported when one of these is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from ..language_runtime import BuiltIn

FOLDERS = (  # a language is a line
    "python",
    "go",
    "typescript",
    "json",
    "slua",
)
"""In the order in which their languages are listed."""


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

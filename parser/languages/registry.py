"""The languages that come with the project: each is a folder beside this module, and a line in it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ..language_runtime import BuiltIn

FOLDERS = (  # a language is a line
    "python",
    "go",
    "typescript",
    "json",
    "slua",
)
"""In the order in which their languages are listed; each has LANGUAGES in its `language.py`."""


def _languages(folder: str) -> Mapping[str, BuiltIn]:
    """name, as editors say it -> language"""
    return import_module(f".{folder}.language", __package__).LANGUAGES


BUILT_IN: Mapping[str, BuiltIn] = {
    name: built_in for folder in FOLDERS for name, built_in in _languages(folder).items()
}

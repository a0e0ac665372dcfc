"""Demands on values from outside, and the words for them in messages: settings, options of requests, arguments."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

from .json_types import is_array

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Kind:
    """A demand on a value."""

    words: str  # after "must be"
    holds: Callable[[Any], bool]


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a finite number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; true and false are none."""
    return type(value) is int


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is text, and not only white space."""
    return isinstance(value, str) and value.strip() != ""


def is_unicode(value: object) -> TypeGuard[str]:
    """Whether a value is text without lone surrogates, possible in JSON."""
    return isinstance(value, str) and _SURROGATE.search(value) is None


def without_halves(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, as in editors' files; the length is unchanged."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _all(words: str, holds: Callable[[object], bool], count: int | None = None) -> Kind:
    def each(value: object) -> bool:
        return is_array(value) and count in (None, len(value)) and all(map(holds, value))

    return Kind(words, each)


SWITCH = Kind("true or false", lambda value: isinstance(value, bool))

WHOLE = Kind("a whole number", is_whole)
NUMBER = Kind("a number", is_number)
TEXTS = _all("a list of texts", is_text)
PAIR = _all("two whole numbers", is_whole, 2)


def is_device(value: object) -> TypeGuard[str]:
    """Whether a value names a kind of device that models run on, or one device of the kind."""
    return isinstance(value, str) and re.fullmatch(r"auto|cpu|(?:cuda|mps)(?::\d+)?", value) is not None


DEVICE = Kind("auto, cuda, mps or cpu", is_device)


def text(words: str = "text") -> Kind:
    """Text other than white space."""
    return Kind(words, is_text)


def one_of(*choices: str) -> Kind:
    """One of some words."""
    *others, last = choices
    return Kind(f"{', '.join(others)} or {last}", lambda value: value in choices)


def whole(least: int, most: int | None = None) -> Kind:
    """A whole number within inclusive bounds."""
    words = f"a whole number of {least} or more" if most is None else f"a whole number from {least} to {most}"
    return Kind(words, lambda value: is_whole(value) and least <= value and (most is None or value <= most))


def number(least: float, most: float | None = None, *, words: str | None = None) -> Kind:
    """A number within inclusive bounds."""
    said = f"a number of {least:g} or more" if most is None else f"a number from {least:g} to {most:g}"
    return Kind(words or said, lambda value: is_number(value) and least <= value and (most is None or value <= most))

"""Number literals as an automaton; its states have short names.

z1 one zero, z zeros, zd zeros then other digits (only good for a float), d decimal, f after the point or fraction,
fp after "1.", e after the exponent's e (ez: E), es its sign, x its digits, j imaginary,
h0 o0 b0 after 0x 0o 0b, h o b their digits; a trailing _ means that a digit must follow.
"""

from __future__ import annotations

from typing import Literal

_HEX = frozenset("0123456789abcdefABCDEF")
_DECIMAL = {"z1", "z", "zd", "d", "f", "fp", "x"}
ENDABLE = {"z1", "z", "d", "f", "fp", "x", "h", "o", "b", "j"}
"""The states in which the number may end."""

AFTER_NUMBER = ("and", "else", "for", "if", "in", "is", "or", "not")
"""The keywords that may follow a number without a space."""


def number_step(state: str, char: str) -> str | Literal["end", "else"] | None:
    """The state after one more character; "end": the number ended before it; "else": "1e" was "1 e(lse)"; None: error."""
    digit = char.isascii() and char.isdigit()
    if state.endswith("_") or state in ("h0", "o0", "b0"):
        return _digit_after(state, char, digit)
    if state in ("e", "ez"):
        if digit:
            return "x"
        if char in "+-":
            return "es"
        return "else" if char == "l" and state == "e" else None
    if state == "es":
        return "x" if digit else None
    if state == "z1" and char in "xXoObB":
        return {"x": "h0", "o": "o0", "b": "b0"}[char.lower()]
    if state in _DECIMAL:
        if digit:
            if state in ("z1", "z"):
                return "z" if char == "0" else "zd"
            return "f" if state == "fp" else state
        if char == "_" and state != "fp":
            return "z_" if state == "z1" else state + "_"
        if char == "." and state in ("z1", "z", "zd", "d"):
            return "fp"
        if char in "eE" and state != "x":
            return "ez" if char == "E" else "e"
        if char in "jJ":
            return "j"
        return None if state == "zd" else "end"
    if state == "h":
        if char in _HEX:
            return "h"
        return "h_" if char == "_" else "end"
    if state in ("o", "b"):
        if digit:
            return state if char in ("01234567" if state == "o" else "01") else None
        return state + "_" if char == "_" else "end"
    return "end"


def _digit_after(state: str, char: str, digit: bool) -> str | None:
    base = state[0]
    if state in ("h0", "o0", "b0") and char == "_":
        return base + "_"
    if base == "h":
        return "h" if char in _HEX else None
    if base in "ob":
        return base if char in ("01234567" if base == "o" else "01") else None
    if not digit:
        return None
    if base == "z":
        return "zd" if state == "zd_" or char != "0" else "z"
    return state[:-1]


def number_closer(state: str) -> str:
    """The shortest text that makes it a number."""
    if state in ENDABLE:
        return ""
    return "." if state == "zd" else "0"

"""The facts around a hole in Go from which whole texts can be made; see scoping/facts.py. Function headers are read as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .....common.words import compiled
from ....scoping.facts import Facts

_TYPE = re.compile(r"chan\b|<-|func\(|interface\b|struct\b|map\[|[*\[]")
_HEADER = compiled(r"func\s+(?:\([^()]*\)\s*)?(?P<name>[^\W\d]\w*)\s*(?:\[[^\[\]]*\]\s*)?\(")
_NUMBER = re.compile(r"u?int(?:8|16|32|64|ptr)?|float(?:32|64)|byte|rune|(?:time\.)?Duration")
_NIL = re.compile(r"\*|\[\]|map\[|chan\b|func\(|<-|interface\b|(?:any|error)\Z")
_ZEROS = {"string": '""', "bool": "false"}


class HoleFacts(Facts):
    """The facts of the hole's first state."""

    def __init__(self, own: str) -> None:
        """own: the declaration around the hole, up to it."""
        self._own = own

    @property
    def failure(self) -> Sequence[str]:
        header = _HEADER.match(self._own)
        if header is None:
            return ()
        start = header.end()
        listed = self._own[start + len(_inside(self._own, start)) + 1 :].lstrip(" ")
        if not listed.startswith("("):
            return ()
        kinds = [kind for _, kind in _parameters(listed, 1)]
        values = [_zero(kind) for kind in kinds[:-1]]
        return (*values, "err") if all(values) and kinds[-1:] == ["error"] else ()


def _inside(text: str, start: int) -> str:
    """The text between a bracket and its closing one."""
    depth = 0
    for offset in range(start, len(text)):
        depth += (text[offset] in "([{") - (text[offset] in ")]}")
        if depth < 0:
            return text[start:offset]
    return text[start:]


def _parts(text: str) -> Iterator[str]:
    depth = begin = 0
    for offset, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            yield text[begin:offset].strip()
            begin = offset + 1
    if text[begin:].strip():
        yield text[begin:].strip()


def _parameters(text: str, start: int) -> list[tuple[str, str]]:
    """(name, type) of the parameters or results behind an opening bracket; the names are "" where they have none."""
    parts = [part.partition(" ") for part in _parts(_inside(text, start))]
    if not any(kind and not _TYPE.match(name) for name, _, kind in parts):
        return [("", name + blank + kind) for name, blank, kind in parts]
    parameters: list[tuple[str, str]] = []
    kind = ""
    for name, _, own in reversed(parts):
        kind = own.strip() or kind
        parameters.append((name, kind))
    return parameters[::-1]


def _zero(kind: str) -> str:
    """The zero value of a type; "" where it is unknown, as of a type declared elsewhere."""
    if kind in _ZEROS:
        return _ZEROS[kind]
    return "0" if _NUMBER.fullmatch(kind) else "nil" if _NIL.match(kind) else ""

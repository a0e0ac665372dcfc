"""The names a file may give to attributes of objects, in any way, including ways a type checker does not follow."""

from __future__ import annotations

import builtins
import re
from collections import deque

from ....common.words import compiled
from ...type_server import Assigned

_PIECE = compiled(
    r"(?P<comment>#[^\n]*)"
    r"|(?P<begin>^[ \t]*)?(?P<long>\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]|\\[\s\S]|'(?!''))*+''')"
    r"|(?P<text>\"(?:[^\"\\\n]|\\[\s\S])*+\"|'(?:[^'\\\n]|\\[\s\S])*+')",
    re.MULTILINE,
)
_WORD = compiled(r"[^\W\d]\w*")
_NAME_ALONE = compiled(r"[\"'][^\W\d]\w*[\"']")
_BOUND = compiled(
    r"\b(?:def|class|as|type)[ \t]+(?P<defined>[^\W\d]\w*)"
    r"|\b(?P<name>[^\W\d]\w*)[ \t]*(?::[^=\n,(){}]{0,80})?(?:[-+*/%@&|^:]|//|\*\*|<<|>>)?=(?!=)"
    r"|^[ \t]*(?:[^\W\d]\w*\.)*(?P<annotated>[^\W\d]\w*)[ \t]*:[ \t]*[^\s=]",
    re.MULTILINE,
)
_TARGETS = compiled(
    r"^(?P<line>[^=\n]*+)=(?!=)|^[ \t]*(?P<lines>[(\[][^()\[\]=]{0,400}[)\]])[ \t]*=(?!=)"
    r"|\b(?:for|as)[ \t]+(?P<each>[^\n:]{0,200}?)(?:[ \t]+in\b|:)|\bimport[ \t]+(?P<imported>[^\n]*)",
    re.MULTILINE,
)
_NAMED = r"[^\n]{0,200}?[\"'][^\W\d]\w*[\"'][ \t]*,"
_SET = r"(?:\.[ \t]*(?:update|setdefault|__ior__|__setitem__)\b|\[[^\]\n]{0,200}\][ \t]*=(?!=)|\|=)"
_READ = r"(?:\.[ \t]*(?:get|copy|items|keys|values)\b|\[[^\]\n]{0,200}\](?![ \t]*=(?!=)))"
_COMPUTES = compiled(
    rf"\b(?:setattr|__setattr__)\b(?![ \t]*\({_NAMED})|\bexec[ \t]*\(|\bvars[ \t]*\([^\n)]*\)[ \t]*{_SET}"
    rf"|(?<!\*\*)\blocals[ \t]*\((?!\){_READ})|\b__dict__[ \t]*(?:{_SET}|=(?!=))"
    rf"|(?<![=!<>])=[ \t]*(?:vars[ \t]*\(|[\w.]*\b__dict__\b(?!{_READ}))"
)
"""Code that may compute the names of attributes."""
_OWN = ("Self@", "<super")
_HEAD = compiled(r"[^\W\d]\w*")
_CONSTANT = frozenset(name for name in dir(builtins) if isinstance(getattr(builtins, name), type)) - {"object", "type"}
"""The built-in types; their objects take no attributes."""
_LITERAL = compiled(r"Literal\[(?:b?[\"']|-?\d|True\b|False\b)")
"""Literals of built-in types; those of an enumeration begin with its name."""
_CONTAINER = frozenset(("__getitem__", "__iter__", "__len__", "__contains__"))
_OF_CONTAINERS = frozenset(name for kind in (list, tuple, dict, set, str, bytearray, deque) for name in dir(kind))


def assigned(text: str) -> Assigned:
    """The names a text may give to attributes of objects: bound names, targets, keywords, and words in strings other than docstrings."""
    strings = set[str]()

    def without(piece: re.Match[str]) -> str:
        """The text in place of a comment or a string: a `def` in either defines nothing."""
        if piece["comment"] is not None:
            return ""
        if piece["begin"] is None:
            strings.update(_WORD.findall(piece[0]))
        return piece[0] if _NAME_ALONE.fullmatch(piece[0]) else '""'

    code = _PIECE.sub(without, text)
    names = {match[match.lastgroup or 0] for match in _BOUND.finditer(code)}
    for match in _TARGETS.finditer(code):
        if match.lastgroup != "line" or "," in match["line"]:
            names.update(_WORD.findall(match[match.lastgroup or 0]))
    return Assigned(frozenset(names), frozenset(strings), _COMPUTES.search(code) is not None)


def is_sure(owner: str, name: str, assigned: Assigned, listed: frozenset[str] = frozenset()) -> bool:
    """Whether a type really lacks a name that a checker does not find, given the names assigned in a text. listed: the names it does find.

    The standard library's stubs leave out private names, and use private types, which no file binds, in place of whole ones. A container
    protocol, or a typed dictionary, has fewer names than the built-in containers in its place.
    """
    if name in assigned.names or name in assigned.strings:
        return False
    if owner.startswith("Module "):
        return not name.startswith("_")
    head = _HEAD.match(owner.removeprefix("type[").removeprefix("<class '"))
    is_own = owner.startswith(_OWN)
    if not is_own and (name.startswith("_") or head is None or (head[0][0] == "_" and head[0] not in assigned.names)):
        return False
    if head is not None and (head[0] in _CONSTANT or _LITERAL.match(owner)):
        return True
    return not assigned.computes and not (name in _OF_CONTAINERS and not _CONTAINER.isdisjoint(listed))

"""Mending a broken Go file; see ../brace_mending.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ....common.words import compiled
from ...view import Broken, Edit
from ..brace_layout import Signs
from ..brace_mending import BraceMender
from .semantics.universe import KEYWORDS

_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|`[^`]*`"
_IDENTS = r"[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*"
_DECLARED = compiled(rf"({_IDENTS})\s*:=|\b(?:var|const)\s+({_IDENTS})|\bfunc\s+([^\W\d]\w*)|\btype\s+([^\W\d]\w*)")
_PARAMETERS = compiled(r"([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s+(?:\.\.\.)?[\w*\[(]")
_NAME = compiled(r"[^\W\d]\w*")
_FUNCTION = compiled(r"\bfunc\s+(?:\([^()]*\)?\s*)?([^\W\d]\w*)")
_IMPORT = compiled(r"\"?[\w.\-/]*?(\w+)(?:/v\d+)?\"?\s*$")

_PACKAGE = re.compile(r"^package[ \t]", re.MULTILINE)
_SURROUNDINGS = (
    ("func _() {\n", "\n}\n"), ("", "\n"), ("func _() {\n{\n", "\n}\n"), ("var _ = []any{\n", "\n}\n"), ("var _ = any(\n", "\n)\n"),
    ("func _() {\nswitch {\n", "\n}\n}\n"), ("type _ struct {\n", "\n}\n"), ("type _ interface {\n", "\n}\n"),
    ("func _() {\nif true {\n", "\n}\n}\n"), ("func _() {\n", "\n}\n}\n"), ("func _() {\n_ = any(func() {\n", "\n}\n"), ("const (\n", "\n)\n"),
)  # fmt: skip


class GoMender(BraceMender):
    """See BraceMender."""

    signs = Signs(
        re.compile(rf"//[^\n]*|/\*[\s\S]*?\*/|{_STRING}|(?P<bracket>[()\[\]{{}}])|\n[ \t]*"),
        re.compile(rf"{_STRING}|(?P<comment>[ \t]*//[^\n]*)"),
        compiled(r"(?:case\b|default[ \t]*:|[^\W\d]\w*:[ \t]*$)", re.MULTILINE),
    )
    keywords: ClassVar = frozenset(KEYWORDS) | {"nil", "true", "false", "iota", "_"}
    operands: ClassVar = (" 0", "()", ",")
    openings: ClassVar[Sequence[str]] = (
        "func x() {", "if x {", "{", "x(func() {", "x(", "x := x{", "x(x{", "x: x{", "x: func() {", "type x struct {", "const (", "var (",
        "import (", "func x(", "var x = x{", "type x interface {", "switch x {", "select {", "case x:", "for x {", "func() {", "x struct {",
        "go func() {", "type (", "for x := range []struct {",
    )  # fmt: skip

    def edits(self, broken: Broken) -> Iterator[Edit]:
        if _PACKAGE.search(broken.text, 0, broken.dead) is None:
            start = broken.text.rfind("\n", 0, broken.dead) + 1
            if broken.is_free(start, start) and start != broken.offset:  # it would come behind the cursor
                yield Edit(start, start, "package p\n", 0.5)
        yield from super().edits(broken)

    def declared(self, code: str) -> Iterator[str]:
        for match in _DECLARED.finditer(code):
            yield from _NAME.findall(next(filter(None, match.groups())))

    def stand_ins(self, code: str, declared: list[str], others: list[str]) -> Iterator[str]:
        names, words = ", ".join(declared), ", ".join(declared + others)
        used = f"{', '.join('_' for _ in declared + others)} = {words}" if words else ""
        if code.startswith(("func", "type", "var", "const")):
            kind = "type" if code.startswith("type") else "var"
            yield f"{kind} {names} any" if kind == "var" else f"type {declared[0] if declared else '_'} any"
        if code.startswith("import"):
            yield 'import _ "_"'
        yield f"var {names} any; {used}" if names else used or "{}"
        yield f"var {names or '_'} any"
        yield f"case {words}:"
        yield f"{names or words} any"
        path = _IMPORT.search(code)
        if path is not None:
            yield f'{path[1]} "{path[1]}"'
        yield f"{names or words} = 0"
        yield f"{words},"
        yield "package p"

    def headers(self, code: str, words: list[str], closers: str) -> Iterator[str]:
        names = [name for match in _PARAMETERS.finditer(code) for name in _NAME.findall(match[1]) if name in words]
        declared = dict.fromkeys([*self.declared(code), *names])
        bound = ", ".join(name for name in declared if name in words)
        used = f" var {bound} any; {', '.join('_' for _ in bound.split(', '))} = {bound}" if bound else ""
        function = _FUNCTION.search(code)
        name = function[1] if function is not None else "_"
        parameters = ", ".join(parameter for parameter in declared if parameter in words and parameter != name)
        parameters = f"{parameters} any" if parameters else ""
        if closers == ")":
            word = code.partition(" ")[0]
            groups = ("import", "var", "const", "type")
            yield from (f"{group} (" for group in sorted(groups, key=lambda group: group != word))
            yield "_ = any("
            yield "("
        elif closers.startswith("})"):
            yield f"_ = any(func({parameters}) {{"
            yield f"func({parameters}) {{"
        elif closers in ("}", ""):
            if code.startswith("type"):
                yield f"type {words[0] if words else '_'} {'interface' if 'interf' in code else 'struct'} {{"
            if not code.startswith(("if", "for", "switch", "select", "case")):
                yield f"func {name}({parameters}) {{"
            if code.startswith(("switch", "select")):
                yield "switch {"
            yield "case 0:"
            yield f"for {{{used}"
            yield f"func({parameters}) {{"
            yield f"var {words[0] if words else '_'} = []any{{"
            yield "{"

    def surroundings(self, words: list[str]) -> Iterator[tuple[str, str]]:
        package = "package p\n" + (f"var {', '.join(words)} any\n" if words else "")
        for before, after in _SURROUNDINGS:
            yield package + before, after
        yield "package p\nimport (\n", "\n)\n"
        yield "", ""

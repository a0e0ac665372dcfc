"""Mending a broken TypeScript or JavaScript file; see ../brace_mending.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ....common.brackets import OPENERS
from ....common.words import compiled
from ...glr.prefix import Engine
from ..brace_layout import Signs
from ..brace_mending import BraceMender
from .semantics.tokens import KEYWORDS

_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
_REGEX = r"(?<=[(,=:!&|?\[{};] )/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/|(?<=\()/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
_NAME = compiled(r"(?<![\w$.#])[^\W\d][\w$]*")
_DECLARED = compiled(
    r"\b(?:const|let|var)\s+(\{[^{}=]*\}?|\[[^\[\]=]*\]?|[^\W\d][\w$]*)|\b(?:function\s*\*?|class|interface|type|enum|namespace|module)\s+([^\W\d][\w$]*)|\bimport\b([^'\"]*)"
)
_TYPE = compiled(
    r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:const\s+)?(class|interface|type|enum|namespace|module)\s+([^\W\d][\w$]*)"
)
_BRACKET = compiled(rf"{_STRING}|(?P<bracket>[()\[\]{{}}])")
_TYPED = compiled(
    r"[(,]\s*(?:\.\.\.\s*)?(?:(?:public|private|protected|readonly|override)\s+)*([^\W\d][\w$]*|\{[^{}]*\})\s*\??:(?!:)"
)
_BARE = compiled(r"\(([^()]*)\)\s*=>|\bcatch\s*\(([^()]*)|([^\W\d][\w$]*)\s*=>")
_PARAMETERS = compiled(r"([^\W\d][\w$]*)\s*(?=[,:?)=}]|$)")
_FUNCTION = compiled(r"\bfunction\s*\*?\s*([^\W\d][\w$]*)")
_METHOD = compiled(r"(?:(?:public|private|protected|static|async|override|readonly|get|set)\s+)*(#?[^\W\d][\w$]*)")

_SURROUNDINGS = (
    ("function _() {\n", "\n}\n"), ("", "\n"), ("function _() {\nif (0) {\n", "\n}\n"), ("_ = {\n", "\n}\n"), ("_(\n", "\n)\n"), ("_(() => {\n", "\n"),
    ("class _ {\n", "\n}\n"), ("switch (0) {\n", "\n}\n"), ("_({\n", "\n"), ("_ = [\n", "\n]\n"), ("_(\n<a>\n", "\n</a>\n)\n"), ("_(\n<a\n", "\n/>\n)\n"), ("try {\n", "\n"),
)  # fmt: skip


class TypeScriptMender(BraceMender):
    """See BraceMender."""

    signs = Signs(
        re.compile(rf"//[^\n]*|/\*[\s\S]*?\*/|{_STRING}|{_REGEX}|(?P<bracket>[()\[\]{{}}])|\n[ \t]*"),
        re.compile(rf"{_STRING}|{_REGEX}|(?P<comment>[ \t]*//[^\n]*)"),
        compiled(r"(?:case\b|default[ \t]*:|[^\W\d]\w*:[ \t]*$|\*)", re.MULTILINE),
    )
    keywords: ClassVar = frozenset(KEYWORDS) | {"undefined", "of", "as", "from", "type", "interface", "async", "_"}
    operands: ClassVar = (" null", ",")
    openings: ClassVar[Sequence[str]] = (
        "x(() => {", "x({", "if (x) {", "{", "(", "[", "x() {", "x = {", "x: {", "function x() {", "function x(", "x(", "x = (", "import {",
        "class x {", "interface x {", "type x = {", "switch (x) {", "case x:", "try {", "constructor(", "x: (", "x: [", "x: x({", "export {",
        "enum x {", "do {", "() => {", "> {", "type x = x<{",
    )  # fmt: skip
    bodies: ClassVar = (" {", " => {")

    def __init__(self, engine: Engine, *, typed: bool) -> None:
        """typed: whether it is TypeScript."""
        super().__init__(engine)
        self._any = ": any" if typed else ""

    def declared(self, code: str) -> Iterator[str]:
        for match in _DECLARED.finditer(code):
            yield from _NAME.findall(next(filter(None, match.groups()), ""))
        parameters = [match[1] for match in _TYPED.finditer(code) if _is_in_parentheses(code, match.start() + 1)]
        parameters += [next(filter(None, match.groups()), "") for match in _BARE.finditer(code)]
        for names in parameters:
            yield from _NAME.findall(names)

    def stand_ins(self, code: str, declared: list[str], others: list[str]) -> Iterator[str]:
        export = "export " if code.startswith("export") else ""
        if code.startswith("import"):
            yield f'import {{ {", ".join(declared)} }} from "";'
        kind = _TYPE.match(code)
        if kind is not None:
            yield f"{export}class {kind[2]} {{}}"
        variables = ", ".join(name + self._any for name in declared)
        yield f"{export}var {variables};" if variables else f"{export and 'export {};'}" or ";"
        words = declared + others
        yield "".join(f"{name}{self._any}; " for name in declared).strip()
        yield "".join(f"{name}, " for name in words).strip()
        yield f"case {words[0] if words else '0'}:"

    def headers(self, code: str, words: list[str], closers: str) -> Iterator[str]:
        export = "export " if code.startswith("export") else ""
        declared = dict.fromkeys([*self.declared(code), *_PARAMETERS.findall(code)])
        names = [name for name in declared if name in words]
        function = _FUNCTION.search(code)
        name = function[1] if function is not None else "_"
        parameters = ", ".join(parameter + self._any for parameter in names if parameter != name)
        bound = "".join(f" {parameter}{self._any}," for parameter in names)
        var = f" var{bound[:-1]};" if bound else ""
        kind = _TYPE.match(code)
        opening = "".join(OPENERS[char] for char in reversed(closers or "}"))
        if opening == "{":
            if kind is not None:
                yield f"{export}{kind[1] if kind[1] != 'type' else 'interface'} {kind[2]} {{"
                yield f"{export}class {kind[2]} {{"
            if function is not None:
                yield f"{export}function {name}({parameters}) {{"
            if code.startswith("switch"):
                yield "switch (0) {"
            if code.startswith("import"):
                yield "import {"
            if code.startswith("export {"):
                yield "export {"
            variable = next(iter(self.declared(code)), None)
            if variable is not None and "=>" in code:
                yield f"{export}const {variable} = ({parameters}) => {{"
            if variable is not None:
                yield f"{export}const {variable}{self._any} = {{"
            yield f"for (;;) {{{var}"
            method = _METHOD.match(code)
            yield f"{method[1] if method is not None else '_'}({parameters}) {{"
            yield "_: {"
            yield "() => {"
            yield "{"
        elif opening.endswith("({"):
            yield f"_(({parameters}) => {{"
            yield "_({"
            yield f"_: _(({parameters}) => {{"
        else:
            yield f"_{opening}"
            yield opening

    def surroundings(self, words: list[str]) -> Iterator[tuple[str, str]]:
        variables = "".join(f" {word}{self._any}," for word in words)
        bound = f"var{variables[:-1]};\n" if words else ""
        for before, after in _SURROUNDINGS:
            yield bound + before, after


def _is_in_parentheses(code: str, offset: int) -> bool:
    """Whether the innermost open bracket at an offset is a parenthesis."""
    still_open = [""]
    for match in _BRACKET.finditer(code, 0, offset):
        if match["bracket"] is not None and match[0] in "([{":
            still_open.append(match[0])
        elif match["bracket"] is not None and len(still_open) > 1:
            still_open.pop()
    return still_open[-1] == "("

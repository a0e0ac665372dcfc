"""The API that the host offers to scripts: the file `*.slua-api`.

    file   = { record | class | global | script }
    record = "record" NAME "{" { field "," } "}"            scripts may construct it
    class  = "class" NAME "{" { field "," } "}"             objects of the host only
    field  = ["mut"] ["static"] NAME ["?"] ":" type
    type   = NAME | "(" [ param { "," param } ] ")" "->" ( NAME | "void" )       param = [NAME ":"] type
    global = "global" NAME ":" NAME
    script = "script" NAME "{" { part } "}"
    part   = "interface" NAME ";"  |  "do" "locals" "..." NAME "(" NAME ")" ";" "end"
           | "registers" NAME "by" NAME "{" { field "," } "}"

Comments (`--`) above a declaration or field are its documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import NamedTuple, NoReturn

from ...scoped.stack import NameRule
from .lexer import KEYWORDS, LONGEST_NAME
from .types import PRIMITIVES, STRING, VOID, Field, Func, Table, Type

_SYMBOL = re.compile(
    r"(?P<blank>[ \t\r\n]+)|(?P<comment>--[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<sign>->|\.\.\.|[{}(),:;?])", re.A
)
_RESERVED = KEYWORDS | PRIMITIVES | {VOID, "_ENV"}


class ApiError(ValueError):
    """An unusable API file; the message names the line."""


@dataclass(frozen=True, eq=False)
class Registers:
    """A finished script's addition to the API: a field of a global, named by a field of the script's record."""

    target: str
    """the global"""
    key: str
    """the record's field with the name"""
    fields: Mapping[str, Field]


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of script: an interface of its own, if any, then a `do` block with a final call that takes a record."""

    name: str
    interface: str | None
    call: str
    record: str
    registers: Registers | None = None
    doc: str = ""


@dataclass(frozen=True, eq=False)
class Api:
    """Types, globals and kinds of scripts. A value: registering a script returns another."""

    text: str
    """the file, with the records of scripts since"""
    tables: Mapping[str, Table]
    globals: Mapping[str, str]
    """name -> class"""
    kinds: Mapping[str, Kind]
    docs: Mapping[str, str] = field(default_factory=dict[str, str])
    """of globals"""

    @staticmethod
    def load(path: str | PathLike[str]) -> Api:
        """Read an API file; raises ApiError, which names the file and line, and OSError."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ApiError(f"{path}: not UTF-8 at byte {error.start}") from None
        try:
            return Api.parse(text)
        except ApiError as error:
            raise ApiError(f"{path}:{error}") from None

    @staticmethod
    def parse(text: str) -> Api:
        """Read an API; raises ApiError."""
        return _Reader(text).file()

    def prompt(self) -> str:
        """The API's text in a model's prompt."""
        return self.text

    def table(self, name: Type) -> Table | None:
        """The record or class with this name."""
        return self.tables.get(name) if isinstance(name, str) else None

    def define(self, record: Table) -> Api:
        """The API with one more type, or with another one of its name."""
        return replace(self, tables={**self.tables, record.name: record})

    def registered(self, kind: str, name: str, interface: Mapping[str, Field]) -> Api:
        """The API after a script of a kind has been accepted under a name; the same API where such scripts register nothing."""
        rule = self.kinds[kind].registers
        if rule is None:
            return self
        prefix = f"{rule.target}.{name}"
        data = self.kinds[kind].interface
        renamed = f"{prefix}.{data}"
        fields = {
            key: replace(declared, type=_renamed(declared.type, data, renamed)) for key, declared in rule.fields.items()
        }
        entry = Table(prefix, fields, is_record=False)
        target = self.tables[self.globals[rule.target]]
        tables = {**self.tables, prefix: entry}
        tables[target.name] = replace(target, fields={**target.fields, name: Field(prefix)})
        shown = ", ".join(f"{key}: {field.type}" for key, field in fields.items())
        text = f"{self.text.rstrip()}\n-- {rule.target}.{name} is {{ {shown} }}\n"
        if data is not None:
            tables[renamed] = Table(renamed, dict(interface), is_record=True)
            text += f"-- record {renamed} {{ {', '.join(f'{key}: {declared.type}' for key, declared in interface.items())} }}\n"
        return replace(self, text=text, tables=tables)

    def key_rule(self, record: str, key: str) -> NameRule | None:
        """The possible names in the field that names a script's record; None for other fields."""
        for kind in self.kinds.values():
            rule = kind.registers
            if rule is not None and (kind.record, rule.key) == (record, key):
                taken = _RESERVED.union(self.tables[self.globals[rule.target]].fields)
                return NameRule(taken, LONGEST_NAME)
        return None

    @cached_property
    def memo(self) -> dict[str, object]:
        """Results of other modules about the API; kept as long as the API."""
        return {}

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Names no script may define."""
        names = {*self.globals, *self.tables, *_RESERVED, *(kind.call for kind in self.kinds.values())}
        return frozenset((*names, *(kind.interface for kind in self.kinds.values() if kind.interface)))


def _renamed(type_: Type, old: str | None, new: str) -> Type:
    if isinstance(type_, Func):
        return replace(type_, params=tuple(_renamed(param, old, new) for param in type_.params))
    return new if type_ == old else type_


class _Symbol(NamedTuple):
    kind: str
    text: str
    line: int
    doc: str


def _symbols(text: str) -> Iterator[_Symbol]:
    offset, line, doc, begins = 0, 1, "", True
    while offset < len(text):
        match = _SYMBOL.match(text, offset)
        if match is None:
            raise ApiError(f"{line}: unexpected {text[offset]!r}")
        kind, part = match.lastgroup or "", match.group()
        if kind == "comment" and begins:
            doc = f"{doc} {part.lstrip('-').strip()}".strip()
        elif kind in ("name", "sign"):
            yield _Symbol(kind, part, line, doc)
            doc, begins = "", False
        if "\n" in part:
            begins = True
            doc = "" if part.count("\n") > 1 else doc
        line += part.count("\n")
        offset = match.end()
    yield _Symbol("end", "end of file", line, "")


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._symbols = list(_symbols(text))
        self._at = 0
        self._lines: dict[str, int] = {}

    @property
    def _next(self) -> _Symbol:
        return self._symbols[self._at]

    def _fail(self, message: str, line: int | None = None) -> NoReturn:
        raise ApiError(f"{self._next.line if line is None else line}: {message}")

    def _take(self, text: str) -> None:
        if self._next.text != text:
            self._fail(f"expected {text!r}, found {self._next.text!r}")
        self._at += 1

    def _took(self, text: str) -> bool:
        if self._next.text == text and self._next.kind != "end":
            self._at += 1
            return True
        return False

    def _name(self, what: str, reserved: frozenset[str] = KEYWORDS) -> str:
        symbol = self._next
        if symbol.kind != "name":
            self._fail(f"expected {what}, found {symbol.text!r}")
        if symbol.text in reserved or symbol.text.startswith("__slua") or len(symbol.text) > LONGEST_NAME:
            self._fail(f"{symbol.text!r} cannot be {what}")
        self._at += 1
        return symbol.text

    def file(self) -> Api:
        tables: dict[str, Table] = {}
        names: dict[str, str] = {}
        kinds: dict[str, Kind] = {}
        docs: dict[str, str] = {}
        while self._next.kind != "end":
            word, doc, line, name = self._next.text, self._next.doc, self._next.line, ""
            self._at += 1
            if word in ("record", "class"):
                name = self._name(f"the name of a {word}", _RESERVED)
                self._once(name, line, tables, names)
                tables[name] = Table(name, self._fields(word == "record"), word == "record", doc)
            elif word == "global":
                name = self._name("the name of a global", _RESERVED)
                self._once(name, line, tables, names)
                self._take(":")
                names[name], docs[name] = self._name("a class"), doc
            elif word == "script":
                kind = self._kind(doc)
                self._once(kind.name, line, kinds)
                self._lines[kind.name] = line
                kinds[kind.name] = kind
            else:
                self._fail(f"expected record, class, global or script, found {word!r}", line)
            self._lines.setdefault(name, line)
        api = Api(self._text, tables, names, kinds, docs)
        self._check(api)
        return api

    def _once(self, name: str, line: int, *declared: Mapping[str, object]) -> None:
        if any(name in names for names in declared):
            self._fail(f"{name!r} is declared twice", line)

    def _fields(self, record: bool) -> dict[str, Field]:
        fields: dict[str, Field] = {}
        self._take("{")
        while not self._took("}"):
            doc, line = self._next.doc, self._next.line
            mutable, static = self._flag("mut"), self._flag("static")
            name = self._name("the name of a field")
            self._once(name, line, fields)
            optional = self._took("?")
            if optional and not record:
                self._fail("a class has no optional fields", line)
            self._take(":")
            type_ = self._type()
            if mutable and isinstance(type_, Func):
                self._fail(f"{name!r} is a function, which cannot be assigned to", line)
            if static and not isinstance(type_, Func):
                self._fail(f"{name!r} is not a function, so it cannot be static", line)
            fields[name] = Field(type_, mutable, optional, static, doc)
            if not self._took(",") and self._next.text != "}":
                self._fail(f"expected ',' or '}}', found {self._next.text!r}")
        return fields

    def _flag(self, word: str) -> bool:
        follows = self._symbols[self._at + 1] if self._at + 1 < len(self._symbols) else self._next
        return follows.text not in (":", "?") and self._took(word)

    def _type(self, depth: int = 0) -> Type:
        line = self._next.line
        if not self._took("("):
            name = self._name("a type")
            if name == VOID:
                self._fail("void is only the result of a function", line)
            return name
        if depth > 1:
            self._fail("a callback cannot take a function", line)
        params: list[Type] = []
        names: list[str] = []
        while not self._took(")"):
            named = self._symbols[self._at + 1].text == ":"
            names.append(self._name("a parameter", frozenset()) if named else "")
            if named:
                self._take(":")
            params.append(self._type(depth + 1))
            if not self._took(",") and self._next.text != ")":
                self._fail(f"expected ',' or ')', found {self._next.text!r}")
        self._take("->")
        if self._next.text == "(":
            self._fail("a function cannot return a function")
        return Func(tuple(params), self._name("a type"), tuple(names))

    def _kind(self, doc: str) -> Kind:
        line = self._next.line
        name = self._name("a kind of script")
        interface = call = record = registers = None
        self._take("{")
        while not self._took("}"):
            if call is None and interface is None and self._took("interface"):
                interface = self._name("an interface", _RESERVED)
                self._take(";")
            elif call is None and self._took("do"):
                for text in ("locals", "..."):
                    self._take(text)
                call = self._name("a function", _RESERVED)
                self._take("(")
                record = self._name("a record")
                for text in (")", ";", "end"):
                    self._take(text)
            elif call is not None and registers is None and self._took("registers"):
                target = self._name("a global")
                self._take("by")
                key = self._name("a field")
                registers = Registers(target, key, self._fields(record=False))
            else:
                self._fail(f"unexpected {self._next.text!r} in a script")
        if call is None or record is None:
            self._fail(f"script {name!r} has no do block", line)
        return Kind(name, interface, call, record, registers, doc)

    def _check(self, api: Api) -> None:
        interfaces = {kind.interface for kind in api.kinds.values() if kind.interface is not None}
        for name in interfaces:
            if name in api.tables or name in api.globals:
                self._fail(f"{name!r} is declared twice", self._lines[name])

        def known(type_: Type, line: int, *, param: bool = False) -> None:
            if isinstance(type_, Func):
                for each in type_.params:
                    known(each, line, param=True)
                if type_.result != VOID:
                    known(type_.result, line)
            elif type_ in interfaces:  # scripts may give it fields without buildable values
                if not param:
                    self._fail(f"the interface {type_!r} can only be the type of a parameter", line)
            elif type_ not in PRIMITIVES and type_ not in api.tables:
                self._fail(f"unknown type {type_!r}", line)

        for table in api.tables.values():
            for declared in table.fields.values():
                known(declared.type, self._lines[table.name])
        for name, table in api.globals.items():
            if table not in api.tables or api.tables[table].is_record:
                self._fail(f"global {name!r} needs a class, and {table!r} is none", self._lines[name])
        for kind in api.kinds.values():
            line = self._lines[kind.name]
            record = api.tables.get(kind.record)
            if record is None or not record.is_record:
                self._fail(f"{kind.call} takes a record, and {kind.record!r} is none", line)
            if kind.call in api.tables or kind.call in api.globals:
                self._fail(f"{kind.call!r} is declared twice", line)
            if kind.registers is not None:
                for declared in kind.registers.fields.values():
                    known(declared.type, line)
                if kind.registers.target not in api.globals:
                    self._fail(f"unknown global {kind.registers.target!r}", line)
                key = record.fields.get(kind.registers.key)
                if key is None or key.type != STRING or key.optional:
                    self._fail(f"{kind.record} has no required field {kind.registers.key!r} of type string", line)

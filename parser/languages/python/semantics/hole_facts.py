"""The facts around a hole in Python, as material for whole texts; see scoping/facts.py."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from ....scoping.facts import Call, Facts
from ....scoping.verdicts import Refused
from . import queries
from .builtin_names import builtin_names
from .call_arguments import signature_around
from .contents import EMPTY, Content
from .line_values import Header, Parameter, linked
from .names import Scope
from .place import Place
from .reading import Reading
from .sets import NONE

_RECEIVERS = ("self", "cls")
_IMPORTS = ("module", "from")
_HEADER_ENDS = (":", "):")
"""The possible rests of a header's line."""
_TYPES = frozenset((*(name for name in dir(builtins) if isinstance(getattr(builtins, name), type)), "None", "Literal"))
_HANDED_ON = {"*": "*{0}", "**": "**{0}", "=": "{0}={0}"}


class HoleFacts(Facts):
    """The facts of the hole's first state."""

    def __init__(self, place: Place, reading: Reading, scope: Scope, after: Callable[[str], Reading | None]) -> None:
        """after: returns the reading behind a text that makes the file parse; None if it does not."""
        self._place, self._reading, self._scope, self._after = place, reading, scope, after

    @cached_property
    def _around(self) -> Header | None:
        """The header of the innermost function or class."""
        headers = (block.header for block in self._scope.block.outward() if block.header is not None)
        return next((header for header in headers if header.kind in ("def", "class")), None)

    @property
    def function(self) -> str:
        around = self._around
        return (around.name or "") if around is not None and around.kind == "def" else ""

    @property
    def parameters(self) -> Sequence[str]:
        texts: list[str] = []
        named = False
        for parameter in self._around.signature if self.function and self._around is not None else ():
            named |= parameter.kind == "*"
            if parameter.name not in _RECEIVERS:
                kind = "=" if named and not parameter.kind else parameter.kind
                texts.append(_HANDED_ON.get(kind, "{0}").format(parameter.name))
        return texts

    @property
    def receiver(self) -> str:
        block, around = self._reading.block, self._around
        if around is None or around.kind != "class" or block.header is not around:
            return ""
        decorated: Content = next(linked(block.parts), EMPTY)
        names = {None if path is None else path[-1] for path in decorated.gathered().decorators}
        return "" if "staticmethod" in names else "cls" if "classmethod" in names else "self"

    @property
    def call(self) -> Call | None:
        if self._reading.parser is None:
            return None
        parser = self._reading.parser.copy()
        if self._reading.lex.pending == "=":
            try:
                parser.feed("=")
            except Refused:
                return None
        call = parser.call
        if call is None or parser.operand is not None or parser.roles.text[parser.cell[0]] == "NAME":
            return None
        name = call.called[-1] if call.called else ""
        keyword, given = queries.argument_here(parser, call)
        signature = signature_around(parser.setting, parser.told_way, call, self._scope)
        lacks = signature.lacking(given) if signature is not None else ()
        takes = signature.parameters[signature.given :] if signature is not None else ()
        taken = frozenset(parameter.name for parameter in takes)
        return Call(name, tuple(map(_written, lacks)), taken, keyword, not given)

    def binds(self, name: str) -> bool:
        parser = self._reading.parser
        return name in self._scope.own_names or (parser is not None and name in parser.local_names())

    def lacking(self, names: frozenset[str]) -> frozenset[str]:
        if not self._place.names:
            return NONE
        place, names = self._place, names - builtin_names(self._scope.version)
        closed = () if place.inner.complete else filter(None, map(self._after, _HEADER_ENDS))
        verdict = next((place.whole(reading)[0] for reading in closed), None) or place.baseline()
        return names & verdict.undefined | place.judge.undefined_in(verdict, names - verdict.undefined)

    def is_closed(self, name: str) -> bool:
        if self._scope.is_bound(name) and name not in builtin_names(self._scope.version):
            return self._scope.members((name,)) is not None
        return name in _TYPES

    def importable(self, module: str) -> Mapping[str, bool]:
        modules = self._place.modules
        source = modules.get(module, modules.package) if modules is not None else None
        if modules is None or source is None:  # a module of the library may be loaded here, in C or not read yet
            is_loaded = module in sys.stdlib_module_names and module in sys.modules
            return dict.fromkeys(dir(sys.modules[module]), False) if is_loaded else {}
        imported = frozenset(
            name for name, made in source.facts.made.items() if made.__class__ is tuple and made[0] in _IMPORTS
        )
        return dict.fromkeys(modules.submodules(source), False) | {
            name: name not in imported for name in source.facts.made
        }


def _written(parameter: Parameter) -> str:
    return f"{parameter.name}=" if parameter.kind == "=" else parameter.name

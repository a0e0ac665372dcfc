"""Imports, `global` and `nonlocal`, read once all their tokens are there; see syntax.py."""

from __future__ import annotations

from .....common.words import is_name, words_of
from ....scoping.verdicts import Refused
from .definitions import DefinitionParser
from .line_values import (
    LAZY,
    Frame,
    Members,
    linked,
)
from .messages import STAR_IMPORT, no_feature
from .tokens import NEWLINE

FEATURES = words_of("""
    nested_scopes generators division absolute_import with_statement print_function unicode_literals barry_as_FLUFL
    generator_stop annotations
""")
"""The names that `from __future__ import` may bring."""


class ImportParser(DefinitionParser):
    """The part of a `LineParser` that reads statements of which all tokens are needed at once: imports, `global` and `nonlocal`."""

    def _collected(self, frame: Frame, token: str) -> None:
        if self.expects_feature and token not in ("(", ")") and token not in FEATURES and self.context is not None:
            raise Refused(no_feature(token))
        if frame.extra == "from" and is_name(token) and token != "import":
            module = self.importable()
            if module is not None and not module.has(token) and token not in self.stored:
                raise Refused(f"{module.owner} has no name {token!r}", "attributes", token, module)
        if token == NEWLINE or token == ";":
            tokens = list(linked(frame.saved))[::-1]
            word, kind = frame.extra, "."
            if word in ("global", "nonlocal"):
                names = [name for name in tokens if name != ","]
                frame.items = ((word, tuple(names)), frame.items)
                self.bound |= frozenset(names)
            elif word == "import":
                self._import(frame, tokens)
            else:
                kind = self._from(frame, tokens)
            self._end_statement(frame, token, kind)
        else:
            if (
                token == "*"
                and frame.extra == "from"
                and frame.saved is not None
                and frame.saved[0] == "import"
                and self.context is not None
                and getattr(self.context, "nested", False)
            ):
                raise Refused(STAR_IMPORT)
            frame.saved = (token, frame.saved)

    def possible(self) -> Members | None:
        """The possible names of the next attribute, keyword argument or import; None: unknown, or a new name may come."""
        frame = self.top
        if frame.kind == "collected":
            return self.importable()
        if frame.attr:
            return None if frame.tg else self.members_next()
        if frame.kind == "bracket" and frame.phase == "elem" and frame.last is None and not frame.mixed:
            signature = self.signature(self.context)
            if signature is None or (self._may_bind(frame) and self.takes_position()):
                return None
            is_open = self.is_told(frame, argument=True) and self.told(frame, argument=True) is None
            return None if is_open else signature.keywords()
        return None

    @property
    def expects_feature(self) -> bool:
        """Whether the name of a feature comes next, in a `from __future__ import`."""
        module = self._module() or ""
        relative = self.context is not None and self.context.version < (3, 13)
        return (module.lstrip(".") if relative else module) == "__future__"

    def importable(self) -> Members | None:
        """The names that may come next in a `from module import`; None: unknown, or none may."""
        module = self._module()
        return None if module is None or self.context is None else self.context.importable(module)

    def _module(self) -> str | None:
        """The module of which a name comes next, in a `from module import`; None elsewhere."""
        frame = self.top
        if frame.kind != "collected" or frame.extra != "from" or frame.saved is None:
            return None
        if frame.saved[0] not in ("import", ",", "("):
            return None
        tokens = list(linked(frame.saved))[::-1]
        return "".join(tokens[: tokens.index("import")]) if "import" in tokens else None

    def _import(self, frame: Frame, tokens: list[str]) -> None:
        part: list[str] = []
        for token in [*tokens, ","]:
            if token != ",":
                part.append(token)
            elif part:
                name = part[-1] if "as" in part else part[0]
                module = "".join(part[: part.index("as")] if "as" in part else part)
                self._bind_name(frame, name, "imported")
                self._emit(frame, ("fact", "made", name, ("module", module if "as" in part else name)))
                part = []

    def _from(self, frame: Frame, tokens: list[str]) -> str:
        """Take a whole `from ... import`, and return its kind, see Line."""
        behind = tokens.index("import") if "import" in tokens else len(tokens)
        module, rest = "".join(tokens[:behind]), [token for token in tokens[behind + 1 :] if token not in ("(", ")")]
        if frame.phase == LAZY and (rest == ["*"] or module == "__future__"):
            star = " *" if rest == ["*"] else ""
            self._error(frame, f"lazy from {module} import{star} is not allowed")
        if rest == ["*"]:
            frame.items = (("import *", module), frame.items)
            return "."
        part: list[str] = []
        features: list[str] = []
        for token in [*rest, ","]:
            if token != ",":
                part.append(token)
            elif part:
                features.append(part[0])
                self._bind_name(frame, part[-1], "imported")
                self._emit(frame, ("fact", "made", part[-1], ("from", module, part[0])))
                part = []
        if module.lstrip(".") != "__future__":
            return "."
        relative = module[0] == "."
        frame.items = (("future", tuple(features), relative), frame.items)
        self.features += tuple(f".{feature}" if relative else feature for feature in features)
        return "r" if relative else "f"

"""Imports, `global` and `nonlocal`, read once all their tokens are complete; see syntax.py."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from .....common.words import is_name, words_of
from ....scoping.verdicts import Refused
from .automaton import LineParser, takes
from .frames import Collected
from .line_values import Members, linked
from .messages import STAR_IMPORT, no_feature
from .tokens import NEWLINE

FEATURES = words_of("""
    nested_scopes generators division absolute_import with_statement print_function unicode_literals barry_as_FLUFL
    generator_stop annotations
""")
"""The possible names in `from __future__ import`."""
_DOTS_COUNT = (3, 13)
"""The version that made `from .__future__ import` an import like any other."""


def is_future(module: str, version: tuple[int, int]) -> bool:
    """Whether a module is `__future__`: older compilers ignore the dots before it."""
    return (module.lstrip(".") if version < _DOTS_COUNT else module) == "__future__"


@takes(Collected)
def _collected(parser: LineParser, frame: Collected, token: str) -> None:
    if expects_feature(parser) and token not in ("(", ")") and token not in FEATURES and parser.context is not None:
        raise Refused(no_feature(token))
    if frame.word == "from" and is_name(token) and token != "import":
        module = importable(parser)
        if module is not None and not module.has(token) and token not in parser.stored:
            raise Refused(f"{module.owner} has no name {token!r}", "attributes", token, module)
    if token == NEWLINE or token == ";":
        tokens = list(linked(frame.tokens))[::-1]
        word, kind = frame.word, "."
        if word in ("global", "nonlocal"):
            names = [name for name in tokens if name != ","]
            frame.emit((word, tuple(names)))
            parser.bound |= frozenset(names)
        elif word == "import":
            _import(parser, frame, tokens)
        else:
            kind = _from(parser, frame, tokens)
        parser.end_statement(frame, token, kind)
    else:
        is_star = token == "*" and frame.word == "from" and frame.tokens is not None and frame.tokens[0] == "import"
        if is_star and parser.context is not None and parser.context.nested:
            raise Refused(STAR_IMPORT)
        frame.tokens = (token, frame.tokens)


def expects_feature(parser: LineParser) -> bool:
    """Whether the name of a feature comes next, in a `from __future__ import`."""
    module, context = _module(parser), parser.context
    return module is not None and is_future(module, context.version if context is not None else _DOTS_COUNT)


def importable(parser: LineParser) -> Members | None:
    """The possible next names in a `from module import`; None: unknown, or no name may come."""
    module = _module(parser)
    return None if module is None or parser.context is None else parser.context.importable(module)


def _module(parser: LineParser) -> str | None:
    """The module whose name comes next, in a `from module import`; None elsewhere."""
    frame = parser.top
    if not isinstance(frame, Collected) or frame.word != "from" or frame.tokens is None:
        return None
    if frame.tokens[0] not in ("import", ",", "("):
        return None
    tokens = list(linked(frame.tokens))[::-1]
    return "".join(tokens[: tokens.index("import")]) if "import" in tokens else None


def _import(parser: LineParser, frame: Collected, tokens: list[str]) -> None:
    for part in _parts(tokens):
        name = part[-1] if "as" in part else part[0]
        module = "".join(part[: part.index("as")] if "as" in part else part)
        parser.bind_name(frame, name, "imported")
        frame.emit(("fact", "made", name, ("module", module if "as" in part else name)))


def _from(parser: LineParser, frame: Collected, tokens: list[str]) -> str:
    """Take a whole `from ... import`, and return its kind, see Line."""
    behind = tokens.index("import") if "import" in tokens else len(tokens)
    module, rest = "".join(tokens[:behind]), [token for token in tokens[behind + 1 :] if token not in ("(", ")")]
    if frame.is_lazy and (rest == ["*"] or module == "__future__"):
        star = " *" if rest == ["*"] else ""
        parser.error(frame, f"lazy from {module} import{star} is not allowed")
    if rest == ["*"]:
        frame.emit(("import *", module))
        return "."
    features: list[str] = []
    for part in _parts(rest):
        features.append(part[0])
        parser.bind_name(frame, part[-1], "imported")
        frame.emit(("fact", "made", part[-1], ("from", module, part[0])))
    if module.lstrip(".") != "__future__":
        return "."
    relative = module[0] == "."
    frame.emit(("future", tuple(features), relative))
    parser.features += tuple(f".{feature}" if relative else feature for feature in features)
    return "r" if relative else "f"


def _parts(tokens: list[str]) -> Iterator[list[str]]:
    """The tokens between commas, if any."""
    for is_comma, part in groupby(tokens, ",".__eq__):
        if not is_comma:
            yield [*part]

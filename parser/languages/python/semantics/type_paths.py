"""Expressions and annotations as paths: the elements of a container, and alternative types.

In an annotation a subscript is one part, with its contents: `dict[str, a.B]` is ("dict",
"[str,a.B]"), and an unknown part is "?". `A | None` is the one string "|A|None". In other expressions a subscript is "[]", a slice "[:]", a
loop's element "[*]", its item at a position "[#0]", and the value bound by a `with` "[with]". A call is "()". The call of a function in
`PASSES_ON` has its positional arguments: `zip(a, b.c)` is ("zip", "(a;b c)"). One in `_TOLD_BY_KEYWORDS` has its keywords:
`field(init=False)` is ("field", "(init=False)"). A `get`, `pop` or `setdefault` with several arguments is "(,)".
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .....common.words import OPERAND, compiled, words_of

Path = tuple[str, ...]
"""An expression of names, attributes and calls: `a.b(c).d` is ("a", "b", "()", "d"). A display or a string literal is its type's name behind
"#"."""

LONGEST_PATH = 32
"""The most parts of a path; longer expressions are unknown. Each part makes a new tuple."""
INDEX, SLICE, ELEMENT, ENTERED = "[]", "[:]", "[*]", "[with]"
CALL, CALL_WITH_SEVERAL = "()", "(,)"
PASSES_ON = frozenset(
    ("enumerate", "zip", "sorted", "reversed", "list", "tuple", "set", "frozenset", "iter", "next", "min", "max")
)
"""Built-in functions whose result holds, or is, an element of their arguments."""
_TAKES_DEFAULT = frozenset(("get", "pop"))
_TOLD_BY_KEYWORDS = frozenset(("dataclass", "field"))
TAKES_TYPES = words_of("""
    list dict tuple set frozenset type List Dict Tuple Set FrozenSet Type defaultdict DefaultDict OrderedDict Counter ChainMap deque Deque
    Optional Union ClassVar Final Required NotRequired ReadOnly Unpack TypeGuard TypeIs Callable Concatenate Generic Protocol
    Iterable Iterator Reversible Collection Container Sequence MutableSequence AbstractSet MutableSet Mapping MutableMapping MappingView
    KeysView ValuesView ItemsView Generator Awaitable Coroutine AsyncIterable AsyncIterator AsyncGenerator
    ContextManager AsyncContextManager AbstractContextManager AbstractAsyncContextManager IO Pattern Match
""")
"""Types whose subscripts hold types, by their names in `builtins`, `typing` and `collections`."""
_MOST = 400
"""Characters of an annotation in a string."""
_DOTTED = compiled(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*|\.\.\.")


def item(position: int) -> str:
    """The part of a path for the item at a position."""
    return f"[#{position}]"


def position_of(part: str) -> int | None:
    """The position in a part of a path; None for any other part."""
    return int(part[2:-1]) if part[:2] == "[#" else None


def encoded(path: Path | None) -> str:
    """A path of an annotation as one string."""
    if path is None:
        return "?"
    text = "".join(part if not number or part[0] in "[(" else f".{part}" for number, part in enumerate(path))
    return text.removeprefix("|")


def subscript(arguments: Iterable[Path | None]) -> str:
    """The part of a path for a subscript in an annotation."""
    return f"[{','.join(map(encoded, arguments))}]"


def either(paths: Iterable[Path | None]) -> Path | None:
    """The path for one of several types."""
    parts = [encoded(path) for path in paths]
    return None if "?" in parts else ("|" + "|".join(parts),)


def call(called: Path, arguments: Iterable[tuple[str | None, Path | None]]) -> str:
    """The part of a path for a call of something; arguments: (keyword, value), in order."""
    given = list(arguments)
    if called[-1] in _TAKES_DEFAULT and len(given) > 1:
        return CALL_WITH_SEVERAL
    if called[-1] in _TOLD_BY_KEYWORDS:
        named = (f"{keyword}={encoded(path)}" for keyword, path in given if keyword is not None)
        part = f"({';'.join(named)})"
        return part if len(part) <= _MOST else "(**=?)"
    if len(called) != 1 or called[0] not in PASSES_ON or any(keyword == "default" for keyword, _ in given):
        return CALL
    passed = ("?" if path is None else " ".join(path) for keyword, path in given if keyword in (None, "*"))
    part = f"({';'.join(passed)})"
    return part if len(part) <= _MOST else CALL


def passed_to(part: str) -> tuple[Path | None, ...]:
    """The positional arguments in the part of a path for a call."""
    paths: list[Path | None] = []
    for text in _split(part[1:-1], ";") if len(part) > 2 else ():
        head, *rest = _split(text, " ")
        paths.append(None if text == "?" else (head, *rest))
    return tuple(paths)


def keywords_of(part: str) -> dict[str, str]:
    """The keywords in the part of a path for a call, with the value of each."""
    return {word: value for word, _, value in (argument.partition("=") for argument in _split(part[1:-1], ";")) if word}


def without_arguments(path: Path) -> Path:
    """The path without the arguments of its calls."""
    return tuple(CALL if part[0] == "(" and part != CALL_WITH_SEVERAL else part for part in path)


def names_in(path: Path) -> frozenset[str]:
    """The names looked up by an annotation; of other paths maybe more."""
    return frozenset(OPERAND.findall(encoded(path)))


@lru_cache(maxsize=4096)
def arguments_of(part: str) -> tuple[Path | None, ...]:
    """The contents of an annotation's subscript."""
    return tuple(map(_decoded, _split(part[1:-1], ",")))


@lru_cache(maxsize=1024)
def alternatives_of(part: str) -> tuple[Path | None, ...]:
    """The alternatives of a union type."""
    return tuple(map(_decoded, _split(part[1:], "|")))


def read(text: str) -> Path | None:
    """The path of an annotation in a string; None if it is something else."""
    return _decoded("".join(text.split())) if len(text) <= _MOST else None


def _split(text: str, mark: str) -> list[str]:
    parts: list[str] = []
    depth = begin = 0
    for index, char in enumerate(text):
        if char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == mark and not depth:
            parts.append(text[begin:index])
            begin = index + 1
    return [*parts, text[begin:]]


def _decoded(text: str) -> Path | None:
    types = _split(text, "|")
    if len(types) > 1:
        return either(map(_decoded, types))
    name = _DOTTED.match(text)
    if name is None:
        return None
    rest = text[name.end() :]
    path = (name[0],) if name[0] == "..." else tuple(name[0].split("."))
    if not rest:
        return path
    if rest[0] != "[" or rest[-1] != "]" or len(rest) < 3:
        return None
    return (*path, subscript(map(_decoded, _split(rest[1:-1].rstrip(","), ","))))

"""ty, the type checker that is asked for the names behind a dot in Python."""

from __future__ import annotations

import os
import re
import sysconfig

from ....common import untrusted
from ....common.line_ends import line_start
from ....common.words import compiled, words_of
from ...type_server import ANY_PRIVATE, TypeServer
from .layout import ASYNC, DEFINITIONS, one_of

_PROGRAMS = "Scripts" if os.name == "nt" else "bin"
_ASKED = compiled(
    rf"(?![ \t]*(?:(?:{ASYNC})?{one_of((*DEFINITIONS, 'from', 'import'))})\b)"
    r"(?:.*[\w)\]}\"'][ \t]*\.[ \t]*|.*[\w)\]](?P<argument>\()(?:[^()]*,)?[ \t]*)(?P<word>(?:[^\W\d]\w*)?)\Z"
)
_TOKEN = compiled(
    r"(?P<operand>[a-zA-Z]{0,2}(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')|\w+)"
    r"|(?P<dot>\.)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<blank>[ \t]+)|."
)
_KEYWORDS = words_of("return in not and or if else await yield is lambda")


_MOST_OF_MODULE = 1_000_000
"""Bytes of a module that is read."""
_OWN = "Self@"
_NAMED_TUPLE = frozenset(("_asdict", "_make", "_replace"))
_BOUND = compiled(
    r"(?:^[ \t]*|\.)(?P<name>[^\W\d]\w*)[ \t]*(?::[^=\n]*)?=(?!=)|\b(?:def|class)[ \t]+(?P<defined>\w+)", re.MULTILINE
)


_COMPUTES = compiled(
    r"^def __getattr__\([ \t]*(?P<name>\w+)[^\n]*:[ \t]*\n(?P<body>(?:[ \t]*\n|[ \t]+[^\n]*(?:\n|\Z))*+)", re.MULTILINE
)
_COMPARES = r"\b{0}[ \t]+(?:==|in|not in)[ \t]|\bmatch[ \t]+{0}\b|(?:\.get\(|\[){0}\b"
_STUB = compiled(r"[\\/]typeshed[\\/][^\\/]+[\\/]stdlib[\\/](?P<package>.+)\Z")
_WORD = compiled(r"[\"'](?P<name>[^\W\d]\w*)[\"']")


def of_module(path: str, computes: bool) -> frozenset[str] | None:
    """The submodules, which may have been imported elsewhere, and where the module has a `__getattr__` the words in quotes, if that
    compares the name with some. Raises OSError."""
    folder, file = os.path.split(path)
    names = set[str]()
    if file.startswith("__init__."):
        stub = _STUB.search(folder)  # which ty writes down without those beside it
        folder = folder if stub is None else os.path.join(sysconfig.get_path("stdlib"), stub["package"])
        names.update(stem for name in os.listdir(folder) if (stem := name.partition(".")[0]).isidentifier())
    if not computes:
        return frozenset(names)
    text = untrusted.read_text(path, _MOST_OF_MODULE)
    function = _COMPUTES.search(text)
    if function is None or not re.search(_COMPARES.format(function["name"]), function["body"]):
        return None
    return frozenset(names | {match["name"] for match in _WORD.finditer(text)})


def more(type_: str, names: frozenset[str], text: str) -> frozenset[str] | None:
    """The names that a subclass, or a class that the own one is mixed into, may have: all that the file binds in any class.

    ty does not list the fields of a named tuple that is made by a call, and its stubs leave out private names of the library.
    """
    if names >= _NAMED_TUPLE:
        return None
    if not type_.startswith((_OWN, "<super")):
        return frozenset((ANY_PRIVATE,))
    return frozenset(match["name"] or match["defined"] for match in _BOUND.finditer(text))


def certain(left: str) -> str | None:
    """The text up to a dot, with `(operand or exit())` in place of the operand, so that its type is not None."""
    text = left.rstrip(" \t").removesuffix(".").rstrip(" \t")
    begin = line_start(text)
    start = _operand(text[begin:])
    return None if start is None else f"{text[: begin + start]}({text[begin + start :]} or exit())."


def _operand(line: str) -> int | None:
    """The beginning of the operand in which a line ends; None: it ends in none, or the operand began in a line above."""
    start: int | None = None
    around: list[int] = []
    goes_on = False  # is what comes next a part of the operand?
    for token in _TOKEN.finditer(line):
        kind = token.lastgroup
        if kind == "operand":
            start = start if goes_on else token.start() if token[0] not in _KEYWORDS else None
            goes_on = False
        elif kind == "open":
            around.append(token.start() if start is None or token[0] == "{" else start)
            start, goes_on = None, False
        elif kind == "close":
            if not around:
                return None
            start, goes_on = around.pop(), False
        elif kind == "dot":
            goes_on = start is not None
        elif kind != "blank":
            start, goes_on = None, False
    return None if goes_on else start


TY = TypeServer(
    program="ty",
    arguments=("server",),
    oldest=(0, 0, 74),  # from which on it can be told to start no other program, such as uv
    options={
        "untrustedWorkspace": True,
        "diagnosticMode": "openFilesOnly",
        "completions": {"autoImport": False, "completeFunctionParentheses": False},
        "configuration": {"environment": {"python-platform": "all"}},  # code that is for others may not be refused
    },
    language_id="python",
    own=tuple(f"{folder}/{_PROGRAMS}/ty" for folder in (".venv", "venv")),
    asked=_ASKED,
    quoted=compiled(r"`((?:[^`\"]|\"(?:[^\"\\]|\\.)*+\"|\")++)`"),
    no_member="@0",
    value="=None",
    behind_argument=compiled(r"\s*(?:[,)]|\Z)"),
    ignoring=re.compile(r"#.*\bignore\b"),
    nothing="None",
    unlisted=re.compile(r"\AFunction |<Protocol|`bound method|`partial`"),
    variable=compiled(r"(?<=Self@)\w+"),
    more=more,
    module=of_module,
    of_module="Module ",
    certain=certain,
    # Of modules that are not installed yet, and of names that a class gets from those that it is mixed into.
    forgiven=re.compile(r"\Aunresolved-import |<super|<Protocol|`Self@\w+` has no attribute"),
)

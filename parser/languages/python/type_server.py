"""ty, the type checker for the names behind a dot in Python."""

from __future__ import annotations

import keyword
import os
import re
import sysconfig

from ....common.line_ends import line_start
from ....common.words import compiled, words_of
from ...type_server import TypeServer
from .assigned import assigned, is_sure
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
_STUB = compiled(r"[\\/]typeshed[\\/][^\\/]+[\\/]stdlib[\\/](?P<package>.+)\Z")


def of_module(path: str) -> frozenset[str]:
    """A package's submodules, since other code may have imported them. Raises OSError."""
    folder, file = os.path.split(path)
    if not file.startswith("__init__."):
        return frozenset()
    stub = _STUB.search(folder)  # ty extracts a stub without its neighbours
    own = "" if stub is None else os.path.join(sysconfig.get_path("stdlib"), stub["package"])
    files = [*(os.listdir(folder) if stub is None else ()), *(os.listdir(own) if os.path.isdir(own) else ())]
    return frozenset(stem for name in files if (stem := name.partition(".")[0]).isidentifier())


def certain(left: str) -> str | None:
    """The text up to a dot, with `(operand or exit())` in place of the operand, to exclude None from its type."""
    text = left.rstrip(" \t").removesuffix(".").rstrip(" \t")
    begin = line_start(text)
    start = operand(text[begin:])
    return None if start is None else f"{text[: begin + start]}({text[begin + start :]} or exit())."


def operand(line: str) -> int | None:
    """The beginning of the operand at the end of a line; None for no operand, or one that began in a line above."""
    start: int | None = None
    around: list[int] = []
    goes_on = False  # whether the next token belongs to the operand
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
    oldest=(0, 0, 74),  # the first that can be told to start no other program, such as uv
    options={
        "untrustedWorkspace": True,
        "diagnosticMode": "openFilesOnly",
        "completions": {"autoImport": False, "completeFunctionParentheses": False},
        "configuration": {"environment": {"python-platform": "all"}},  # code for other platforms may not be refused
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
    reserved=frozenset(keyword.kwlist),
    lists_all=False,
    operand=lambda line: operand(line.rstrip(" \t").removesuffix(".").rstrip(" \t")),
    assigned=assigned,
    is_sure=is_sure,
    module=of_module,
    of_module="Module ",
    certain=certain,
    lacks=re.compile(r"has no (?:attribute|member)"),
    no_type=compiled(r"(?:[Ff]unction|[Mm]ethod|[Pp]arameter|[Aa]rgument|[Kk]eyword|[Oo]perator|Unsupported) `[^`]*`"),
    literal=compiled(r"[a-z]*(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')"),
    # Errors of modules not installed yet, and of names that a mixin gets from the classes it is mixed into.
    forgiven=re.compile(
        r"\A(?:unresolved-import|possibly-\S+|missing-union-attribute) |<super|<Protocol|`Self@\w+` has no attribute"
    ),
)

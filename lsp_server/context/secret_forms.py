"""The forms of secrets in texts: beside a telling name, in addresses and headers, in PEM keys.

Each form is found from a place in the text, its hint, by the characters around it alone: up to BEHIND before and `ahead` after. So an edited
text is scanned again only near the edit, with the same result as a new text.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...common.words import words_of

BEHIND = 200
"""The number of characters before a hint that matter for its form."""
Span = tuple[int, int]

_LEAST_CHARS = 6
"""The least length of a string beside a telling name."""
_MOST_VALUE = 600
_MOST_LINES = 5
_HINT = re.compile(
    r"(?i)passw|passphrase|passcode|pass(?![a-z])|pwd|\bpw\b|secret|token|(?:api|access|private|auth|signing|encryption|account)[_-]?key"
    r"|credential|authorization"
)
_LITERAL = re.compile(
    r"(?P<prefix>[A-Za-z]{0,3}#{0,2})(?P<quote>\"{3}|'{3}|[\"'`])(?P<body>(?:\\.|(?!(?P=quote))[^\\]){0,400})(?:(?P=quote)|(?=\n)|\Z)",
    re.DOTALL,
)
_SEPARATOR = re.compile(
    r"[\w-]{0,40}(?:[\"'`\]]{1,3}\s{0,4},|[\"'`\])]{0,3}(?:\s{0,2},\s{0,2}\w{1,30}){0,4}"
    r"(?:\s{0,4}:\s{0,4}[\w.\[\]|, \"']{1,60}?\s{0,4}=(?!=)|\s{0,4}(?::=|=>|[=!]=|\?\?=|\|\|=|=|:)|(?P<call>\()))\s{0,4}"
)
_GLUE = re.compile(r"[^\"'`\n()\[\]{},;#]+")
_TARGETS = re.compile(r"\s*(?:\w+\s*,\s*)+\w*\Z")
_BARE = re.compile(
    r"(?P<rest>[\w-]{0,40})[\"'`\]*]{0,3}(?P<sep>\s{0,3}(?::|=|\bis\b)\s{0,3}|\s{1,3})(?P<value>[^\s\"'`<>(){}\[\],;&|]{6,200})(?P<next>.?)"
)
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|/?\*|;|<!--|%|>|-|\+)(?=\s|\w)")
_EXPORT = re.compile(r"\s*(?:[$>%] )?(?:(?:export|set|setx|ENV|ARG|declare -x|docker run)\s.{0,60}|(?:-e|--env)\s+)\Z")
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ \t"
_FLAG = re.compile(r"(?:\s|^)--?[\w-]*\Z")
_QUERY = re.compile(r"[?&][\w-]*\Z")
_TEMPLATE = re.compile(r"\$\{|\A<.*>\Z|\{\{|%\(|\A\$\w+\Z|\A%\w+%\Z")
_INSERTED = re.compile(r"\{[^{}]*\}?")
_DIGIT, _LETTER, _SYMBOL = re.compile(r"\d"), re.compile(r"[A-Za-z]"), re.compile(r"[!@#$%^&*+=?~]")
_MIXED = re.compile(r"\d[A-Za-z]|[!@#$%^&*+?~]")


def is_value(text: str) -> bool:
    """Whether a string beside a telling name looks like a secret: like people's passwords, unlike words, addresses, paths and templates."""
    if len(text) < _LEAST_CHARS or any(map(str.isspace, text)) or not _LETTER.search(text):
        return False
    if "://" in text or text.startswith(("/", "./", "../")) or _TEMPLATE.search(text):
        return False
    return _DIGIT.search(text) is not None or (len(text) > _LEAST_CHARS + 1 and _SYMBOL.search(text) is not None)


def named(text: str, hint: int) -> Iterator[Span]:
    """The secrets beside a name: the strings in its value, or a bare word in a comment, a shell command, an address or a document."""
    name = _HINT.match(text, hint)
    if name is None:
        return
    first = max(0, hint - BEHIND)
    before = text[max(text.rfind("\n", first, hint) + 1, first) : hint]
    separator = _SEPARATOR.match(text, name.end())
    if separator is not None:
        for pieces in _strings(text, separator.end(), bool(separator["call"]), _TARGETS.match(before) is not None):
            if is_value("".join(text[first:last] for first, last in pieces)):
                yield from pieces
    bare = _BARE.match(text, name.end())
    if bare is not None and is_value(bare["value"]) and _is_bare(before, name[0], bare):
        yield bare.span("value")


def _is_bare(before: str, name: str, bare: re.Match[str]) -> bool:
    """Whether a word behind a name is a value instead of code."""
    if _QUERY.search(before) or _FLAG.search(before):
        return True
    if bare["next"] in ("(", "[", "{"):
        return False
    if bare["sep"].isspace():
        return False
    if _COMMENT.search(before):
        return True
    if bare["sep"] == "=" and (
        _EXPORT.match(before) or (name.isupper() and not bare["next"].strip() and not before.strip(_UPPER))
    ):
        return True
    # A line of YAML or a docstring: code would have a type or a name there.
    whole = not before.strip(" \t'\"*") and bare["next"] in ("", "\n") and ":" in bare["sep"]
    return whole and _MIXED.search(bare["value"]) is not None


def _strings(text: str, start: int, is_call: bool, is_tuple: bool) -> Iterator[list[Span]]:
    """The strings in a value, adjacent literals together; without the replacement fields of f-strings."""
    end, depth, lines, joined, at_end = min(len(text), start + _MOST_VALUE), int(is_call), 0, list[Span](), True
    while start < end:
        literal = _LITERAL.match(text, start)
        if literal is not None and (
            len(literal["quote"]) == 3 or literal["quote"] == "`" or "\n" not in literal["body"]
        ):
            joined += _plain(literal)
            start, at_end = literal.end(), False
            continue
        char = text[start]
        if char not in " \t\n+\\" and joined:
            yield joined
            joined = []
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0 or (depth == 0 and is_call):
                break
        elif char == "\n":
            lines += 1
            if lines > _MOST_LINES or not (depth or at_end or text.endswith(("\\", "+"), 0, start)):
                break
        elif char == ";" or (char == "," and not depth and not is_tuple):
            break
        elif char == "#":
            start = text.find("\n", start, end) if text.find("\n", start, end) >= 0 else end
            continue
        glue = _GLUE.match(text, start, end)
        at_end = at_end and char in " \t\n([{"
        start = glue.end() if glue is not None else start + 1
    if joined:
        yield joined


def _plain(literal: re.Match[str]) -> list[Span]:
    """The spans of a literal's own text: in an f-string, those between the replacement fields."""
    start, end = literal.span("body")
    if "f" not in literal["prefix"].lower() and literal["quote"] != "`":
        return [(start, end)]
    places = [match.span() for match in _INSERTED.finditer(literal.string, start, end)]
    edges = [start, *(edge for place in places for edge in place), end]
    return [(first, last) for first, last in zip(edges[::2], edges[1::2], strict=True) if first < last]


def _bearer(text: str, hint: int) -> Iterator[Span]:
    match = _BEARER.match(text, hint)
    if match is not None and is_value(match[1]):
        yield match.span(1)


def _pem(text: str, hint: int) -> Iterator[Span]:
    match = _PEM.match(text, hint)
    if match is not None:
        yield from (body.span() for body in _PEM_TEXT.finditer(text, *match.span(1)))


def _called(text: str, hint: int) -> Iterator[Span]:
    """The secret-looking strings in a call that signs in, without host names, files and versions."""
    match = _CALL.match(text, hint)
    for pieces in () if match is None else _strings(text, match.end(), True, True):
        value = "".join(text[first:last] for first, last in pieces)
        if is_value(value) and _NO_PASSWORD.search(value) is None:
            yield from pieces


def _group(pattern: re.Pattern[str]) -> Callable[[str, int], Iterator[Span]]:
    """The form of a pattern: its first group is the secret."""

    def form(text: str, hint: int) -> Iterator[Span]:
        match = pattern.match(text, hint)
        if match is not None:
            yield match.span(1)

    return form


_KNOWN = r"(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|hf_|npm_|pypi-|SG\.|eyJ)"
_BEARER = re.compile(r"(?i)(?:bearer|basic)\s{1,4}([\w.~+/=-]{8,500})")
_ADDRESS = re.compile(r"://[^\s/:@'\"]{1,100}:([^\s/@'\"]{3,200})@")
_HOOK = re.compile(r"hooks\.slack\.com/services/([A-Za-z0-9/]{20,100})")
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(.{1,3800}?)(?:-----END |\Z)", re.DOTALL)
_PEM_TEXT = re.compile(r"[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{1,}={1,2}")
_USER = re.compile(r"(?:-u|--user)[ =]{1,3}[\"']?[^\s:\"']{1,60}:([^\s\"'@]{4,100})")
_CALL = re.compile(r"(?i)(?:auth\w{0,20}\s{0,4}=\s{0,4}|(?:auth|login|sign_?in|connect)\w{0,20})\(")
_NO_PASSWORD = re.compile(r"[./:\\]|\A[A-Za-z]+[-_]")
_PARTED = re.compile(rf"[\"']{_KNOWN}[\w.-]{{0,80}}[\"']\s{{0,4}}\+?\s{{0,10}}[\"']([\w./+=-]{{6,200}})")


@dataclass(frozen=True)
class Form:
    """A form of secrets: its hints, words in lower case, and the secrets at a hint."""

    words: tuple[str, ...] | re.Pattern[str]
    secrets: Callable[[str, int], Iterator[Span]]
    ahead: int = 1_500
    """the number of characters behind a hint that matter"""


_NAMES = words_of("pass pw secret token api access private auth signing encryption account credential")

FORMS = (
    Form(tuple(sorted(_NAMES)), named),
    Form(("bearer", "basic"), _bearer),
    Form(("://",), _group(_ADDRESS)),
    Form(("hooks.slack",), _group(_HOOK)),
    Form(("-----begin ",), _pem, 4_000),
    Form(("-u", "--user"), _group(_USER)),
    Form(("auth", "login", "sign", "connect"), _called),
    Form(re.compile(rf"[\"']{_KNOWN.lower()}"), _group(_PARTED)),
)


class Part:
    """A part of a text, for the search of words."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._start, self._end = start, end
        part = text[start : end + _LONGEST]
        # Quicker than case-insensitive patterns; outside of ASCII, a lowered letter may become two.
        self._lower = part.lower() if part.isascii() else part.translate(_LOWER)

    def hints(self, words: tuple[str, ...] | re.Pattern[str]) -> Iterator[int]:
        """The offsets in the text of some words' beginnings."""
        most = self._end - self._start
        if isinstance(words, re.Pattern):
            places = (match.start() for match in words.finditer(self._lower))
            yield from (self._start + place for place in places if place <= most)
            return
        for word in words:
            place = self._lower.find(word)
            while 0 <= place <= most:
                yield self._start + place
                place = self._lower.find(word, place + 1)


_LONGEST = 16
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

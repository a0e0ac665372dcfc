"""Errors of regular expressions, by ECMAScript 2025 with its Annex B.

TypeScript also refuses some forms of Annex B: truncated escapes, octal ones in classes, and references to missing groups. The
existing properties of characters are not known here.
"""

from __future__ import annotations

import re
from functools import lru_cache

_FLAGS = frozenset("dgimsuvy")
_TOGGLED = frozenset("ims")
_QUANTIFIER = re.compile(r"\{(\d*)(?:,(\d*))?(\}?)")
_NAME = re.compile(
    r"(?:[^\W\d]|\$|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\})(?:[\w$\u200c\u200d]|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\})*"
)
_HEX, _UNICODE, _CODE_POINT = (
    re.compile("x[0-9a-fA-F]{2}"),
    re.compile("u[0-9a-fA-F]{4}"),
    re.compile(r"u\{([0-9a-fA-F]+)\}"),
)
_PROPERTY = re.compile(r"[pP]\{(\w+)(?:=(\w+))?\}")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_IN_CLASS_SETS = frozenset("&-!#%,:;<=>@`~")
_DOUBLED = frozenset("&!#%*+,.:;<=>?@`~^$")
_CONTROL = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "b": "\b"}
_OF_STRINGS = frozenset(
    [
        "Basic_Emoji",
        "Emoji_Keycap_Sequence",
        "RGI_Emoji_Modifier_Sequence",
        "RGI_Emoji_Flag_Sequence",
        "RGI_Emoji_Tag_Sequence",
        "RGI_Emoji_ZWJ_Sequence",
        "RGI_Emoji",
    ]
)


_NO_ESCAPE, _UNORDERED, _CLASS_IN_RANGE = (
    "has an escape that is none",
    "has a range out of order",
    "has a range that ends in a class",
)


class _Wrong(Exception):
    """The text is no expression; the reason, in words."""


@lru_cache(maxsize=500)
def problem_of(text: str, *, ts: bool) -> str | None:
    """The error of a literal, in words; None where there is none. ts: by TypeScript, else by JavaScript."""
    body, _, flags = text[1:].rpartition("/")
    if len(set(flags)) < len(flags) or not set(flags) <= _FLAGS or {"u", "v"} <= set(flags):
        return "a regular expression has flags that do not exist"
    try:
        _Expression(body, flags, ts=ts).read()
    except _Wrong as wrong:
        return f"a regular expression {wrong}"
    return None


class _Expression:
    """An expression being read."""

    def __init__(self, body: str, flags: str, *, ts: bool) -> None:
        self.body, self.place = body, 0
        self.unicode, self.sets = not {"u", "v"}.isdisjoint(flags), "v" in flags
        self.strict = ts or self.unicode
        self.has_names = re.search(r"\(\?<(?![=!])", re.sub(r"\\.|\[(?:\\.|[^\]])*\]", "", body)) is not None
        self.groups = 0
        self.names: list[set[str]] = [set()]  # of the enclosing alternatives
        self.all_names: set[str] = set()
        self.named: list[str] = []
        self.numbered = 0
        self.of_strings = False
        """whether the last operand of a class could match more than one character"""

    def read(self) -> None:
        self.disjunction(inside=False)
        if not self.all_names.issuperset(self.named) or (self.strict and self.numbered > self.groups):
            raise _Wrong("refers to a group that does not exist")

    def next(self, size: int = 1) -> str:
        return self.body[self.place : self.place + size]

    def takes(self, text: str) -> bool:
        if not self.body.startswith(text, self.place):
            return False
        self.place += len(text)
        return True

    def must_take(self, text: str) -> None:
        if not self.takes(text):
            raise _Wrong(f"lacks '{text}'")

    def matched(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.body, self.place)
        if match is not None:
            self.place = match.end()
        return match

    # -- terms

    def disjunction(self, *, inside: bool) -> None:
        while True:
            self.names.append(set())
            self.alternative(inside=inside)
            own = self.names.pop()
            self.all_names |= own
            if not self.takes("|"):
                return

    def alternative(self, *, inside: bool) -> None:
        repeats = False  # whether the part before may be repeated
        while self.place < len(self.body) and self.next() != "|" and not (inside and self.next() == ")"):
            char = self.next()
            if char in "*+?" or (char == "{" and self.is_quantifier()):
                if not repeats:
                    raise _Wrong("has nothing to repeat")
                self.place += char in "*+?"
                self.takes("?")
                repeats = False
            else:
                repeats = self.term(char)

    def is_quantifier(self) -> bool:
        """Read a quantifier in braces; False where the braces stand for themselves."""
        match = _QUANTIFIER.match(self.body, self.place)
        assert match is not None
        least, most, end = match.groups()
        if not least or not end:
            if self.unicode:
                raise _Wrong("has a brace that is no quantifier")
            return False
        if most and int(least) > int(most):
            raise _Wrong("has a quantifier out of order")
        self.place = match.end()
        return True

    def term(self, char: str) -> bool:
        """Read a term; return whether it may be repeated."""
        self.place += 1
        if char in "^$":
            return False
        if char == "\\":
            if self.takes("b") or self.takes("B"):
                return False
            self.atom_escape()
        elif char == "(":
            return self.group()
        elif char == "[":
            if self.sets:
                self.class_set()
            else:
                self.class_ranges()
            self.must_take("]")
        elif char == ")" or (self.unicode and char in "]}{"):
            raise _Wrong(f"has '{char}' that nothing opens")
        return True

    def group(self) -> bool:
        repeats = True
        if not self.takes("?"):
            self.groups += 1
        elif self.takes("=") or self.takes("!"):
            repeats = not self.unicode
        elif self.takes("<=") or self.takes("<!"):
            repeats = False
        elif self.takes("<"):
            self.groups += 1
            self.name_group()
        elif not self.takes(":"):
            self.toggled()
        self.disjunction(inside=True)
        self.must_take(")")
        return repeats

    def toggled(self) -> None:
        """Flags of a part, `(?i-m:`."""
        match = self.matched(re.compile(r"(\w*)(-?)(\w*):"))
        letters = "".join(match.group(1, 3)) if match is not None else "?"
        if not letters or not set(letters) <= _TOGGLED or len(set(letters)) < len(letters):
            raise _Wrong("has a group that is none")

    def name_group(self) -> None:
        name = self.group_name()
        if any(name in names for names in self.names):
            raise _Wrong("names two groups the same")
        self.names[-1].add(name)
        self.all_names.add(name)

    def group_name(self) -> str:
        match = self.matched(_NAME)
        self_closed = match is not None and self.takes(">")
        if match is None or not self_closed:
            raise _Wrong("lacks the name of a group")
        return match[0]

    # -- escapes

    def atom_escape(self) -> None:
        if self.takes("k"):
            if self.unicode or self.has_names or (self.strict and self.next() == "<"):
                self.must_take("<")
                self.named.append(self.group_name())
            return
        digits = re.compile(r"[1-9]\d*").match(self.body, self.place)
        if digits is not None:
            self.place = digits.end()
            self.numbered = max(self.numbered, int(digits[0]))
        elif not self.class_escape():
            self.character_escape(in_class=False)

    def class_escape(self) -> bool:
        char = self.next()
        if char and char in "dDsSwW":
            self.place += 1
            return True
        if not char or char not in "pP":
            return False
        match = _PROPERTY.match(self.body, self.place)
        if match is None or not self.unicode:
            if self.unicode or (self.strict and self.next(2)[1:] == "{"):
                raise _Wrong("has a property of characters that is none")
            return False
        self.place = match.end()
        if match[1] in _OF_STRINGS and match[2] is None:
            if not self.sets or char == "P":
                raise _Wrong("has a property of strings where one of characters stands")
            self.of_strings = True
        return True

    def character_escape(self, *, in_class: bool) -> str:
        """Read the escape behind a backslash; return its character."""
        char = self.next()
        if not char:
            raise _Wrong("ends in a backslash")
        if char in "xu":
            return self.numeric_escape(char)
        self.place += 1
        if char == "c":
            if self.next().isascii() and self.next().isalpha():
                self.place += 1
                return chr(ord(self.body[self.place - 1]) & 31)
            if self.unicode:
                raise _Wrong(_NO_ESCAPE)
            return char
        if char.isdigit() and (char != "0" or self.next().isdigit()):
            if self.strict:
                raise _Wrong("has an octal escape")
            return char
        if self.unicode and char not in _SYNTAX and char not in "0tnvfr" and not (in_class and char == "-"):
            raise _Wrong(_NO_ESCAPE)
        return _CONTROL.get(char, "\0" if char == "0" else char)

    def numeric_escape(self, char: str) -> str:
        point = self.matched(_CODE_POINT)
        if point is not None:
            if self.unicode and int(point[1], 16) <= 0x10FFFF:
                return chr(int(point[1], 16))
            if self.strict:
                raise _Wrong(_NO_ESCAPE)
            self.place = point.start() + 1  # the letter, with a quantifier
            return char
        match = self.matched(_HEX if char == "x" else _UNICODE)
        if match is not None:
            return chr(int(match[0][1:], 16))
        if self.strict:
            raise _Wrong("has an escape that is cut")
        self.place += 1
        return char

    # -- classes

    def class_ranges(self) -> None:
        self.takes("^")
        while self.next() not in ("]", ""):
            least = self.class_atom()
            if not self.takes("-") or self.next() in ("]", ""):
                continue
            most = self.class_atom()
            if not least or not most:
                if self.unicode:
                    raise _Wrong(_CLASS_IN_RANGE)
            elif least > most:
                raise _Wrong(_UNORDERED)

    def class_atom(self) -> str:
        """Read one character of a class, or "" for another class."""
        if not self.takes("\\"):
            self.place += 1
            return self.body[self.place - 1]
        if self.takes("b"):
            return "\b"
        if self.takes("-"):
            return "-"
        return "" if self.class_escape() else self.character_escape(in_class=True)

    def class_set(self) -> None:
        """Read the inside of a class with the flag `v`."""
        negated = self.takes("^")
        may_be_of_strings = False
        if self.next() in ("]", ""):
            self.of_strings = False
            return
        operator = ""
        operand = self.class_operand()
        may_be_of_strings = self.of_strings
        operator = self.next(2) if self.next(2) in ("--", "&&") else ""
        if operator:
            may_be_of_strings = self.class_operation(operator, may_be_of_strings)
        while self.next() not in ("]", ""):
            if self.takes("-"):
                most = self.class_operand()
                if not operand or not most:
                    raise _Wrong(_CLASS_IN_RANGE)
                if operand > most:
                    raise _Wrong(_UNORDERED)
                operand = ""
            else:
                operand = self.class_operand()
                may_be_of_strings |= self.of_strings
        if negated and may_be_of_strings:
            raise _Wrong("has a class that is not what matches several characters")
        self.of_strings = may_be_of_strings and not negated

    def class_operation(self, operator: str, may_be_of_strings: bool) -> bool:
        """Read the operands behind the first; return whether all together may match more than one character."""
        while self.takes(operator):
            if operator == "&&" and self.next() == "&":
                raise _Wrong("has an operator that is none")
            self.class_operand()
            if operator == "&&":
                may_be_of_strings &= self.of_strings
        if self.next() not in ("]", ""):
            raise _Wrong("mixes the operators of a class")
        return may_be_of_strings

    def class_operand(self) -> str:
        """Read an operand; return its character, or "" for another class."""
        self.of_strings = False
        if self.takes("["):
            self.class_set()
            self.must_take("]")
            return ""
        if self.next() == "\\":
            self.place += 1
            if self.class_escape():
                return ""
            if self.takes("q"):
                self.strings()
                return ""
            self.place -= 1
        return self.set_character()

    def strings(self) -> None:
        """The alternatives of `\\q{...}`."""
        self.must_take("{")
        size, of_strings = 0, False
        while self.next() not in ("}", ""):
            if self.takes("|"):
                of_strings |= size != 1
                size = 0
            else:
                self.set_character()
                size += 1
        self.of_strings = of_strings or size != 1
        self.must_take("}")

    def set_character(self) -> str:
        char = self.next()
        if self.takes("\\"):
            if self.takes("b"):
                return "\b"
            if self.next() and self.next() in _IN_CLASS_SETS:
                self.place += 1
                return self.body[self.place - 1]
            return self.character_escape(in_class=True)
        if not char or char in "()[]{}/-|" or (char in _DOUBLED and self.next(2) == char * 2):
            raise _Wrong("has a character in a class that must be escaped")
        self.place += 1
        return char

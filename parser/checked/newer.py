"""Newer forms of languages, written as older ones of the same length, since the grammars of tree-sitter lag years behind.

Only the grammar's own copy changes, and no place in it: an unknown form becomes blank, or a name. A row matches within a line, with the
line before it at most, so a key costs one line. The patterns spell the form out, so a wrong one stays as it is, and stays an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

MOST_WHOLE = 100_000
"""Bytes of a file, past which forms of several lines are left as they are."""


@dataclass(frozen=True, slots=True)
class Row:
    """A form, and the older text for its groups, or for all of it where it has none."""

    sign: bytes
    """a text in each match, searched for first"""
    pattern: bytes
    """compiled when the sign is first met: most languages are never edited"""
    old: bytes = b""
    """the text at the beginning of each group; a shorter group stays"""
    fill: bytes = b" "
    """for the rest of a group"""

    def written(self, source: bytes) -> bytes:
        return _compiled(self.pattern).sub(self._replaced, source) if self.sign in source else source

    def _replaced(self, match: re.Match[bytes]) -> bytes:
        text, first = bytearray(match[0]), match.start()
        for group in range(1, match.re.groups + 1) if match.re.groups else (0,):
            start, end = match.span(group)
            if len(self.old) <= end - start:
                text[start - first : end - first] = self.old.ljust(end - start, self.fill)
        return bytes(text)


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Newer:
    """The newer forms of a language."""

    rows: tuple[Row, ...] = ()
    whole: Callable[[bytes], bytes] | None = None
    """for forms of several lines"""

    def lines(self, source: bytes, begin: int, end: int) -> bytes:
        """Some lines of a text, written as older ones."""
        before = source.rfind(b"\n", 0, max(0, begin - 1)) + 1
        lines = source[before:end]
        for row in self.rows:
            lines = row.written(lines)
        return lines[begin - before :]

    def all(self, source: bytes) -> bytes:
        """A text of older lines, with forms of several lines written as older ones, too."""
        return source if self.whole is None or len(source) > MOST_WHOLE else self.whole(source)


AS_IS = Newer()


def _row(sign: str, pattern: str, old: str = "", fill: str = " ") -> Row:
    return Row(sign.encode(), pattern.encode(), old.encode(), fill.encode())


_ARG = r"(?:[\w.:-]+|\"[^\"\n]*\")"
_WORD = rf"[\w:]+(?:[ \t]*\([ \t]*(?:{_ARG}(?:[ \t]*,[ \t]*{_ARG})*)?[ \t]*\))?"
_WORDS = rf"[ \t]*{_WORD}(?:[ \t]*,[ \t]*{_WORD})*[ \t]*"
_NUMERIC = r"(?:unsigned|signed|long|short|char|int)"
_BASE = rf"(?:const[ \t]+)?(?:{_NUMERIC}(?:[ \t]+{_NUMERIC})*|\w+)"
_TYPE = (
    r"(?:(?:const|volatile|struct|union|enum|unsigned|signed|long|short)[ \t]+)*(?!(?:struct|union|enum)\b)\w+"
    r"(?:[ \t]+const)?[ \t*]*"
)
_IN_CPLUSPLUS = r"^[ \t]*#[ \t]*if[^\n]*__cplusplus[^\n]*\n[ \t]*"
_BOTH = (
    _row("__cplusplus", rf'{_IN_CPLUSPLUS}(extern[ \t]*"C"[ \t]*\{{)[ \t]*\r?$'),
    _row("__cplusplus", rf"{_IN_CPLUSPLUS}(\}})[ \t]*(?:/[/*][^\n]*)?\r?$"),
    _row("__attribute__", rf"[\w\]][ \t]*(__attribute__[ \t]*\(\({_WORDS}\)\))(?=[ \t]*(?:=[^=]|[,;{{]))"),
    _row("__attribute__", rf"(?:^|[;:{{}}])[ \t]*(__attribute__[ \t]*\(\({_WORDS}\)\))(?=[ \t]*;)"),
    _row("__builtin_offsetof", r"\b__builtin_offsetof(?=[ \t]*\()", "offsetof"),
    _row("offsetof", rf"\boffsetof[ \t]*\([ \t]*{_TYPE},[ \t]*\w+((?:\.\w+|\[\w+\])+)[ \t]*\)"),
    _row("goto", r"\b(goto[ \t]*\*)(?=[ \t]*[\w(])", "return"),
    _row("...", r"\bcase[ \t]+[-\w'+ ]+?[ \t]*(\.\.\.)[ \t]*[-\w'+ ]+:", " + "),
    _row("va_arg", rf"\bva_arg[ \t]*\([ \t]*[\w.>\[\]-]+[ \t]*,[ \t]*({_TYPE})\)", "x"),
    _row("_Complex", r"\b_Complex\b(?=[ \t]+(?:double|float|long))|(?<=double )_Complex\b|(?<=float )_Complex\b"),
)
C = Newer(
    (
        *_BOTH,
        _row(
            "each",
            r"(?:^|[;{})])[ \t]*(\w*for_?each\w*)(?=[ \t]*\([^;{}\n]*\)(?:[ \t]*\{|[ \t]+\w|[ \t]*\r?$))",
            "while",
        ),
        _row(
            "EACH",
            r"(?:^|[;{})])[ \t]*(\w*FOR_?EACH\w*)(?=[ \t]*\([^;{}\n]*\)(?:[ \t]*\{|[ \t]+\w|[ \t]*\r?$))",
            "while",
        ),
        _row("enum", rf"\benum(?:[ \t]+\w+)?[ \t]*(:[ \t]*{_BASE})[ \t]*[{{;]"),
        _row("#", r"^[ \t]*(#[ \t]*embed[ \t]+(?:\"[^\"\n]*\"|<[^>\n]*>))[ \t]*\r?$", "1"),
        _row("typeof", r"\b(?:__)?typeof(?:__)?[ \t]*\([ \t]*[*&]+\w[\w.>\[\]-]*[ \t]*\)(?=[ \t]+[\w*])", "int"),
        _row("struct", r",[ \t]*((?:struct|union)[ \t]+\w+[ \t*]*)(?=[,)])", "x"),
        _row("auto", r"\bauto(?=[ \t]+\w+[ \t]*=[^=])", "int"),
        _row("_Thread_local", r"\b_Thread_local\b", "thread_local"),
        _row("_Atomic", rf"\b_Atomic(\(){_TYPE}(\))"),
        _row("_BitInt", r"\b_BitInt[ \t]*\([ \t]*\w+[ \t]*\)", "int"),
        _row("typeof", r"\([ \t]*((?:__)?typeof(?:__)?[ \t]*\([ \t*&]*\w[\w.>\[\]-]*[ \t*]*\)[ \t*]*)\)", "x"),
    )
)
CPP = Newer(
    (
        *_BOTH,
        _row("consteval", r"\bif[ \t]*((?:!|not\b)?[ \t]*consteval)(?=[ \t]*(?:\{|$))", "(1)"),
        _row("extern template", r"\b(extern[ \t]+template)[ \t]+(?:class|struct)[ \t]+[\w:]+[ \t]*<"),
        _row("template", r"\b(template)[ \t]+(?:class|struct)[ \t]+[\w:]+[ \t]*<"),
        _row(
            "->",
            r"^[ \t]*(?:explicit[ \t]+)?\w+\([^()\n]*\)[ \t]*"
            r"(->[ \t]*\w+[ \t]*<[\w:,*& \t.]+(?:<[\w:, \t]*>)?>)[ \t]*;",
            "{}",
        ),
        _row("delete", r"\)[ \t]*(=[ \t]*delete(?:[ \t]*\([ \t]*\"[^\"\n]*\"[ \t]*\))?)[ \t]*;", "{}"),
        _row("slots", r"\b(?:public|private|protected)[ \t]+(slots)[ \t]*:"),
        _row("signals", r"^[ \t]*(signals)[ \t]*:", "public"),
        _row("...", r"\bauto[ \t&]*\[[\w, \t]*(\.\.\.)"),
        _row(".", r"[{,][ \t]*(\.\w+)(?=\{)"),
        _row(
            "default",
            r"(?:::~?\w+|\boperator[^\w\s(]+)[ \t]*\([^()\n]*\)[ \t]*"
            r"(?:const[ \t]*|noexcept[ \t]*|&&?[ \t]*)*(=[ \t]*default)[ \t]*;",
            "{}",
        ),
        _row("throw", r"[?:][ \t]*(throw)(?=[ \t]+[\w\"(])"),
        _row("...[", r"\b\w+(\.\.\.\[[ \t]*\w+[ \t]*\])"),
        _row("...", r"\busing[ \t]+\w+(?:::\w+)*(\.\.\.)[ \t]*;"),
        _row(
            ":", r"(?:^|[;{])[ \t]*\w[\w:]*(?:[ \t]+\w+)+[ \t]*:[ \t]*\d+[ \t]*(=[ \t]*[-\w.]+|\{[-\w.]*\})(?=[ \t]*;)"
        ),
        _row(" ", r"\b(?:class|struct)[ \t]+([A-Z][A-Z0-9_]{2,})[ \t]+(?=\w+[ \t]*(?:final[ \t]*)?(?::[^:]|\{|$))"),
        _row("Q_", r"\bQ_(?:OBJECT|GADGET|NAMESPACE)\b(?=[ \t]*(?:\r?$|\}|public\b|private\b|protected\b))"),
    )
)
_VALUE = r"(?:[-+]?[\d.][\w.%]*(?:[ \t]*/[ \t]*\d+)?|calc\([-+*/\w.% \t]*\))"
_LESS, _MORE = r"[ \t]*<=?[ \t]*", r"[ \t]*>=?[ \t]*"
_FEATURE = r"-?[a-z][\w-]*"
_BOUNDS = (
    rf"(?:{_FEATURE}(?:{_LESS}|{_MORE}|[ \t]*=[ \t]*){_VALUE}|{_VALUE}{_LESS}{_FEATURE}(?:{_LESS}{_VALUE})?"
    rf"|{_VALUE}{_MORE}{_FEATURE}(?:{_MORE}{_VALUE})?)"
)
CSS = Newer(
    (
        _row("", r"[^\x00-\x7f]+", "x", "x"),
        _row("\\", r"\\(?:[0-9a-fA-F]{1,6} ?|[^\w\s\"'\\])", "_", "_"),
        _row(
            "@container",
            r"@container[ \t]+(?!not\b|style\b)[A-Za-z_][\w-]*(?=[ \t]*\(|[ \t]+(?:not|style)\b)",
            "@media",
        ),
        _row("@container", r"@container\b", "@media"),
        _row("style(", r"@media[^{;\n]*?\b(style)\(--"),
        _row("@", rf"\([ \t]*({_BOUNDS})[ \t]*\)(?=[^;{{}}\n]*\{{)", "a:1"),
        _row("@layer", r"@layer[ \t]+[\w-]+(?:(\.)[\w-]+)(?:(\.)[\w-]+)?", "_"),
        _row("@layer", r"@layer(?:[ \t]+[\w-]+[ \t]*,)+[ \t]*[\w-]+(\.)[\w-]+", "_"),
        _row(
            "@import", r"@import[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|url\([^()\n]*\))[ \t]*(layer(?:\([\w.-]*\))?)(?=[ \t;])"
        ),
        _row("supports(", r"@import[^;\n]*?\b(supports\([\w-]+[ \t]*:[ \t]*[\w-]+\))"),
        _row("font-", r"@supports[^{;\n]*?\b(font-(?:tech|format)\()[\w-]+\)", "selector("),
        _row("@page", r"@page([ \t]+[\w-]*(?::[\w-]+)?)(?=[ \t]*\{)"),
        _row("%", r"(?:^|[{},])[ \t]*\d*(\.)\d+%(?=[ \t]*[,{])", "0"),
        _row("@", r"@(?:-\w+-)?keyframes[ \t]+(\"[^\"\n]*\"|'[^'\n]*')", "x", "x"),
        _row("&", r"[\w\])>+~*][ \t]+(&)(?=[ \t]*[,{:.\[#>+~ ])", "a"),
        _row("&", r"(?:^|[\s{};,>+~])(&)(?=[a-z])"),
        _row("if(", r"\bif\((?:[^()\n]|\([^()\n]*\))*\)", "x"),
        _row("]", r"\[[^\]\n]*=[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*')([ \t]*[isIS][ \t]*)\]"),
        _row("]", r"\[[^\]\n]*=[ \t]*[\w-]+([ \t]+[isIS][ \t]*)\]"),
        _row("!", r"![ \t]+important", "!important"),
        _row("--", r"(?<![\w-])(--[\w-]+[ \t]*:[ \t]*)(?=;|\})", "a:x"),
        _row("--", r"(?<![\w-])--[\w-]+[ \t]*:[ \t]*(\([^;{}()\n]*\)|\{[^{}\n]*\})(?=[ \t]*[;}])", "x", "x"),
        _row("var(", r"\bvar\([ \t]*--[\w-]+[ \t]*(,)[ \t]*\)"),
        _row("progid:", r"progid:[\w.]+\([\w=#'\", .-]*\)", "x", "x"),
        _row("*", r"(?<=[\s;{])(\*)(?=[a-z-]+[ \t]*:)", "_"),
        _row("attr(", r"\battr\(((?:[^()\n]|\([^()\n]*\))*)\)", "x"),
        _row("url(#", r"\burl\((#)", "_"),
        _row(";", r"(?:\{|:[^:;{}\n]*;)[ \t]*(;)"),
    )
)
CSHARP = Newer(
    (
        _row("?", r"[\w\])](\?)(?=[.\[][\w.\[\]()?!\"]*[ \t]*(?:[-+*/%&|^]|<<|>>|\?\?)?=(?![=>]))"),
        _row("..", r"\.\.[ \t]*var[ \t]+\w+(?=[ \t]*[,\]])", "_"),
        _row("..", r"\bis[ \t]+(?:not[ \t]+)?\[[ \t]*(\.\.)(?=[ \t]*[,\]])", "_"),
        _row("=>", r"[(,][ \t]*(out|ref|in|scoped)(?=[ \t]+(?:[\w<>?.]+[ \t]+)?\w+[ \t]*[,)][^\n;{]*=>)"),
        _row("allows", r"[:,][ \t]*(allows[ \t]+ref[ \t]+struct)\b", "allows", "_"),
        _row("operator", r"\boperator[ \t]*(?:[-+*/%&|^]|<<|>>>?)(=)[ \t]*\("),
        _row("extension", r"\b(extension[ \t]*\()(?=[\w@\[])", "class ext("),
        _row("extension", r"\b(extension)(?=<[\w, \t]+>[ \t]*\()", "class ext"),
        _row("#:", r"^(#:)(?=\w+[ \t]+\S)", "//"),
    )
)
JAVA = Newer(
    (
        _row("super", r"(?:^|[;{}])[ \t]*(s)uper[ \t]*\(", "_"),
        _row("this", r"(?:^|[;{}])[ \t]*(t)his[ \t]*\(", "_"),
        _row("module", r"^[ \t]*import[ \t]+(module)[ \t]+\w+(?:\.\w+)*[ \t]*;"),
    )
)
CALLED = ("_uper", "_his")
"""The names of `super(…)` and `this(…)` in Java, calls allowed in constructors only."""
RUST = Newer(
    (
        _row("safe", r"\b(safe)(?=[ \t]+(?:fn|static)\b)"),
        _row("..", r"(?:^|[;{}])[ \t]*[A-Z]\w*[ \t]*\{[^{}\n]*\.\.([ \t])[ \t]*\}[ \t]*=(?![=>])", "x"),
        _row("<-", r"::<(?:\d+,[ \t]*)*(-)(?=\d+[ \t]*[,>])"),
    )
)
PHP = Newer((_row("(void)", r"(?:^|[;{}])[ \t]*(\(void\))(?=[ \t]*[\w\\$])"),))
_TWO = re.compile(
    rb"(?m)(?P<mark><<-?[ \t]*['\"\\]?(?P<end>\w+)['\"]?)"
    rb"(?P<rest>(?=[^\n]{0,500}<<|[^\n]{0,500}(?:\bdo|\bthen|[{(|\\]|&&)[ \t]*\n)[^\n]{0,2000}\n)(?P<body>(?:.*\n){0,500}?)(?P<last>\t*(?P=end))$"
)


def _without_documents(source: bytes) -> bytes:
    """A script without here-documents whose line goes on before their text, with another one or on the lines behind it."""

    def blank(match: re.Match[bytes]) -> bytes:
        gone = re.sub(rb"[^\n]", b" ", match["body"] + match["last"])
        return b" " * len(match["mark"]) + match["rest"] + gone

    return _TWO.sub(blank, source) if b"<<" in source else source


BASH = Newer(
    (
        _row("${", r"(\$\{\|)(?=[ \t][^{}\n]*;[ \t]*\})|(\$\{)(?=[ \t][^{}\n]*;[ \t]*\})", "$("),
        _row("$(", r"\$\([ \t][^(){}\n]*;[ \t]*(\})", ")"),
        _row("(", r"(?<=[\w)*\"'-] )([!?@*+]\([^()\s]*\))(?=[ \t;]|$)", "x", "x"),
        _row("(", r"(?<=[\w*.])[!@]\([^()\s]*\)", "x", "x"),
    ),
    _without_documents,
)
_OPEN_TABLE = re.compile(rb"(?m)\{[^}\n]*$")
_TOML = re.compile(
    rb'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\r\n]*|[\[\]{}]|\r?\n', re.DOTALL
)


def _in_one_line(source: bytes) -> bytes:
    """A document with the line ends and comments of inline tables blank."""
    if _OPEN_TABLE.search(source) is None:
        return source
    text, around = bytearray(source), b""
    for match in _TOML.finditer(source):
        said = match[0]
        if said in (b"{", b"["):
            around += said
        elif said in (b"}", b"]"):
            around = around[:-1]
        elif around.endswith(b"{") and said[:1] in b"#\r\n":
            text[match.start() : match.end()] = b" " * len(said)
    return re.sub(rb",(?=[ \t]*\})", b" ", bytes(text))


TOML = Newer(
    (
        _row("}", r"(?<=[\w\]}\"'])(,)[ \t]*\}"),
        _row("\\e", r"(?<!\\)(?:\\\\)*(\\e)", "\\t"),
        _row("\\x", r"(?<!\\)(?:\\\\)*(\\x[0-9a-fA-F]{2})", "\\t"),
        _row(
            ":",
            r"(?<=[=\[,\s])((?:\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d(?:[Zz]|[-+]\d\d:\d\d)?)(?=[ \t]*(?:[,\]}#\r]|$))",
            "1",
        ),
    ),
    _in_one_line,
)

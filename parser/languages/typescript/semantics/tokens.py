r"""A small lexer for valid TypeScript and JavaScript.

The meaning of `/`, `}`, `<` and `>` depends on the automaton's place, so a token is read for its stack.
"""

from __future__ import annotations

import re

from .....common.words import spelled, words_of
from .automaton import Checker, Token
from .escapes import NO_LETTER, may_be_name

KEYWORDS = words_of("""
    break case catch class const continue debugger default delete do else enum export extends false finally for
    function if import in instanceof let new null return super switch this throw true try typeof var void while with
    yield await
""")
YIELDED = 4
"""The stage of an expression behind `yield`; see expressions.py."""
TAG_FRAMES = frozenset(["jsx_open", "jsx_name", "jsx_attributes", "jsx_value", "jsx_closing"])
_LINE = "\n\r\u2028\u2029"
_SKIP = re.compile(rf"(?:[\s\ufeff]+|//[^{_LINE}]*|/\*[\s\S]*?\*/)*")
_HAS_LINE = re.compile(f"[{_LINE}]")
_ESCAPE = r"\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\})"
_CODE = re.compile(
    spelled(rf"""(?P<name>(?:[^\W\d]|\$|{_ESCAPE})(?:[\w$]|{_ESCAPE})*)
    |(?P<num>0[xXoObB]\w+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?n?)
    |(?P<str>"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*')
    |(?P<private>\#(?:[\w$]|{_ESCAPE})+)
    |(?P<tick>`(?:[^`\\$]|\\[\s\S]|\$(?!\{{))*(?:`|\$\{{))
    |(?P<open>["'`\#])
    |(?P<op>\.\.\.|=>|===?|!==?|<<=|\*\*=?|\+\+|--|&&=?|\|\|=?|\?\?=?|\?\.(?!\d)|[-+*%&|^]=|<[=<]|[-+*%&|^!=<>?:.])
    """),
    re.VERBOSE,
)
_SURE = {char: (Token(char, char, False), Token(char, char, True)) for char in "(){}[],;~@"}
"""Symbols that no text behind them changes: without and with a line end before them."""
_REGEX = re.compile(rf"/(?![*/])(?:[^/\\\[{_LINE}]|\\[^{_LINE}]|\[(?:[^\]\\{_LINE}]|\\[^{_LINE}])*\])+/[\w$]*")
_OPEN_STRING = re.compile(r"""["'](?:[^\\\n\r]|\\(?:\r\n|[\s\S]))*\\?\Z""")
_NAME = rf"\#?[\w$]*(?:{_ESCAPE}[\w$]*)*"
_HALF_ESCAPE = r"\\(?:u(?:[0-9a-fA-F]{0,3}|\{[0-9a-fA-F]*))?"
_BEGUN = re.compile(spelled(rf"\.\.\Z|\.?\d[\w.]*(?:[eE][+-])?\Z|{_NAME}{_HALF_ESCAPE}\Z"))
"""Texts that may be one symbol at the end of a text, and several before other text."""
_BEGUN_NAME = re.compile(spelled(rf"{_NAME}(?:{_HALF_ESCAPE})?\Z"))
_GREATER = re.compile(r">>>=|>>>|>>=|>>|>=|>")
_DIVIDE = re.compile(r"/=?")
_TEMPLATE = re.compile(r"\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)")
_JSX_TEXT = re.compile(r"[^{}<>]*")
_TAG = re.compile(spelled(r"(?P<jname>(?:[^\W\d]|\$)[-\w$]*)") + r"|(?P<str>\"[^\"]*\"|'[^']*')|(?P<op>[.:=/<>{])")
_UNESCAPE = re.compile(r"\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))")


def next_token(m: Checker, text: str, position: int, *, end: bool) -> tuple[Token | None, int]:
    """(the next token, its end); None where more text may belong to it, or there is none. end: the file ends here."""
    frame = m.stack[0]
    name = frame[0]
    if name == "jsx_children":
        begin = _JSX_TEXT.match(text, position)
        begin_at = begin.end() if begin is not None else position
        if begin_at >= len(text):
            return None, position
        return Token(text[begin_at], text[begin_at], False), begin_at + 1
    size = len(text)
    begin_at = position + text.startswith(" ", position)
    newline = False
    if begin_at < size and ((char := text[begin_at]) in "/\ufeff" or char.isspace()):
        skipped = _SKIP.match(text, begin_at)
        begin_at = skipped.end() if skipped is not None else begin_at
        newline = _HAS_LINE.search(text, position, begin_at) is not None
    if begin_at >= size:
        return None, position
    char = text[begin_at]
    if char == "/" and text.startswith("/*", begin_at):
        return None, position
    if name in TAG_FRAMES:
        return _in_tag(text, position, begin_at, newline)
    if char == "}" and m.braces is not None and m.braces[0] == "template":
        match = _TEMPLATE.match(text, begin_at)
        if match is None:
            return None, position
        return Token("tail" if match[0][-1] == "`" else "middle", "", newline), match.end()
    if (sure := _SURE.get(char)) is not None:
        return sure[newline], begin_at + 1
    behind_operand = frame[3] not in (0, YIELDED) if name == "e" else name == "directive"
    if char == "/":
        if begin_at + 1 == size and not end:
            return None, position
        match = (_DIVIDE if behind_operand or _ends_operand(m) else _REGEX).match(text, begin_at)
        if match is None or (match.end() == size and not end):
            is_open = not end and (match is not None or _HAS_LINE.search(text, begin_at) is None)
            return (None, position) if is_open else (Token("?", "", newline), size)
        return Token(match[0] if match.re is _DIVIDE else "regex", match[0], newline), match.end()
    if char == ">":
        if behind_operand:
            match = _GREATER.match(text, begin_at)
            assert match is not None
            if match.end() == size and not end:
                return None, position
            return Token(match[0], match[0], newline), match.end()
        return Token(">", ">", newline), begin_at + 1
    return _in_code(m, text, position, begin_at, newline, end=end, behind_operand=behind_operand)


def may_go_on(pending: str) -> bool:
    """Whether a name in progress may be one by its escapes; true where no name is in progress."""
    if "\\" not in pending:
        return True
    skipped = _SKIP.match(pending)
    name = _BEGUN_NAME.match(pending, skipped.end() if skipped is not None else 0)
    return name is None or may_be_name(name[0])


_AT_WORDS = frozenset(["word", "default_word", "default_name", "async_arrow", "targs_end"])
"""Frames behind a word that may be a name, or behind type arguments of an expression."""
_IN_TYPES = frozenset(["t", "scope_end"])


def _ends_operand(m: Checker) -> bool:
    """Whether an operand may end in the last token: a word, the body of a function in an expression, or the type behind `as`."""
    stack = m.stack
    frame = stack[0]
    if frame[0] in _AT_WORDS or (frame[0] == "fn_end" and frame[2] == "expression"):
        return True
    if frame[0] != "t" or not frame[2]:
        return False
    while frame[0] in _IN_TYPES and stack[1] is not None:
        stack = stack[1]
        frame = stack[0]
    return frame[0] == "e"


def _in_code(
    m: Checker, text: str, position: int, begin: int, newline: bool, *, end: bool, behind_operand: bool
) -> tuple[Token | None, int]:
    """A symbol whose meaning does not depend on the enclosing brackets."""
    size = len(text)
    match = _CODE.match(text, begin)
    if match is None:
        is_begun = not end and _BEGUN.match(text, begin) is not None
        return (None, position) if is_begun else (Token("?", text[begin], newline), begin + 1)
    kind = match.lastgroup
    stop = match.end()
    if kind == "open":
        is_open = not end and (text[begin] in "`#" or _OPEN_STRING.match(text, begin) is not None)
        return (None, position) if is_open else (Token("?", "", newline), size)
    if not end and kind != "str" and kind != "tick":
        may_go_on = stop == size or ((kind == "num" or text[stop] in "\\.") and _BEGUN.match(text, begin) is not None)
        if may_go_on:
            return None, position
    word = match[0]
    if "\\" in word and kind in ("name", "private") and not may_be_name(word):
        m.error(NO_LETTER)
    if kind == "name":
        if "\\" in word:
            word = _UNESCAPE.sub(lambda escaped: chr(int(escaped[1] or escaped[2], 16)), word)
            return Token("name", word, newline), stop
        return Token(word if word in KEYWORDS else "name", word, newline), stop
    if kind == "tick":
        return Token("template" if word[-1] == "`" else "head", "", newline), stop
    if kind in ("num", "str", "private"):
        return Token(kind, word, newline), stop
    if word in ("<<", "<<=", "<=") and not behind_operand:
        return Token("<", "<", newline), begin + 1
    return Token(word, word, newline), stop


def _in_tag(text: str, position: int, begin: int, newline: bool) -> tuple[Token | None, int]:
    match = _TAG.match(text, begin)
    if match is None:
        if text[begin] in "\"'" or (text[begin] == "/" and begin + 1 == len(text)):
            return None, position
        return Token("?", text[begin], newline), begin + 1
    if match.lastgroup == "jname" and match.end() == len(text):
        return None, position
    if match.lastgroup == "op":
        return Token(match[0], match[0], newline), match.end()
    return Token(match.lastgroup or "", match[0], newline), match.end()

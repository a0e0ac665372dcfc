r"""A small lexer for TypeScript and JavaScript that is known to parse.

The meaning of `/`, `}`, `<` and `>` depends on the automaton's place, so a token is read for its stack.
"""

from __future__ import annotations

import re

from .....common.words import spelled, words_of
from .automaton import Checker, Token

KEYWORDS = words_of("""
    break case catch class const continue debugger default delete do else enum export extends false finally for
    function if import in instanceof let new null return super switch this throw true try typeof var void while with
    yield await
""")
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
    |(?P<sure>[(){{}}\[\],;~@])
    |(?P<open>["'`\#])
    |(?P<op>\.\.\.|=>|===?|!==?|<<=|\*\*=?|\+\+|--|&&=?|\|\|=?|\?\?=?|\?\.(?!\d)|[-+*%&|^]=|<[=<]|[-+*%&|^!=<>?:.])
    """),
    re.VERBOSE,
)
_REGEX = re.compile(rf"/(?![*/])(?:[^/\\\[{_LINE}]|\\[^{_LINE}]|\[(?:[^\]\\{_LINE}]|\\[^{_LINE}])*\])+/[\w$]*")
_OPEN_STRING = re.compile(r"""["'](?:[^\\\n\r]|\\(?:\r\n|[\s\S]))*\\?\Z""")
_BEGUN = re.compile(r"\.\.\Z|\.?\d[\w.]*(?:[eE][+-])?\Z|[\w$]*\\(?:u(?:[0-9a-fA-F]{0,3}|\{[0-9a-fA-F]*))?\Z")
"""Texts that may be one symbol at the end of a text, and several before other text."""
_GREATER = re.compile(r">>>=|>>>|>>=|>>|>=|>")
_DIVIDE = re.compile(r"/=?")
_TEMPLATE = re.compile(r"\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)")
_JSX_TEXT = re.compile(r"[^{}<>]*")
_TAG = re.compile(spelled(r"(?P<jname>(?:[^\W\d]|\$)[-\w$]*)") + r"|(?P<str>\"[^\"]*\"|'[^']*')|(?P<op>[.:=/<>{])")
_UNESCAPE = re.compile(r"\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))")


def next_token(m: Checker, text: str, position: int, *, end: bool) -> tuple[Token | None, int]:
    """(the next token, where it ends); None where more text may belong to it, or there is none. end: the file ends here."""
    frame = m.stack[0]
    name = frame[0]
    if name == "jsx_children":
        begin = _JSX_TEXT.match(text, position)
        at = begin.end() if begin is not None else position
        if at >= len(text):
            return None, position
        return Token(text[at], text[at], False), at + 1
    skipped = _SKIP.match(text, position)
    at = skipped.end() if skipped is not None else position
    size = len(text)
    if at >= size:
        return None, position
    newline = at > position and _HAS_LINE.search(text, position, at) is not None
    char = text[at]
    if text.startswith("/*", at):
        return None, position
    behind_operand = bool(frame[3]) if name == "e" else name == "directive"
    if name in TAG_FRAMES:
        return _in_tag(text, position, at, newline)
    if char == "}" and m.braces is not None and m.braces[0] == "template":
        found = _TEMPLATE.match(text, at)
        if found is None:
            return None, position
        return Token("tail" if found[0][-1] == "`" else "middle", "", newline), found.end()
    if char == "/":
        if at + 1 == size and not end:
            return None, position
        found = (_DIVIDE if behind_operand else _REGEX).match(text, at)
        if found is None or (found.end() == size and not end):
            is_open = not end and (found is not None or _HAS_LINE.search(text, at) is None)
            return (None, position) if is_open else (Token("?", "", newline), size)
        return Token(found[0] if found.re is _DIVIDE else "regex", found[0], newline), found.end()
    if char == ">":
        if behind_operand:
            found = _GREATER.match(text, at)
            assert found is not None
            if found.end() == size and not end:
                return None, position
            return Token(found[0], found[0], newline), found.end()
        return Token(">", ">", newline), at + 1
    return _in_code(text, position, at, newline, end=end, behind_operand=behind_operand)


def _in_code(
    text: str, position: int, at: int, newline: bool, *, end: bool, behind_operand: bool
) -> tuple[Token | None, int]:
    """A symbol that the brackets around do not decide."""
    size = len(text)
    found = _CODE.match(text, at)
    if found is None:
        return Token("?", text[at], newline), at + 1
    kind = found.lastgroup
    stop = found.end()
    if kind == "open":
        is_open = not end and (text[at] in "`#" or _OPEN_STRING.match(text, at) is not None)
        return (None, position) if is_open else (Token("?", "", newline), size)
    if not end and kind not in ("str", "tick", "sure") and (stop == size or _BEGUN.match(text, at) is not None):
        return None, position
    word = found[0]
    if kind == "name":
        if "\\" in word:
            word = _UNESCAPE.sub(lambda one: chr(int(one[1] or one[2], 16)), word)
            return Token("name", word, newline), stop
        return Token(word if word in KEYWORDS else "name", word, newline), stop
    if kind == "tick":
        return Token("template" if word[-1] == "`" else "head", "", newline), stop
    if kind in ("num", "str", "private"):
        return Token(kind, word, newline), stop
    if word in ("<<", "<<=", "<=") and not behind_operand:
        return Token("<", "<", newline), at + 1
    return Token(word, word, newline), stop


def _in_tag(text: str, position: int, at: int, newline: bool) -> tuple[Token | None, int]:
    found = _TAG.match(text, at)
    if found is None:
        if text[at] in "\"'" or (text[at] == "/" and at + 1 == len(text)):
            return None, position
        return Token("?", text[at], newline), at + 1
    if found.lastgroup == "jname" and found.end() == len(text):
        return None, position
    if found.lastgroup == "op":
        return Token(found[0], found[0], newline), found.end()
    return Token(found.lastgroup or "", found[0], newline), found.end()

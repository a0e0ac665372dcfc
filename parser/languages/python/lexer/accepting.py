"""What the symbol in progress in Python's lexer is worth at the end of a file, and what it may still become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....glr.layout import Line
from ....grammar.lalr import END
from ....lexing.base import ANY_LINE, LexState, Tokens
from . import numbers
from .templates import at_field_level

if TYPE_CHECKING:
    from .python_lexer import PythonLexer


def finish(lexer: PythonLexer, state: LexState) -> Tokens | None:
    """The terminals at the end of the file, END last; None where the file may not end."""
    kind, data = state.kind, state.data
    end: Tokens = (Line(0, 0), END)
    if state.context is not None:
        return None
    if kind == "start":
        return (END,)
    if kind in ("line", "line_comment"):
        return end if (data.pending if kind == "line" else data) else (END,)
    if kind in ("clean", "comment"):
        return end
    if kind == "name":
        return (lexer.keywords.get(data, lexer.name), *end)
    if kind == "number":
        return ((lexer.imaginary if data == "j" else lexer.number), *end) if data in numbers.ENDABLE else None
    if kind == "operator":
        if data == "..":
            return (lexer.operators["."],) * 2 + end
        return (lexer.operators[data], *end) if data in lexer.operators else None
    if kind == "opened_twice":
        return (*lexer.empty(data[0]), *end)
    return None


def expected(lexer: PythonLexer, state: LexState) -> tuple[Tokens, ...]:
    """What the symbol in progress can still become, as alternatives; () when anything may come."""
    kind, data = state.kind, state.data
    if kind == "name":
        found = [lexer.name]
        if data:
            found += [t for text, t in lexer.keywords.items() if text.startswith(data)]
            found += [lexer.terminal_of(p.lower()) for p in lexer.prefixes if p.startswith(data)]
        if at_field_level(state.context):
            found = [t for t in found if t != lexer._lambda]
        return tuple((t,) for t in dict.fromkeys(found))
    if kind == "glued":
        return tuple((lexer.keywords[w],) for w in numbers.AFTER_NUMBER if w.startswith(data))
    if kind == "number":
        if data == "j":
            return ((lexer.imaginary,),)
        if data == "e":  # "1e" may become "1 else"
            return ((lexer.number,), (lexer.imaginary,))
        return ((lexer.number,),) if data[0] in "hob" else ((lexer.number,), (lexer.imaginary,))
    if kind == "operator":
        found = [(t,) for text, t in lexer.operators.items() if text.startswith(data)]
        if data == ".":
            found += [(lexer.number,), (lexer.imaginary,)]
        if data == "..":
            dot = lexer.operators["."]
            found += [(dot, dot), (dot, lexer.number), (dot, lexer.imaginary)]
        if data == "!" and at_field_level(state.context):
            found.append((lexer.templates.conversion,))
        return tuple(found)
    if kind == "conversion":
        return ((lexer.templates.conversion,),)
    if kind == "fstring":
        return ((lexer.string,),)
    if kind == "opened_twice":
        return tuple(dict.fromkeys((lexer.empty(data[0]), (lexer.terminal_of(data[0]),))))
    if kind in ("opened", "string"):
        return ((lexer.terminal_of(data[0]),),)
    if state.context is not None:
        return ()
    pending = kind == "comment" or (kind == "line_comment" and data)
    if pending or (kind in ("line", "line_backslash", "line_continued") and data.pending):
        return ((ANY_LINE,),)
    return ()

"""The names undefined in a text by pyflakes, at its most forgiving and at its strictest."""

# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import ast
import collections.abc
import io
import tokenize
import typing
import warnings
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Any

from pyflakes import checker, messages

_OF_TYPES = ast.Subscript | ast.Tuple | ast.BinOp | ast.Attribute
_TAKES_TYPES = {"list", "dict", "tuple", "set", "frozenset", "type", *typing.__all__, *collections.abc.__all__} - {
    "Literal"
}
_MAY_NOT_RUN = ast.If | ast.While | ast.IfExp | ast.Try | ast.TryStar | ast.For | ast.AsyncFor


def _pieces(text: str) -> int:
    """The number of adjacent strings."""
    tokens = tokenize.generate_tokens(io.StringIO(f"({text})").readline)
    return sum(token.type == tokenize.STRING for token in tokens)


class _Reader(checker.Checker):
    """pyflakes, except that a built-in name outlives its `del`."""

    def __init__(self, tree: ast.AST) -> None:
        self.early: list[Any] = []
        super().__init__(tree)

    def handleNodeLoad(self, node: Any, parent: Any) -> None:
        if getattr(node, "id", "") not in self.builtIns:
            super().handleNodeLoad(node, parent)


class _Forgiving(_Reader):
    """It also forgives strings in annotations outside of types, and formatted ones; names defined in an error's handler and read later, names
    caught by a bare `except`, and names deleted in code that may not run, or behind `import *`."""

    text = ""
    in_pieces = False
    """Whether an annotation has a string of several pieces, whose names belong to none of them"""

    def JOINEDSTR(self, node: ast.AST) -> None:
        with self._enter_annotation(checker.AnnotationState.NONE):
            super().JOINEDSTR(node)

    def _is_type(self, node: ast.AST) -> bool:
        """Whether this is a part of a type, unlike a subscript of a class that takes anything, such as `Float[Tensor, "n"]`."""
        if not isinstance(node, ast.Subscript):
            return isinstance(node, _OF_TYPES)
        return getattr(node.value, "attr", getattr(node.value, "id", "")) in _TAKES_TYPES

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self._parents:
            node = self._parents[node]
            yield node

    def CONSTANT(self, node: Any) -> None:
        around = takewhile(lambda one: isinstance(one, ast.expr), self._around(node))
        if all(map(self._is_type, around)):
            super().CONSTANT(node)
        if isinstance(node.value, str) and self._in_annotation:
            self.in_pieces |= _pieces(ast.get_source_segment(self.text, node) or "") > 1

    def report(self, messageClass: Any, *args: Any, **kwargs: Any) -> None:
        if messageClass is messages.UndefinedName:
            node, name = args
            below = node
            for one in self._around(node):
                if isinstance(one, ast.ExceptHandler) and one.name == name:
                    return
                if isinstance(one, ast.Try) and below in one.body and any(h.type is None for h in one.handlers):
                    return
                below = one
        super().report(messageClass, *args, **kwargs)

    def handleNodeDelete(self, node: Any) -> None:
        starred = node.id not in self.scope and any(scope.importStarred for scope in self.scopeStack)
        if not starred and not any(isinstance(one, _MAY_NOT_RUN) for one in self._around(node)):
            super().handleNodeDelete(node)


class _Strict(_Reader):
    """pyflakes without its leniency: for a name read at once above the function declaring it global, a missing name declared nonlocal, a name
    deleted under a condition and bound nowhere, and a name annotated, never bound, and read in an annotation."""

    def report(self, messageClass: Any, *args: Any, **kwargs: Any) -> None:
        super().report(messageClass, *args, **kwargs)
        if messageClass is messages.UndefinedName and not self._running_deferred:
            self.early.append(self.messages[-1])

    def GLOBAL(self, node: Any) -> None:
        super().GLOBAL(node)
        place = node.lineno, node.col_offset
        self.messages += [one for one in self.early if (one.lineno, one.col) < place and one not in self.messages]

    def NONLOCAL(self, node: Any) -> None:
        module, messages_before = self.scopeStack[0], self.messages
        lacking = [name for name in node.names if name not in module]
        super().NONLOCAL(node)
        self.messages = messages_before
        for name in lacking:
            module.pop(name, None)

    def handleNodeDelete(self, node: Any) -> None:
        if node.id in self.scope:
            super().handleNodeDelete(node)
        else:
            self.report(messages.UndefinedName, node, node.id)

    @property
    def _in_postponed_annotation(self) -> bool:
        return False


def strict_reader(tree: ast.AST) -> Any:
    """pyflakes' strict reading of a file."""
    return _Strict(tree)


@lru_cache(maxsize=64)
def undefined(text: str, strict: bool = False) -> frozenset[str] | None:
    """The undefined names; None where the running Python cannot parse the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<text>", "exec", dont_inherit=True)
            _Forgiving.text = text
            reader = (_Strict if strict else _Forgiving)(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError):
            return None
    if isinstance(reader, _Forgiving) and reader.in_pieces:
        return None
    found = reader.messages
    return frozenset(str(one.message_args[0]) for one in found if isinstance(one, messages.UndefinedName))

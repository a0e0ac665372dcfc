"""The names that pyflakes finds undefined in a text, where it forgives as much as it may, and where it forgives nothing."""

# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Any

from pyflakes import checker, messages

_OF_TYPES = ast.Subscript | ast.Tuple | ast.BinOp | ast.Attribute
_MAY_NOT_RUN = ast.If | ast.While | ast.IfExp | ast.Try | ast.TryStar | ast.For | ast.AsyncFor


class _Reader(checker.Checker):
    """pyflakes, but that plain pieces of formatted strings are no annotations, and that a built-in name outlives its `del`."""

    def __init__(self, tree: ast.AST) -> None:
        self.early: list[Any] = []
        super().__init__(tree)

    def JOINEDSTR(self, node: ast.AST) -> None:
        with self._enter_annotation(checker.AnnotationState.NONE):
            super().JOINEDSTR(node)

    def handleNodeLoad(self, node: Any, parent: Any) -> None:
        if getattr(node, "id", "") not in self.builtIns:
            super().handleNodeLoad(node, parent)


class _Forgiving(_Reader):
    """It also forgives strings in annotations that are no part of a type, what an error's handler defines and runs later, and what is
    deleted where that may not come to pass."""

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self._parents:
            node = self._parents[node]
            yield node

    def CONSTANT(self, node: Any) -> None:
        around = takewhile(lambda one: isinstance(one, ast.expr), self._around(node))
        if all(isinstance(one, _OF_TYPES) for one in around):
            super().CONSTANT(node)

    def report(self, messageClass: Any, *args: Any, **kwargs: Any) -> None:
        if messageClass is messages.UndefinedName:
            node, name = args
            if any(isinstance(one, ast.ExceptHandler) and one.name == name for one in self._around(node)):
                return
        super().report(messageClass, *args, **kwargs)

    def handleNodeDelete(self, node: Any) -> None:
        if not any(isinstance(one, _MAY_NOT_RUN) for one in self._around(node)):
            super().handleNodeDelete(node)


class _Strict(_Reader):
    """Without what pyflakes forgives: a name that is read at once above the function which declares it global, what is deleted under a
    condition and bound nowhere, and what is annotated and never bound, where an annotation reads it."""

    def report(self, messageClass: Any, *args: Any, **kwargs: Any) -> None:
        super().report(messageClass, *args, **kwargs)
        if messageClass is messages.UndefinedName and not self._running_deferred:
            self.early.append(self.messages[-1])

    def GLOBAL(self, node: Any) -> None:
        super().GLOBAL(node)
        place = node.lineno, node.col_offset
        self.messages += [one for one in self.early if (one.lineno, one.col) < place and one not in self.messages]

    NONLOCAL = GLOBAL

    def handleNodeDelete(self, node: Any) -> None:
        if node.id in self.scope:
            super().handleNodeDelete(node)
        else:
            self.report(messages.UndefinedName, node, node.id)

    @property
    def _in_postponed_annotation(self) -> bool:
        return False


@lru_cache(maxsize=64)
def undefined(text: str, strict: bool = False) -> frozenset[str] | None:
    """The names that are undefined; None where the running Python cannot read the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<text>", "exec", dont_inherit=True)
            found = (_Strict if strict else _Forgiving)(ast.parse(text)).messages
        except (SyntaxError, ValueError, RecursionError):
            return None
    return frozenset(str(one.message_args[0]) for one in found if isinstance(one, messages.UndefinedName))

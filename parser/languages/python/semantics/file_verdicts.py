"""The errors of a whole file, and the new ones among them: the contents of its blocks are looked up, not joined."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ....scoping import verdicts
from .blocks import Open, Segment, not_deeper, whole_before, whole_behind
from .builtin_names import builtin_names
from .contents import EMPTY, Content, Dialect, Names, Unread, joined, too_late
from .line_values import linked
from .messages import LATE_FUTURE
from .scopes import close_block, module_errors
from .sets import NONE, minus, union
from .unread_functions import compared, functions

_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*")
_HEADER_END = re.compile(r":\s*\Z")
_HEADER_LINES = 50
"""Lines of the right context searched for the rest of a header."""


@dataclass(frozen=True)
class Verdict(verdicts.Verdict):
    """The errors of a whole text, without those of unread functions."""

    unread: tuple[Unread, ...] = ()
    bound: Names | None = NONE
    """names that functions find in the file; None: any"""


@dataclass(frozen=True)
class Judge:
    """The judge of whole files for one version of Python; names: whether undefined ones count."""

    dialect: Dialect
    names: bool

    def verdict(self, block: Open, behind: Segment | None) -> Verdict:
        """The verdict on a file with these two sides."""
        dialect = self.dialect
        while block.parent is not None:
            outer = block.parent.column or 0
            if block.column is not None:
                behind = not_deeper(behind, block.column)  # a block without a header: broken
            else:
                column = behind.column if behind is not None and behind.column > outer else outer + 1
                block = Open(block.parent, block.header, column)
            rest = EMPTY
            if behind is not None and behind.column == block.column:
                rest, behind = whole_behind(behind.parts), behind.rest
            assert block.header is not None and block.parent is not None
            content = close_block(block.header, joined(whole_before(block.parts), rest), dialect)
            block = block.parent.with_content(content)
        behind = not_deeper(behind, 0)  # the same
        parts = [*reversed(list(linked(block.parts)))]
        if behind is not None:
            parts += linked(behind.parts)
        return self._module(parts)

    def newly_undefined(self, verdict: Verdict, before: Verdict) -> Names:
        """The names undefined in one version of a file and not in the other, those of unread functions included."""
        undefined = verdict.undefined - before.undefined
        if self.names and verdict.bound is not None:
            undefined |= self._undefined_in_functions(verdict, before) - before.undefined
        return undefined - self.undefined_in(before, undefined) if undefined else NONE

    def _undefined_in_functions(self, verdict: Verdict, before: Verdict) -> Names:
        """The names that unread functions no longer find, and the undefined names of functions missing or read in the other version."""
        assert verdict.bound is not None
        undefined: set[str] = set()
        bound_anywhere = verdict.bound | builtin_names(self.dialect.version)
        gone = None if before.bound is None else before.bound - verdict.bound
        for tree, bound, earlier in compared(verdict.unread, before.unread):
            if earlier is None or gone is None:
                for function, around in functions((tree,), bound):
                    content = function.content()
                    undefined |= (content.later - around - bound_anywhere) | content.gone
            elif lost := (gone | earlier) - bound - bound_anywhere:
                for function, around in functions((tree,), bound):
                    undefined |= function.reads(lost) - around
        return frozenset(undefined)

    def undefined_in(self, verdict: Verdict, names: Names) -> Names:
        """The given names undefined in unread functions."""
        if verdict.bound is None:
            return NONE
        names = names - verdict.bound
        return frozenset[str]().union(
            *(function.reads(names) - around for function, around in functions(verdict.unread) if names)
        )

    def errors_in_functions(self, verdict: Verdict) -> Names:
        return frozenset[str]().union(*(function.content().errors for function, _ in functions(verdict.unread)))

    def is_broken(self, block: Open) -> bool:
        """Whether the compiler refuses the text before a place, with any text there."""
        for around in block.outward():
            for part in linked(around.parts):
                if part.errors or (around.parent is None and part.flags and module_errors(part, self.dialect)):
                    return True
                if part.unread is not None and any(
                    function.content().errors for function, _ in functions((part.unread,))
                ):
                    return True
        return False

    def _module(self, parts: list[Content]) -> Verdict:
        """The verdict on the parts of a file; their contents are looked up, not joined."""
        star = next((number for number, part in enumerate(parts) if part.star_import), len(parts))
        undefined, bound = self._names_in(parts, star) if self.names else (NONE, None)
        unread = tuple(part.unread for part in parts if part.unread is not None)
        return Verdict(self._errors_in(parts), undefined, unread=unread, bound=bound if star == len(parts) else None)

    def _errors_in(self, parts: list[Content]) -> Names:
        """The compiler's errors in a file."""
        errors: Names = NONE
        only_future = True
        for number, part in enumerate(parts):
            errors |= part.errors
            if part.flags or part.free_nonlocals or part.nonlocals or part.depth > self.dialect.max_blocks:
                errors |= module_errors(part._replace(errors=NONE, late_future=False), self.dialect)
            if part.late_future or (part.has_future and (not only_future or (number > 0 and part.has_string))):
                errors |= {LATE_FUTURE}
            only_future = only_future and part.only_future and not (number and part.has_string)
            for declared in part.globals:
                messages = (too_late(declared, "global", earlier) for earlier in parts[:number])
                errors |= {message for message in messages if message is not None}
            if number and part.first is not None and parts[number - 1].last is not None:
                errors |= module_errors(joined(_edge(parts[number - 1]), _edge(part)), self.dialect)
        return errors

    def _names_in(self, parts: list[Content], star: int) -> tuple[Names, Names]:
        """(the undefined names, the names bound at the end of the file); star: the number of parts before the one with an `import *`."""
        undefined: set[str] = set()
        builtins = builtin_names(self.dialect.version)
        bound, spread = NONE, NONE
        for part in parts:
            spread |= part.spread
            bound = union(minus(bound, part.dels), part.binds)
        for number, part in enumerate(parts[: star + 1]):
            needs = part.needs - builtins - spread
            undefined.update(name for name in needs if not _is_found(parts, number, name))
            undefined.update(part.lost - builtins - spread, part.gone - spread)
            if star == len(parts):
                undefined.update((part.later | part.noted) - builtins - spread - bound)
        return frozenset(undefined), union(bound, spread)


def end_of_cut_header(right: str) -> int | None:
    """The end of the line that ends a header begun before the right context; None if there seems to be none."""
    depth, lowest = 0, 1  # of brackets; the number open at the beginning is unknown
    end = 0
    for _ in range(_HEADER_LINES):
        begin, end = end, right.find("\n", end) + 1
        if not end:
            break
        line = _QUOTED.sub("", right[begin:end])
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        if depth < lowest and depth <= 0 and _HEADER_END.search(line):
            return end
        lowest = min(lowest, depth)
    return None


def _edge(part: Content) -> Content:
    return Content(first=part.first, last=part.last, size=1)


def _is_found(parts: list[Content], number: int, name: str) -> bool:
    """Whether a name is bound before a part, or an except clause in the next part catches the error."""
    for earlier in reversed(parts[:number]):
        if name in earlier.binds:
            return True
        if name in earlier.dels:
            return False
    last = parts[number].last
    if last is None or name not in last.guarded or number + 1 == len(parts):
        return False
    first = parts[number + 1].first
    return first is not None and first.kind == "except" and first.catches_names

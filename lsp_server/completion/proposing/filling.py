"""Filling a hole by the model: the code as the model should see it, and the constraints besides the hole's grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....common.line_ends import with_line_feeds
from .headers import as_header, at_column
from .placeholders import without_placeholders

if TYPE_CHECKING:
    from ....common.constraint import Constraint
    from ....model import Completion, Model, Options
    from ....parser import Hole
    from .imports import Watch

ALTERNATIVES_MS = 500.0
"""The time from a request's start up to which a further text may begin, if the texts have no time of their own."""


def fill(
    hole: Hole,
    left: str,
    right: str,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool] = lambda: False,
    on_text: Callable[[str], None] | None = None,
    watch: Watch | None = None,
) -> Completion:
    """Let the model fill a hole; it sees the text with \\n line ends, as in its training."""
    from ....model import Completion, NoConstraint, complete

    constraint = hole.state
    if constraint is None:
        if options.mode == "constrained":
            return Completion("", 0, "nothing", False, 0.0, 0.0, 0.0)
        constraint = NoConstraint(complete=False)
    left, right = with_line_feeds(left), with_line_feeds(right)
    constraint = _of_line(hole, constraint, left, right, options, watch)
    return complete(model, constraint, left, right, options, cancelled=cancelled, on_text=on_text)


def fill_several(
    hole: Hole,
    left: str,
    right: str,
    model: Model,
    options: Options,
    n: int,
    cancelled: Callable[[], bool] = lambda: False,
    watch: Watch | None = None,
    on_text: Callable[[str], None] | None = None,
) -> list[Completion]:
    """Let the model fill a hole in up to n ways, best first; in one way unless in constrained mode."""
    from ....model import candidates

    if n == 1 or hole.state is None or options.mode != "constrained":
        return [fill(hole, left, right, model, options, cancelled, on_text, watch)]
    left, right = with_line_feeds(left), with_line_feeds(right)
    budget_ms = max(ALTERNATIVES_MS, options.looks_ms)
    constraint = _of_line(hole, hole.state, left, right, options, watch)
    return candidates(
        model, constraint, left, right, options, n, budget_ms=budget_ms, cancelled=cancelled, on_text=on_text
    )


def _of_line(
    hole: Hole, constraint: Constraint, left: str, right: str, options: Options, watch: Watch | None
) -> Constraint:
    """The constraint on the requested text: to stay in the cursor's column, and if one line is requested, to be a line. watch: sees all of
    it."""
    from ....parser.language import traits

    headers = traits(options.language).headers
    if options.max_lines == 0 and headers:
        constraint = as_header(constraint, left, right, headers)
    if hole.state is not None and hole.state.region == "code":
        constraint = at_column(constraint, left, right)
        if options.fullest:
            constraint = without_placeholders(constraint, left)
    return constraint if watch is None else watch.over(constraint)

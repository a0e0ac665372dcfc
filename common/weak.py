"""References that keep nothing alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar
from weakref import WeakMethod

Given = ParamSpec("Given")
Result = TypeVar("Result")


def weakly(method: Callable[Given, Result]) -> Callable[Given, Result]:
    """A method for a part of its object: the object in a cycle would wait for a full collection, in which every thread stands still.

    Who calls it has to keep the object.
    """
    reference = WeakMethod(method)

    def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        living = reference()
        assert living is not None, "the object of the method is gone"
        return living(*args, **kwargs)

    return call

"""Strings in annotations: those that name types, and others."""

import itertools

import pytest
from suture.parser import language

_IMPORTS = """\
import typing
import typing as t
import jaxtyping as jt
import numpy as np
from collections import abc
from typing import Annotated, Annotated as An, Callable, List, Optional, Sequence, Union
from typing_extensions import Literal as L
from jaxtyping import Float
from fastapi import Query
from nptyping import NDArray, Shape

Lit = typing.Literal
def unit(*of, **named): ...
"""
_NAMING_NOTHING = (
    "Float[np.ndarray, {}]",
    "jt.Float[np.ndarray, {}]",
    "Optional[Float[np.ndarray, {}]]",
    "list[Float[np.ndarray, {}]] | None",
    "NDArray[Shape[{}], int]",
    "L[{}]",
    "L['a', {}]",
    "Lit[{}]",
    "typing.Literal[{}]",
    "Optional[t.Literal[{}]]",
    "Annotated[int, {}]",
    "An[int, {}]",
    "t.Annotated[int, unit(1), {}]",
    "Annotated[int, unit({})]",
    "{{{}: 1}}",
    "{{'a': {}}}",
    "[{}]",
    "unit({})",
    "unit(int, of={})",
    "Query({})",
    "('model name', 'option', {})",
    "unit()[{}]",
)
_NAMING_TYPES = (
    "{}",
    "{} | None",
    "list[{}]",
    "List[{}]",
    "dict[str, {}]",
    "Optional[{}]",
    "t.Optional[{}]",
    "Union[int, {}]",
    "Sequence[Optional[{}]]",
    "abc.Mapping[{}, int]",
    "Callable[..., {}]",
    "Annotated[{}, 'unit']",
)
_PLACES = (
    "def f(x: |): ...\n",
    "def f(a, *x: |, b=1): ...\n",
    "def f() -> |: ...\n",
    "x: |\n",
    "x: | = None\n",
    "class A:\n    x: | = None\n",
    "class A:\n    def f(self, x: |): ...\n",
    "async def f(x: int = 1, *, y: |) -> None: ...\n",
)


def _takes(left: str, middle: str, right: str, *, exact: bool) -> bool:
    state = language("python").hole(left, right, level="names", exact=exact).state
    for char in middle:
        state = state.advance(char) if state is not None else None
    return state is not None and state.complete


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("place", _PLACES)
def test_only_strings_that_are_types_name_anything(place: str, exact: bool) -> None:
    left, right = (_IMPORTS + place).split("|", 1)
    for form, names in itertools.chain(
        ((form, False) for form in _NAMING_NOTHING), ((form, True) for form in _NAMING_TYPES)
    ):
        before, behind = (
            (part.format() for part in form.split("{}", 1)) if "{{" not in form else form.format("\0").split("\0")
        )
        for string, taken in (("'red'", not names), ("'n m'", not names), ("'int'", True)):
            if string == "'n m'" and names:
                continue  # a syntax error in an annotation that nobody evaluates
            assert _takes(left + before, string, behind + right, exact=exact) == taken, (place, form, string)
            assert _takes(left, before + string + behind, right, exact=exact) == taken, (place, form, string)

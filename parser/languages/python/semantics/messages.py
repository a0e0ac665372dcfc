"""The messages of errors found in two ways: in the line in progress, and in the code around it."""

from __future__ import annotations

OUTSIDE = {
    "return": "'return' outside function",
    **dict.fromkeys(("yield", "yield from"), "'yield' outside function"),
    "await": "'await' outside async function",
    "async for": "'async for' outside async function",
    "async with": "'async with' outside async function",
    "async comprehension": "asynchronous comprehension outside of an asynchronous function",
    "break": "'break' outside loop",
    "continue": "'continue' not properly in loop",
}
"""The errors of statements and expressions outside of a function or a loop, by their flags."""
YIELD_FROM = "'yield from' inside async function"
YIELD_IN_COMPREHENSION = "'yield' inside a comprehension"
STARRED = "can't use starred expression here"
ASSIGNS_DEBUG, DELETES_DEBUG = "cannot assign to __debug__", "cannot delete __debug__"
WALRUS_IN_ITERABLE = "assignment expression cannot be used in a comprehension iterable expression"
WALRUS_IN_CLASS = "assignment expression within a comprehension cannot be used in a class body"
LATE_FUTURE = "from __future__ imports must occur at the beginning of the file"
STAR_IMPORT = "import * only allowed at module level"
NONLOCAL_IN_MODULE = "nonlocal declaration not allowed at module level"
TOO_DEEP = "too many statically nested blocks"


def no_feature(name: str) -> str:
    return f"future feature {name} is not defined"


def duplicate_argument(name: str) -> str:
    return f"duplicate argument {name!r} in function definition"


def parameter_and(name: str, word: str) -> str:
    """word: "global" or "nonlocal"."""
    return f"name {name!r} is parameter and {word}"


def no_nonlocal(name: str) -> str:
    return f"no binding for nonlocal {name!r} found"


def walrus_rebinds(name: str) -> str:
    return f"assignment expression cannot rebind comprehension iteration variable {name!r}"


def loop_rebinds(name: str) -> str:
    return f"comprehension inner loop cannot rebind assignment expression target {name!r}"


def expression_within(where: str) -> str:
    return f"expression cannot be used within {where}"


def given_twice(owner: str, name: str) -> str:
    return f"{owner} gets its argument {name!r} twice"


def no_keyword(owner: str, name: str) -> str:
    return f"{owner} takes no keyword argument {name!r}"

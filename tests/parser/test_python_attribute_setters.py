"""Attributes set by other means than an assignment: running code is accepted, in each possible place."""

import itertools
from pathlib import Path

import pytest
from suture.parser import language
from suture.parser.languages.python.semantics.modules import modules_for

_SETTERS = (
    "object.__setattr__({o}, 'x', 1)",
    "object.__setattr__({o}, name, 1)",
    "{o}.__setattr__('x', 1)",
    "{o}.__setattr__(name, 1)",
    "super(A, {o}).__setattr__('x', 1)",
    "setattr({o}, 'x', 1)",
    "{o}.__dict__['x'] = 1",
    "{o}.__dict__.update(x=1)",
    "{o}.__dict__.update({{'x': 1}})",
    "{o}.__dict__ |= {{'x': 1}}",
    "{o}.__dict__.setdefault('x', 1)",
    "vars({o})['x'] = 1",
    "vars({o}).update(x=1)",
    "put({o}, 'x', 1)",
    "(object.__setattr__)({o}, 'x', 1)",
    "[object.__setattr__({o}, key, 1) for key in ('x', 'y')]",
    "for key in 'x', 'y': setattr({o}, key, 1)",
    "for key in 'x', 'y': {o}.__dict__[key] = 1",
    "list(map(partial(object.__setattr__, {o}), ['x'], [1]))",
)
_HEAD = "from functools import partial\nput = object.__setattr__\nname = 'x'\n"
_CLASSES = (
    "class A:\n    def __init__(self):\n        {self}\n    def f(self):\n        return ¦self.\n        return 0\nA().f()\n",
    "class A:\n    def __init__(self):\n        if name:\n            {self}\nprint(¦A().)\n",
    "class A:\n    def __init__(this):\n        {this}\nclass B(A):\n    def f(self):\n        return ¦self.\nB().f()\n",
    "class A:\n    def f(self):\n        return ¦self.\n    def __init__(self):\n        {self}\nA().f()\n",
    "class A:\n    pass\na = A()\n{a}\nprint(¦a.)\n",
    "class A:\n    def f(self):\n        {self}\n        return ¦self.\nA().f()\n",
)
_SLOTS = (
    "('x',)", "('x', 'y')", "['x']", "'x'", "{'x'}", "'x', 'y'", "('y', 'x', '__weakref__')", "('x', '__dict__')",
    "{'x': 'what it is'}", "(*more,)", "more", "more + ('x',)", "tuple(more)", "'x y'.split()", "[name for name in more]",
)  # fmt: skip
_CLOSED = 8
"""The first of these list all attributes."""
_SLOTTED = (
    "class A:\n    __slots__ = {s}\n    def f(self):\n        return ¦self.\n",
    "class A:\n    __slots__: object = {s}\n    def f(self):\n        return ¦self.\n",
    "class A:\n    if 1:\n        __slots__ = {s}\n    def f(self):\n        return ¦self.\n",
    "class A:\n    __slots__ = {s}\nclass B(A):\n    __slots__ = ()\n    def f(self):\n        return ¦self.\n",
    "class A:\n    __slots__ = {s}\na = A()\nprint(¦a.)\n",
    "class A:\n    __slots__ = {s}\ndef f(a: A):\n    return ¦a.\n",
    "class A:\n    __slots__ = {s}\nprint(¦A.)\n",
)


def _takes(text: str, attribute: str, *, exact: bool) -> bool:
    """Whether an attribute is accepted behind the dot at the end of a marked line."""
    begin = text.index("¦")
    end = text.index(".", begin)
    left, right = text[:begin] + text[begin + 1 : end + 1], text[end + 1 :]
    imports = modules_for(None, (3, 11), at_once=True)
    state = language("python").hole(left, right, level="names", exact=exact, imports=imports).state
    for char in attribute:
        state = state.advance(char) if state is not None else None
    return state is not None and state.complete


@pytest.mark.parametrize("setter", _SETTERS)
def test_an_attribute_that_is_set_in_another_way_is_taken(setter: str) -> None:
    for text in _CLASSES:
        whole = _HEAD + text.format(**{name: setter.format(o=name) for name in ("self", "this", "a")})
        begin = whole.index("¦")
        end = whole.index(".", begin)
        exec(
            compile(whole[:begin] + whole[begin + 1 : end + 1] + "x" + whole[end + 1 :], "<text>", "exec"),
            {"print": str},
        )
        for exact in (True, False):
            assert _takes(whole, "x", exact=exact), (whole, exact)


@pytest.mark.parametrize("slots", _SLOTS)
def test_slots_are_attributes(slots: str) -> None:
    closed = _SLOTS.index(slots) < _CLOSED
    for text, exact in itertools.product(_SLOTTED, (True, False)):
        whole = "more = ('x',)\n" + text.format(s=slots)
        assert _takes(whole, "x", exact=exact), (whole, exact)
        assert _takes(whole, "zzq", exact=exact) != closed, (whole, exact)


@pytest.mark.parametrize("bases", ["Mixin, Other", "Other, Mixin", "Mixin, Lower"])
def test_a_mixin_reads_what_its_siblings_have(bases: str) -> None:
    text = f"""\
class Mixin:
    def go(self):
        return ¦self.
class Other:
    kind = 1
    def helper(self):
        self.made = 1
class Lower(Other):
    low = 1
class Whole({bases}):
    own = 1
"""
    for name in ("helper", "kind", "made", "own", "go"):
        assert _takes(text, name, exact=True) and _takes(text, name, exact=False), name
    assert _takes(text, "low", exact=True) == ("Lower" in bases)
    assert not _takes(text, "zzq", exact=True) and not _takes(text, "zzq", exact=False)


@pytest.mark.parametrize("bases", ["Mixin, Unknown", "unknown.Base, Mixin"])
def test_a_mixin_of_something_unknown_may_read_anything(bases: str) -> None:
    text = f"import unknown\nfrom unknown import Unknown\nclass Mixin:\n    def go(self):\n        return ¦self.\nclass Whole({bases}): ...\n"
    assert _takes(text, "zzq", exact=True) and _takes(text, "zzq", exact=False)


def test_what_a_setter_does_not_concern_stays_known() -> None:
    text = "class A:\n    def __init__(self):\n        object.__setattr__(self, 'x', 1)\nclass B:\n    def f(self):\n        return ¦self.\n"
    assert not _takes(text, "zzq", exact=True)
    assert _takes(text, "f", exact=True)


def test_a_module_that_fills_its_names_by_vars_may_have_any(tmp_path: Path) -> None:
    (tmp_path / "filled.py").write_text("for name in ('one', 'two'):\n    vars()[name] = 1\n")
    imports = modules_for(tmp_path / "main.py", (3, 11), at_once=True)
    state = language("python").hole("from filled import ", "\n", level="names", exact=True, imports=imports).state
    after = None if state is None else state.advance("one")
    assert after is not None and after.complete

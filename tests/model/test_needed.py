"""Unbound names read by the code behind the cursor."""

from __future__ import annotations

import ast
import statistics
import time
from functools import partial
from pathlib import Path
from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.common.line_ends import with_line_feeds
from suture.model.name_lm import words
from suture.model.name_lm.needed import needed_names
from suture.model.name_lm.words import read_words

from ..support.work import calls


def needed_at(left: str, right: str) -> list[str]:
    """The unbound names read by the function behind the cursor."""
    left, right = with_line_feeds(left), with_line_feeds(right)
    return words._needed(left, right, *words._bounds(left, right, words._indent_below(right)))


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ("def total(numbers):\n    ", "\n    for number in numbers:\n        total += number\n    return total\n", []),
        (
            "def add(numbers):\n    ",
            "\n    for number in numbers:\n        total += number\n    return total\n",
            ["total"],
        ),
        ("def add(numbers):\n    total = 0\n    ", "\n        total += number\n    return total\n", ["number"]),
        ("def first(pairs):\n    ", "\n        yield key, value\n", ["key", "value"]),
        ("", "\n\ndef read(path):\n    return json.loads(path.read_text())\n", ["json"]),
        ("import json\n", "\n\ndef read(path):\n    return json.loads(path.read_text())\n", []),
        (
            "from json import (\n    dumps,\n    loads,\n)\n\ndef f(x):\n    ",
            "\n    return loads(x), load(x)\n",
            ["load"],
        ),
        ("from json import *\n\ndef f(x):\n    ", "\n    return loads(x)\n", []),
        ("def f(x):\n    ", "\n    return helper(x)\n\n\ndef helper(x):\n    return x\n", []),
        ("def f(x):\n    ", "\n    return LIMIT\n\n\nLIMIT: int = 3\n", []),
        ("def f(x):\n    ", "\n    return [one for one in found if one is not x]\n", ["found"]),
        ("def f(x):\n    ", "\n    return sorted(found, key=lambda one: one.size, reverse=True)\n", ["found"]),
        ("def f(x):\n    ", "\n    with open(path) as file:\n        return file.read()\n", ["path"]),
        ("def f(x):\n    ", "\n    found = found + [x]\n    return found\n", ["found"]),
        ("def f(x):\n    ", '\n    print("words that nobody binds")  # and here\n', []),
        ("def f(x):\n    ", '\n    print(f"{name!r}: {x:{width}}")\n', ["name", "width"]),
        ("def f(x):\n    ", "\n    return x.name\n", []),
        ("def f(x):\n    ", "\n    return नाम, हिन्दी\n", ["नाम", "हिन्दी"]),
        ("import हिन्दी\n\ndef f(नाम):\n    ", "\n    for दिन in नाम:\n        print(दिन, हिन्दी)\n", []),
        ("def f():\n    'The mean of it.'\n    ", "\n    return mean\n", ["mean"]),
        ("def g():\n    mean = 1\n    return mean\n\n\ndef f():\n    ", "\n    return mean\n", ["mean"]),
        ("def outer():\n    limit = 1\n    def f():\n        ", "\n        return limit\n", []),
        (
            "def other():\n    limit = 1\n\n\nclass A:\n    def f(self):\n        ",
            "\n        return limit\n",
            ["limit"],
        ),
        ("def f():\n    ", "\n    return g(size=size, total=1)\n", ["g", "size"]),
        ("def f():\n    ", "\n    if total: count += 1\n", ["total", "count"]),
        ("def f():\n    ", "\n    print(f'{alpha=}')\n", ["alpha"]),
        (
            "def f():\n    ",
            "\n    from json import (\n        loads,\n        dumps,\n    )\n    return loads, dumps\n",
            [],
        ),
        ("try:\n    LIMIT = 1\nexcept OSError:\n    LIMIT = 2\n\ndef f():\n    ", "\n    return LIMIT\n", []),
        ("def g():\n    global STATE\n    STATE = 1\n\ndef f():\n    ", "\n    return STATE\n", []),
        ("@dataclass\nclass A:\n    ", "\n    size: int\n    area: int = size\n", []),
        ('def f():\n    """Says\n    ', '\n    how it is.\n    """\n    return mean\n', []),
        ("def f():\n    try:\n        ", "\n    except OSError as error:\n        print(error)\n", []),
    ],
)
def test_what_is_read_below_and_bound_nowhere_is_needed(left: str, right: str, wanted: list[str]):
    found = [one for one in read_words(left, right).names.values() if one.needed]
    assert [one.text for one in sorted(found, key=lambda one: -one.needed)] == wanted


def test_of_finished_code_hardly_a_line_is_needed_that_is_there():
    """In the standard library's `statistics`, with a line taken out: the needed names are in that line."""
    tree = ast.parse(Path(statistics.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    lines = ast.unparse(tree).split("\n")
    wrong = right = 0
    for at, line in enumerate(lines):
        words = read_words("\n".join(lines[:at]) + "\n", "\n" + "\n".join(lines[at + 1 :]))
        needed = [one.text for one in words.names.values() if one.needed]
        wrong += any(name not in line for name in needed)
        right += any(name in line for name in needed)
    assert wrong <= 0.06 * len(lines) and right >= 0.2 * len(lines), (wrong, right, len(lines))


_ODD = st.text(alphabet="abn =:()[]\n'\"{}f#,.\\", max_size=60)


@given(_ODD, _ODD, _ODD, _ODD)
def test_any_text_is_read(function: str, around: str, right: str, rest: str):
    needed = needed_names(function, around, right, rest)
    assert len(set(needed)) == len(needed) and all(name.isidentifier() and name in right for name in needed)


@pytest.mark.parametrize(
    "right",
    [
        "for" + " " * 3000 + "x",
        "a" * 3000,
        "for " * 750,
        "a, " * 1000,
        "lambda " * 428,
        "(" * 3000,
        "\n".join("x = [" + "total(0), " * 30 for _ in range(300)),
        "\n" + " " * 100_000 + "x",
    ],
    ids=range(8),
)
def test_odd_lines_take_little_time(right: str):
    started = time.process_time()
    for around in ("", "DATA = [" + "total(0), a, " * 1000 + "]\n", "a" * 3000 + "\n"):
        needed_at(around + "def f():\n    ", "\n    " + right + "\n    total + a + y\n")
    assert time.process_time() - started < 2.0  # each took longer alone, or did not end


@pytest.mark.parametrize(
    ("function", "right"),
    [
        ("def f():\n", "import (\n" + "\n" * 100_000 + "total\n"),
        ("def f(\n" + "    # total\n" * 20_000, "    total\n"),
        ("import (\n" + "\n" * 100_000 + "total\n", "    total\n"),
    ],
    ids=range(3),
)
def test_brackets_that_stay_open_take_little_time(function: str, right: str):
    started = time.process_time()
    needed_names(function, "", right, "")
    assert time.process_time() - started < 2.0  # each took more than 6 s


def test_names_that_stand_in_every_line_are_looked_up_once():
    names = ", ".join(ascii_letters)
    for line in (f"    {ascii_letters} = 1\n", f"    {names} = 1\n"):
        around = line * 1000
        work = partial(needed_names, "def g():\n", around, f"    print({names})\n", f"{around}\n{names} = 1\n")
        count, needed = calls(work)
        assert needed == [] and count < 30_000  # not for each name in each line


@pytest.mark.parametrize(
    ("around", "wanted"),
    [
        ("if x:\n\n    size = 1\n", []),
        ("if x:\n# why\n    y = 1\n)\n    size = 1\n", []),
        ("if x:\n" + "    y = 1\n" * 199 + "    size = 1\n", []),
        ("if x:\n" + "    y = 1\n" * 200 + "    size = 1\n", ["size"]),  # too far above
        ("if x:\n    y = 1\nwhat(\n    size = 1\n", ["size"]),
        ("def g():\n    size = 1\n", ["size"]),
        ("def g():\n    size,\n", []),
        ("x.size = 1\n", ["size"]),
    ],
    ids=range(8),
)
def test_what_blocks_of_the_module_bind_is_not_needed(around: str, wanted: list[str]):
    assert needed_names("def f():\n", around, "    print(size)\n", "") == wanted


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("if x:\n\n    LIMIT = 1\n\ndef f():\n    ", "\n\n    return LIMIT, size\n"),
        ("def f(\n    a,\n    b,\n):\n    ", "\n\n    return a, c, 'd \\\n    e'\n\n\nc = 1\n"),
        ("from a import (\n    c,\n)\ndef f(a, b):  # it\n    print(a)\n    ", "\n\n    # it\n    return c + d\n"),
    ],
)
def test_line_ends_make_no_difference(left: str, right: str, end: str):
    other = left.replace("\n", end), right.replace("\n", end)
    assert needed_at(*other) == needed_at(left, right)
    assert read_words(*other) == read_words(left, right)

"""Cells of notebooks as Python, and the freedoms of their semantics."""

import pytest
from suture.parser import Level, language
from suture.parser.languages.python.notebooks import cell_as_python

MAGICS_OF_PYTHON = ("time", "timeit -n 3", "capture out", "prun", "debug")
OTHER_MAGICS = ("bash", "sh", "html", "javascript", "js", "latex", "markdown", "perl", "ruby", "svg", "sql", "writefile a.py", "script sh", "cython", "R", "")  # fmt: skip


@pytest.mark.parametrize("blank", ["", "\n", "  \n\n"])
def test_cells_of_other_languages_are_none_of_python(blank: str) -> None:
    for magic in OTHER_MAGICS:
        assert cell_as_python(f"{blank}%%{magic}\nfor f in *.py; do\ndone\n", False) is None, magic
    for magic in MAGICS_OF_PYTHON:
        text = f"{blank}%%{magic}\nx = 1\n"
        code = cell_as_python(text, False)
        assert code is not None and len(code) == len(text) and code.endswith("\nx = 1\n"), magic
        state = language("python").hole(code, "").state
        assert state is not None and state.complete


@pytest.mark.parametrize(
    "text",
    [
        "%matplotlib inline\nimport math\n",
        "!pip install numpy\nimport math\n",
        "import math\nif math:\n    !ls\n    %cd ..\n",
        "files = !ls -la\nimport math\n",
        "a, b = %time f()\nimport math\n",
        "math?\nimport math\nmath.sin??\n?math\n",
        "%%time\nimport math\n%env X=1\n",
    ],
)
def test_a_cell_with_magics_still_binds_names_for_those_below(text: str) -> None:
    code = cell_as_python(text, True)
    assert code is not None
    state = language("python").hole(code + "print(", ")\n", level="names", exact=True).state
    after = None if state is None else state.advance("math")
    assert after is not None and after.complete, code


@pytest.mark.parametrize("level", ["compile", "names"])
@pytest.mark.parametrize(
    ("text", "at_top"),
    [
        ("await f()", True),
        ("x = await f()", True),
        ("x = [await f() for y in d]", True),
        ("x = [y async for y in d]", True),
        ("async for x in d: pass", True),
        ("async with f() as x: pass", True),
        ("def g(): await f()", False),
        ("x = lambda: await f()", False),
        ("class A: x = await f()", False),
        ("yield 1", False),
        ("return 1", False),
    ],
)
def test_a_notebook_awaits_at_its_top(text: str, at_top: bool, level: Level) -> None:
    left = "async def f(): ...\nd = f()\n"
    for path, taken in (("/nowhere/a.ipynb", at_top), ("/nowhere/a.py", False), (None, False)):
        for exact in (True, False):
            state = language("python").hole(left, "\n", level=level, exact=exact, path=path).state
            after = None if state is None else state.advance(text)
            assert (after is not None and after.complete) == taken, (path, exact)


@pytest.mark.parametrize(
    ("left", "middle", "right"),
    [
        ("class A(", "B", "): ...\nclass B: ...\n"),
        ("", "Alias = list[Later]", "\nclass Later: ...\n"),
        ("class Pool:\n    @classmethod\n    def create(cls) -> ", "Pool", ": ...\n"),
        ("class A:\n    x: ", "y", "\n    y = int\n"),
        ("def f(x=", "later", "): ...\nlater: int\n"),
        ("@", "later", "\ndef f(): ...\ndef later(f): ...\n"),
        ("if ", "later", ":\n    x = 1\nlater: bool\nlater = True\n"),
        ("x = [", "later", " for _ in ()]\nlater = 1\n"),
        ("class A:\n    def f(self) -> ", "B", ": ...\n    class B: ...\n"),
    ],
)
def test_stubs_see_what_is_bound_below(left: str, middle: str, right: str) -> None:
    def taken(middle: str, path: str, exact: bool) -> bool:
        state = language("python").hole(left, right, level="names", exact=exact, path=path).state
        for char in middle:
            state = state.advance(char) if state is not None else None
        return state is not None and state.complete

    for exact in (True, False):
        assert taken(middle, "/nowhere/a.pyi", exact)
        assert not taken(middle.replace(middle[-1], "zzq"), "/nowhere/a.pyi", exact)
        assert not taken(middle, "/nowhere/a.py", exact)

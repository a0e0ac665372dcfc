"""Names in class bodies, judged by running the code in each version of Python: it raises a NameError or does not."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import textwrap

import pytest
from suture.parser import Language, language
from suture.parser.languages.python.versions import VERSIONS

from ..support import oracles

_READS = ("own", "free", "local", "missing", "__qualname__", "__module__", "__firstlineno__", "__type_params__")
"""A class variable, a global name, one of the function around, if there is one, and the implicit names of classes."""
_POSITIONS = (
    "x = {r}",
    "x = [{r}]",
    "x = f'{{{r}}}'",
    "x = [{r} for _ in 'a']",
    "x = [_ for _ in str({r})]",
    "x = [_ for _ in 'a' for _ in str({r})]",
    "x = [_ for _ in 'a' if {r}]",
    "x = {{{r}: 1 for _ in 'a'}}",
    "x = {{1: {r} for _ in 'a'}}",
    "x = {{{r} for _ in 'a'}}",
    "x = list({r} for _ in 'a')",
    "x = list(_ for _ in str({r}))",
    "x = [[{r}] for _ in 'a']",
    "x = [[{r} for _ in 'a'] for _ in 'a']",
    "x = [[_ for _ in str({r})] for _ in 'a']",
    "x = [_ for _ in [{r} for _ in 'a']]",
    "x = [_ for _ in [_ for _ in str({r})]]",
    "x = [own for own in 'a' if {r}]",
    "x = [own for _ in 'a' for own in str({r})]",
    "x = [f'{{{r}}}' for _ in 'a']",
    "x = (lambda: {r})()",
    "x = (lambda y={r}: y)()",
    "x = [(lambda: {r})() for _ in 'a']",
    "x = (lambda: [_ for _ in str({r})])()",
    "x = 1 if {r} else 2",
    "def f(self, y={r}): ...",
    "@(lambda y: lambda f: f)({r})\ndef f(self): ...",
    "def f(): return {r}\nf()",
    "class Inner:\n    x = {r}",
    "class Inner:\n    x = [{r} for _ in 'a']",
    "if [{r} for _ in 'a']: pass",
    "for x in str({r}): pass",
    "for x in [{r} for _ in 'a']: pass",
    "print(*[{r} for _ in 'a'], end='')",
)
_CLASSES = (
    "class A:\n    own = 1\n",
    "class A:\n    if 1:\n        own = 1\n",
    "class A:\n    for own in 'a':\n        pass\n",
    "class A:\n    def own(self): ...\n",
)
_PLACES = ("{0}", "def g():\n    local = 2\n{1}g()\n", "if 1:\n{1}", "class Outer:\n    local = 3\n{1}")
_RUN = """
import contextlib, io, json, sys
for line in sys.stdin:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(json.loads(line), "<text>", "exec"), {"__name__": "m"})
        print(1)
    except NameError:
        print(0)
    except Exception as error:
        print(type(error).__name__)
"""


def _texts(rng: random.Random, count: int) -> list[tuple[str, str, str]]:
    """(left, name, right) of files that read a name in a class."""
    mark = "\0"
    found: list[tuple[str, str, str]] = []
    forms = list(itertools.product(_CLASSES, _POSITIONS, _PLACES, _READS))
    for header, position, place, name in rng.sample(forms, count):
        body = header + textwrap.indent(position.format(r=mark), "    ") + "\n"
        text = "free = 4\n" + place.format(body, textwrap.indent(body, "    "))
        left, right = text.split(mark)
        found.append((left, name, right))
    return found


def _ran(version: str, texts: list[str]) -> list[str]:
    path = oracles.interpreter(version)
    if path is None:
        pytest.skip(f"there is no Python {version} here")
    asked = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(
        [path, "-I", "-c", _RUN], input=asked, capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.split()


def _takes(of: Language, left: str, middle: str, right: str, *, exact: bool) -> bool:
    state = of.hole(left, right, level="names", exact=exact).state
    after = None if state is None else state.advance(middle)
    return after is not None and after.complete


@pytest.mark.parametrize("version", VERSIONS)
def test_names_in_classes_are_those_that_running_code_finds(version: str) -> None:
    texts = _texts(random.Random(version), 120)
    verdicts = _ran(version, [left + name + right for left, name, right in texts])
    of = language("python", version)
    assert len(verdicts) == len(texts)
    for (left, name, right), verdict in zip(texts, verdicts, strict=True):
        if verdict not in ("0", "1"):
            continue  # the version does not know such a decorator, or the failure has nothing to do with names
        for exact in (True, False):
            assert _takes(of, left, name, right, exact=exact) == (verdict == "1"), (left, name, right, exact)
        assert _takes(of, "", left + name + right, "", exact=True) == (verdict == "1"), left + name + right


@pytest.mark.parametrize("text", ["[own for ", "[_ for _ in 'a' if own ", "[_ for _ in 'a' for _ in own "])
def test_what_a_comprehension_does_not_see_is_refused_while_it_is_typed(text: str) -> None:
    state = language("python").hole("class A:\n    own = 1\n    x = ", "\n", level="names").state
    assert state is not None and state.advance(text[: text.index("own")]) is not None
    after = state.advance(text)
    assert after is None or state.advance(text + "_ in 'a']") is None

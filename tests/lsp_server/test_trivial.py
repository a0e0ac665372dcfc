"""Nearly empty texts are not shown, and texts people write are."""

import random

import pytest
from suture.lsp_server.completion.judging.repetition import says_nothing
from suture.lsp_server.completion.judging.thoughts import calls_itself
from suture.lsp_server.completion.judging.trivial import says_too_little
from suture.lsp_server.completion.judging.unlikely import is_unlikely
from suture.parser.language import traits

from ..support.oracle_python import stdlib_sources
from ..support.places import cursor_at


@pytest.mark.parametrize(
    ("marked", "text", "little"),
    [
        ("def f():\n    |\n", "#", True),
        ("x = 1  |\n", "#", True),
        ("x = 1  |\n", "# one", False),
        ("def f():\n    return |\n", "()", True),
        ("x = |\n", "()", True),
        ("x = f|\n", "()", False),
        ("x = f(1)|\n", "()", False),
        ("x = |\n", "[]", False),
        ("parser.add_argument|\n", '("")', True),
        ("parser.|\n", 'add_argument("")', True),
        ("parser = ArgumentParser(|)\n", 'description=""', True),
        ("parser = ArgumentParser(|)\n", "prog='a', description=''", True),
        ("print(x, |)\n", 'end=""', False),
        ('f(title="")\ng(|)\n', 'title=""', False),  # so does the file
        ("def f(|\n", 'title=""):', False),  # a default
        ("x = y.replace('-', |\n", '"")', False),
        ("x = y.replace|\n", '("-", "")', False),
        ("x = |\n", '"".join(y)', False),
        ("f('')|\n", ".strip()", False),  # the user has written it
        ("import json\na = json.load(x)\nb = |\n", "json.load", True),
        ("import json\na = json.load(x)\nb = js|\n", "on.load", True),
        ("import json\na = json.load(x)\ndef f():\n    return |\n", "json.load", True),
        ("import json\na = json.load(x)\nb = |\n", "json.load(y)", False),
        ("import json\na = json.load(x)\nb = |(y)\n", "json.load", False),
        ("import json\na = json.load(x)\nf(|)\n", "json.load", False),  # it may well be passed on
        ("import json\nread = json.load\nb = |\n", "json.load", False),
        ("import json\na = json.loads(x)\nb = |\n", "json.load", False),
        ("import sys\na = sys.argv[1]\nb = |\n", "sys.argv", False),
        ("a = self.load(x)\nb = |\n", "self.load", False),
        ("x = 1\n|\n", '""""""', True),
        ("x = 1|\n", "\n\n''''''", True),
        ("def f(a):\n    return |\n", "f", True),
        ("def f(a):\n    ret|\n", "urn f", True),
        ("async def fetch(a):\n    |\n", "return await fetch", True),
        ("async def fetch(a):\n    b = a\n    return await f|\n", "etch", True),
        ("function f(a) {\n  return |\n}\n", "f", True),
        ("def f(a):\n    return |\n", "f(a - 1)", False),
        ("def f(a):\n    def g(): ...\n    return |\n", "g", False),
        ("def f(f):\n    return |\n", "f", False),
        ("def f(a):\n    f = a\n    return |\n", "f", False),
        ("def f(a):\n    g(a)\nreturn |\n", "f", False),
        ("class A:\n    def f(self):\n        return self.|\n", "f", False),
    ],
)
def test_a_text_that_says_next_to_nothing(marked: str, text: str, little: bool) -> None:
    assert says_too_little(cursor_at(marked, "|"), text, text) is little


@pytest.mark.parametrize(
    ("left", "said", "again"),
    [
        ("def area(width, height):\n    ", "return area(width, height)", True),
        ("def area(width: int, height=1) -> int:\n    return ", "area(width, height)", True),
        ('def area(width):\n    """The area."""\n    ', "return area(width)", True),
        ("class A:\n    def area(self, width):\n        return ", "self.area(width)", True),
        ("async def area(width):\n    ", "return await area(width)", True),
        ("class A:\n    def area(self):\n        return ", "area(self)", False),  # a function of the module
        ("def fact(n):\n    return ", "fact(n - 1)", False),
        ("def area(width):\n    width += 1\n    return ", "area(width)", False),  # who knows
        ("def area(width):\n    return ", "surface(width)", False),
        ("function area(width: number) {\n  return ", "area(width);", True),
        ("func area(width int) int {\n\treturn ", "area(width)", True),
    ],
)
def test_a_function_that_only_calls_itself(left: str, said: str, again: bool) -> None:
    assert calls_itself(left, said) is again
    assert not again or says_nothing(left, said, "\n", traits("python").repeats)


@pytest.mark.parametrize(
    ("marked", "text", "unlikely"),
    [
        ("try:\n    import a\nexcept |\n", "ValueError:", True),
        ("try:\n    import a  # b\n    from c import (\n        d as e,\n    )\n|\n", "except KeyError as f:", True),
        ("if a:\n    try:\n        # b\n        import c\n    |\n", "except ValueError:\n        c = None", True),
        ("try:\n    import a|\n", "\nexcept ValueError:\n    pass", True),
        ("try:\n    import a\nexcept |\n", "AttributeError:", True),
        ("try:\n    import a\nexcept |\n", "ImportError:", False),
        ("try:\n    import a\nexcept |\n", "OSError:", False),  # of a library loaded there
        ("try:\n    import a\nexcept |\n", "ValueError.Own:", False),
        ("try:\n    import a\n    a.b()\nexcept |\n", "ValueError:", False),
        ("def f(a, b):\n    try:\n        return a / b\n    except |\n", "ValueError:", True),
        ("try:\n    c = -a + 0.5 * b\nexcept |\n", "KeyError:", True),
        ("try:\n    c = a / b\nexcept |\n", "ZeroDivisionError:", False),
        ("try:\n    c = a / b\nexcept |\n", "TypeError:", False),
        ("try:\n    c = a / b.c\nexcept |\n", "ValueError:", False),
        ("try:\n    c = a / f(b)\nexcept |\n", "ValueError:", False),
        ("try:\n    c = a / b\n    import d\nexcept |\n", "ImportError:", False),
        ("try:\n    a, b = c\nexcept |\n", "ValueError:", False),
        ("try:\n    a = b % c\nexcept |\n", "ValueError:", False),
        ("try:\n    a = b / c\n    raise d\nexcept |\n", "ValueError:", False),
        ("try:\n    if a:\n        b = 1 / c\nexcept |\n", "ValueError:", False),
        ("try:\n    f()\nexcept A:\n    b = 1\nexcept |\n", "ValueError:", False),
        ("@pytest.fixture\ndef a():\n    return 1\n\n\n|\n", "def test_a():\n    assert a", True),
        ("@fixture(scope='x')\ndef a():\n    return 1\n\n\nasync def test_|\n", "a():", True),
        ("class A:\n    @pytest.fixture\n    def a(self):\n        return 1\n\n    |\n", "def test_a(self):", True),
        ("@pytest.fixture\ndef a():\n    return 1\n\n\n|\n", "def test_a(a):\n    assert a", False),
        ("@pytest.fixture\ndef a():\n    return 1\n\n\ndef b(): ...\n\n\n|\n", "def test_a():", False),
        ("@pytest.fixture(autouse=True)\ndef a():\n    return 1\n\n\n|\n", "def test_a():", False),
        ("@pytest.fixture\ndef a():\n    return 1\n\n\n@mark.usefixtures('a')\n|\n", "def test_a():", False),
        ("@pytest.fixture\ndef a():\n    return 1\n\n\ndef test_a():\n    |\n", "assert 1", False),
    ],
)
def test_a_text_that_the_code_above_speaks_against(marked: str, text: str, unlikely: bool) -> None:
    assert is_unlikely(cursor_at(marked, "|"), text) is unlikely


def test_what_programmers_wrote_is_seldom_too_little() -> None:
    """Rests of lines of the standard library, cut before a word or a bracket."""
    rng, refused, seen = random.Random(5), list[str](), 0
    for source in stdlib_sources(rng, 40):
        starts = [at for at in range(1, len(source)) if source[at - 1] in " (.=," and source[at] not in " \n)]}"]
        for at in rng.sample(starts, min(60, len(starts))):
            end = source.find("\n", at)
            text = source[at : len(source) if end < 0 else end].rstrip()
            seen += 1
            cursor = cursor_at(f"{source[:at]}\0{source[end:]}", "\0")
            if says_too_little(cursor, text, text) or is_unlikely(cursor, text):
                refused.append(text)
    assert seen > 1500
    assert len(refused) <= seen * 0.003, refused

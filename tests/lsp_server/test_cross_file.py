"""Pieces of other files about the same things, within the budget, never from secret or ignored files."""

import os
from pathlib import Path

import pytest
from suture.lsp_server.context.cross_file import (
    LIMITS,
    CrossFileContext,
    OtherFile,
    SnippetLimits,
    files_of,
    imports_of,
    signatures_in,
    windows_of,
)

from ..support.work import calls

SHAPES = "class Circle:\n    def __init__(self, radius):\n        self.radius = radius\n\n    def area(self):\n        return 3 * self.radius**2\n"
FILLER = "".join(f"def unrelated_{i}(alpha_{i}, beta_{i}):\n    return alpha_{i} + beta_{i}\n\n" for i in range(40))


def pieces(marked: str, *others: OtherFile, path: str = "/w/main.py", neighbours: CrossFileContext | None = None):
    text, offset = marked.replace("|", ""), marked.index("|")
    return (neighbours or CrossFileContext()).pieces(path, text, offset, others)


def test_the_window_that_speaks_of_the_same_things_comes_first():
    other = OtherFile("/w/shapes.py", FILLER + SHAPES + FILLER)
    chosen = pieces("circle = Circle(radius=2)\nprint(circle.area|)\n", OtherFile("/w/f.py", FILLER), other)
    assert chosen and chosen[0].path == "/w/shapes.py" and "class Circle" in chosen[0].text


def test_of_two_windows_the_one_with_more_in_common_comes_first():
    weak = OtherFile("/w/weak.py", "def unlike(radius, one, two, three, four, five, six):\n    return radius\n")
    strong = OtherFile("/w/strong.py", SHAPES)
    for others in ((weak, strong), (strong, weak)):
        chosen = pieces("circle = Circle(radius=2)\nprint(circle.area, self|)\n", *others)
        assert [piece.path for piece in chosen] == ["/w/strong.py", "/w/weak.py"]


@pytest.mark.parametrize("marked", ["|", "x = |\n", "zzz = qqq(|)\n"])
def test_nothing_in_common_is_nothing(marked):
    assert pieces(marked, OtherFile("/w/shapes.py", SHAPES)) == ()
    assert pieces(marked) == ()


def test_the_budget_is_kept_and_windows_do_not_overlap():
    other = OtherFile("/w/o.py", SHAPES * 60)
    chosen = pieces("Circle radius area |", other, OtherFile("/w/p.py", SHAPES * 9))
    assert 1 < len(chosen) <= LIMITS.pieces
    assert sum(len(piece.text) for piece in chosen) <= LIMITS.chars
    assert [list(windows_of("x" * 5000))] == [[]]  # a line longer than the budget


def test_what_the_text_says_itself_is_not_repeated():
    assert pieces(SHAPES + "|", OtherFile("/w/copy.py", SHAPES)) == ()


def test_pieces_stay_the_same_while_typing_nearby():
    neighbours = CrossFileContext()
    others = (OtherFile("/w/shapes.py", SHAPES), OtherFile("/w/f.py", FILLER))
    first = pieces("c = Circle(radius)\n|", *others, neighbours=neighbours)
    assert pieces("c = Circle(radius)\nunrelated_3 = alpha_3 + beta_3|", *others, neighbours=neighbours) is first
    far = "c = Circle(radius)\n" + "\n" * 60 + "unrelated_3 = alpha_3 + beta_3|"
    assert pieces(far, *others, neighbours=neighbours) != first
    changed = (OtherFile("/w/shapes.py", SHAPES.replace("Circle", "Circle2")), others[1])
    assert pieces("c = Circle(radius)\n|", *changed, neighbours=neighbours) != first


def test_imports():
    text = "import os, a.b as c\nfrom . import d\nfrom ..e import f as g, h\nfrom i import (\n    j,\n    k,\n)\n"
    assert list(imports_of(text)) == [
        ("os", frozenset()),
        ("a.b", frozenset()),
        (".d", frozenset()),
        ("..e", frozenset({"f", "h"})),
        ("i", frozenset({"j", "k"})),
    ]
    assert next(files_of("..e", Path("/w/p/q/m.py"))) == Path("/w/p/e.py")
    assert Path("/w/a/b/__init__.py") in list(files_of("a.b", Path("/w/p/m.py")))


def test_signatures():
    code = "class A(B):\n    x = 1\n    def f(\n        self,\n        y: int = 2,\n    ) -> int:\n        pass\n    def _g(self): ...\ndef h(a):\n    def inner(): ...\n"
    assert signatures_in(code, frozenset({"A"}), 999) == "class A(B): ...\n    def f( self, y: int = 2, ) -> int: ...\n"
    assert signatures_in(code, frozenset(), 999) == "class A(B): ...\ndef h(a): ...\n"
    assert signatures_in(code, frozenset(), 20) == "class A(B): ...\n"


def test_imported_modules_are_read_unless_they_are_secret_or_ignored(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("generated.py\n")
    for name in ("shapes.py", "generated.py", "key.py"):
        (tmp_path / name).write_text(f"def {name[:-3]}_area(radius):\n    return 1\n")
    (tmp_path / "linked.py").symlink_to(tmp_path / ".env")
    (tmp_path / ".env").write_text("def linked_area(password='hunter2'):\n    pass\n")
    path = (tmp_path / "main.py").as_posix()
    text = "from shapes import shapes_area\nimport generated, linked, missing\n|"
    (piece,) = pieces(text, path=path)
    assert (piece.path, piece.text) == ((tmp_path / "shapes.py").as_posix(), "def shapes_area(radius): ...\n")
    neighbours = CrossFileContext()
    assert pieces(text, path=path, neighbours=neighbours) == (piece,)
    module = tmp_path / "shapes.py"
    module.write_text(module.read_text().replace("radius", "edited"))
    os.utime(module, ns=(1, 1))
    other = text.replace("|", "\n" * 99 + "|")  # far away, or the pieces stay as they are
    assert pieces(other, path=path, neighbours=neighbours)[0].text == "def shapes_area(edited): ...\n"
    opened = OtherFile((tmp_path / "shapes.py").as_posix(), "def shapes_area(unsaved):\n    return 2\n")
    assert pieces(text, opened, path=path)[0].text == "def shapes_area(unsaved): ...\n"
    neighbours = CrossFileContext()
    assert neighbours.may_be_shown(path)
    for name in ("generated.py", ".env", "generated.py"):
        assert not neighbours.may_be_shown((tmp_path / name).as_posix())


def test_a_choice_among_many_large_files_is_quick_and_remembered_things_are_bounded():
    neighbours = CrossFileContext()
    files = [OtherFile(f"/w/{n}.py", FILLER.replace("alpha", f"a{n}") * 12 + SHAPES) for n in range(20)]
    first, found = calls(lambda: pieces("Circle radius area|", *files, neighbours=neighbours))
    assert found
    second, _ = calls(
        lambda: pieces("Circle radius area\n" + "\n" * 99 + "unrelated_2|", *files, neighbours=neighbours)
    )
    assert second < first / 2, (first, second)
    for n in range(60):
        pieces("Circle|", OtherFile(f"/v/{n}.py", SHAPES), path=f"/v/m{n}.py", neighbours=neighbours)
    assert len(neighbours._windows) <= 2 * LIMITS.files and len(neighbours._chosen) <= LIMITS.files


def test_limits_are_the_callers():
    assert (
        CrossFileContext(SnippetLimits(pieces=0)).pieces("/w/a.py", SHAPES, 0, [OtherFile("/w/b.py", SHAPES * 3)]) == ()
    )

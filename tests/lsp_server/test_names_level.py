"""The levels of `check --jsonl` and `complete`, and the setting `names`: text that compiles, and names that exist."""

from dataclasses import replace
from pathlib import Path

import pytest
from suture import parser
from suture.lsp_server.cli.explain_report import as_lines, gather
from suture.lsp_server.cli.jsonl import answer_lines, check_request
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.settings.spec import Settings
from suture.parser import language
from suture.parser.languages.typescript import project


def _check(left: str, middle: str, right: str, level: str | None) -> dict[str, object]:
    request = {"left": left, "middle": middle, "right": right, "language": "python"}
    return check_request(request if level is None else request | {"level": level})


@pytest.mark.parametrize(
    "left, middle, level, complete, error",
    [
        ("def f(a):\n    ", "return b", None, True, None),
        ("def f(a):\n    ", "return b", "compile", True, None),
        ("def f(a):\n    ", "return b", "names", False, "name 'b' is not defined"),
        ("def f(a):\n    ", "return a", "names", True, None),
        ("", "return 1", "syntax", True, None),
        ("", "return 1", "compile", False, "'return' outside function"),
        ("", "return 1)", "names", False, "'return' outside function"),
        ("", "f(a=1, a=2)", "compile", False, "keyword argument repeated: a"),
        ("x = ", "1 +", "compile", False, "incomplete"),
        ("x = ", "1)", "compile", False, "invalid syntax"),
        ("return 1\n", "x = 1", "compile", False, "the file is broken elsewhere"),
    ],
)
def test_check(left: str, middle: str, level: str | None, complete: bool, error: str | None) -> None:
    answer = _check(left, middle, "\n", level)
    assert answer["complete"] is complete
    assert answer.get("error") == error
    assert ("error" in answer) is (level in ("compile", "names"))


def test_explaining_a_name_that_does_not_exist() -> None:
    text = "import os\n\ndef total(prices):\n    return \n"
    report = gather("a.py", language("python"), text, len(text) - 1, "sum(prizes)", grammar=False)
    assert report.names is not None and report.names[:1] == ("prices",) and "os" in report.names
    lines = "\n".join(as_lines(report))
    assert "Names in scope: prices" in lines
    assert "It is not suggested: name 'prizes' is not defined; nearest: prices" in lines
    good = gather("a.py", language("python"), text, len(text) - 1, "sum(prices)", grammar=False)
    assert "It is not suggested" not in "\n".join(as_lines(good))


def test_an_unknown_level_is_said_to_be_one() -> None:
    (line,) = answer_lines(
        [b'{"left": "", "middle": "", "right": "", "language": "python", "level": "types"}'], check_request
    )
    assert "level must be one of: syntax, compile, names" in line


@pytest.mark.parametrize("names, fits", [(True, "value"), (False, "vlaue")])
def test_the_setting(names: bool, fits: str) -> None:
    settings = Settings(names=names)
    engine = CompletionEngine(settings)
    text = "def f(value):\n    return \n"
    at = CursorContext("file:///a.py", "python", text, len(text) - 1, settings=settings)
    assert engine.sessions.first_that_fits(at, ["vlaue", "value"]) == fits


_SHOP = "class Cart:\n    def __init__(self):\n        self.items = []\n    def total(self):\n        return self.\n"


def test_checking_attributes() -> None:
    request = {"left": _SHOP[:-1], "middle": "itmes", "right": "\n", "language": "python", "level": "names"}
    assert check_request(request)["complete"] is True
    answer = check_request(request | {"attributes": True})
    assert answer["complete"] is False and answer["error"] == "'Cart' has no attribute 'itmes'"
    assert check_request(request | {"attributes": True, "middle": "items", "path": "/nowhere/a.py"})["complete"] is True
    (line,) = answer_lines(
        [b'{"left": "", "middle": "", "right": "", "language": "python", "attributes": 1}'], check_request
    )
    assert "attributes must be true or false" in line


def test_explaining_an_attribute_that_does_not_exist() -> None:
    report = gather("a.py", language("python"), _SHOP, len(_SHOP) - 1, "itmes.pop()", grammar=False)
    assert report.attributes is not None and "items" in report.attributes
    lines = "\n".join(as_lines(report))
    assert "It is not suggested: 'Cart' has nothing that starts with 'itm'; nearest: items" in lines


@pytest.mark.parametrize("attributes, fits", [(True, "items"), (False, "itmes")])
def test_the_setting_attributes(attributes: bool, fits: str) -> None:
    settings = Settings(attributes=attributes)
    at = CursorContext("file:///a.py", "python", _SHOP, len(_SHOP) - 1, settings=settings)
    assert CompletionEngine(settings).sessions.first_that_fits(at, ["itmes", "items"]) == fits


def test_modules_are_read_when_a_document_is_opened(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_SHOP + "0\n", encoding="utf-8")
    text = "from shop import Cart\ncart = Cart()\ncart.\n"
    at = CursorContext("file:///a.py", "python", text, len(text) - 1, path=str(tmp_path / "a.py"))
    engine = CompletionEngine(Settings())
    assert engine.sessions.first_that_fits(at, ["totl()", "total()"]) == "totl()"
    engine.sessions.warm(at, lambda: False)
    assert engine.sessions.first_that_fits(at, ["totl()", "total()"]) == "total()"


def test_modules_are_read_while_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_SHOP + "0\n", encoding="utf-8")
    text = "from shop import Cart\ncart = Cart()\ncart.\n"
    at = CursorContext("file:///a.py", "python", text, len(text) - 1, path=str(tmp_path / "a.py"))
    engine = CompletionEngine(Settings())
    engine.sessions.read_imports(at, lambda: True)
    assert engine.sessions.first_that_fits(at, ["totl()", "total()"]) == "totl()"
    engine.sessions.read_imports(at, lambda: False)
    assert engine.sessions.first_that_fits(at, ["totl()", "total()"]) == "total()"
    engine.sessions.read_imports(CursorContext("file:///a.rs", "rust", "", 0), lambda: False)


def test_go_knows_what_the_package_declares_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text("package p\n\nfunc other() {}\n", encoding="utf-8")
    engine = CompletionEngine(Settings())
    text = "package p\n\nfunc f() {\n\t\n}\n"
    at = CursorContext("file:///b.go", "go", text, len(text) - 3, path=str(tmp_path / "b.go"))
    assert engine.sessions.first_that_fits(at, ["another()", "other()"]) == "other()"
    alone = CursorContext("file:///c.go", "go", text, len(text) - 3)  # other files' declarations are unknown
    assert engine.sessions.first_that_fits(alone, ["another()", "other()"]) == "another()"


def test_a_large_project_is_read_while_nobody_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    for number in range(12):
        (tmp_path / f"m{number}.ts").write_text(f"export {{}}; more{number}; // {'x' * 1_000}", encoding="utf-8")
    monkeypatch.setattr(project, "_AT_ONCE", 1_000)
    at = CursorContext("file:///a.ts", "typescript", "more11\n", 6, path=str(tmp_path / "a.ts"))
    engine = CompletionEngine(Settings())
    assert engine.sessions.of(at).elsewhere is None
    engine.sessions.read_imports(at, lambda: False)
    assert "more11" in (engine.sessions.of(at).elsewhere or ())


def test_a_request_looks_up_names_elsewhere_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "package p\n\nfunc f() {\n\t\n}\n"
    at = CursorContext("file:///b.go", "go", text, len(text) - 3, path=str(tmp_path / "b.go"))
    engine, asked = CompletionEngine(Settings()), list[str]()
    look = parser.names_elsewhere
    monkeypatch.setattr(parser, "names_elsewhere", lambda *question: asked.append(question[2]) or look(*question))
    engine.alternatives(at, 2, lambda: False)
    assert asked == [text]
    (tmp_path / "a.go").write_text("package p\n\nfunc other() {}\n", encoding="utf-8")
    later = replace(at, text=text.replace("\t", "\to"), offset=at.offset + 1)
    engine.alternatives(later, 2, lambda: False)
    assert asked == [text, later.text]

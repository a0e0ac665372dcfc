"""Any text of other people's files and settings takes little time; measured in processor time."""

import marshal
import os
import time
from random import Random

import pytest
from suture.common import kept_files
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.proposing.candidates import candidates, generators, kinds
from suture.lsp_server.context.cross_file import CrossFileContext, imports_of
from suture.lsp_server.context.gitignore import is_ignored
from suture.lsp_server.context.globs import any_matches
from suture.lsp_server.session.documents import Document
from suture.lsp_server.settings.effective import Configuration, Folder
from suture.lsp_server.settings.spec import read_layer
from suture.lsp_server.telemetry.usage import Usage
from suture.parser import language
from suture.parser.grammar import cache
from suture.parser.languages.go.package import declared_names, package_name
from suture.parser.languages.python import versions
from suture.parser.languages.python.semantics import modules
from suture.parser.languages.python.semantics.contents import Content
from suture.parser.languages.python.semantics.file_verdicts import end_of_cut_header
from suture.parser.languages.python.semantics.place import WALRUS
from suture.parser.languages.python.semantics.unread_functions import Function
from suture.parser.languages.python.workspace import problems_around, version_for
from suture.parser.scoping.facts import Facts

from ..support.work import HANGING_S

N = 200_000
posix = pytest.mark.skipif(os.name != "posix", reason="no pipes with names")


@pytest.fixture(autouse=True)
def quick():
    started = time.process_time()
    yield
    assert time.process_time() - started < HANGING_S


@pytest.mark.parametrize("text", ["\r" + "x" * N, "x\r\n" + "f'{" * N, "\r" * N, "\r\n" * N])
def test_documents_are_split_in_linear_time(text):
    document = Document("file:///a.py", "python", 1, text)
    assert document.text == text


@pytest.mark.parametrize(
    "text",
    [
        *("from" + " " * N + "x\\\n import y\n", "from " + "." * N + "\n", "from x" + " " * N + "importer\n"),
        *("from x import (\n" * (N // 16), "from x import (a,\n" * (N // 18), "import " + "a " * N, " " * N + "from"),
        *("from . import (" + "#\n" * N, "from x import " + "\\\n" * N, "from " * N, "import " * N, "\n" * N),
    ],
    ids=lambda text: repr(text[:18]),
)
def test_imports_are_found_in_linear_time(text):
    list(imports_of(text))


@pytest.mark.parametrize(
    ("look", "text"),
    [
        (end_of_cut_header, "[x " + "for x in y " * N),
        (WALRUS.findall, "a" * N),
        (lambda text: Function(text, Content).seems_to_read() - {text}, "a" * N),
    ],
)
def test_code_is_looked_through_in_linear_time(look, text):
    assert not look(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from a.b import c, d\n", [("a.b", {"c", "d"})]),
        ("from . import c\n", [(".c", set())]),
        ("from .import c\n", [(".c", set())]),
        ("from .. a import (b,  # why\n    c as d,\n)\n", [("..a", {"b", "c"})]),
        ("from .importlib import x; y = 1\n", [(".importlib", {"x"})]),
        ("from x import(y)\nimport a.b as c, d\n", [("x", {"y"}), ("a.b", set()), ("d", set())]),
        ("    from x import *\nfromx import y\nfrom x importy\n", [("x", {"*"})]),
    ],
)
def test_imports_that_people_write(text, found):
    assert [(module, set(names)) for module, names in imports_of(text)] == found


@pytest.mark.parametrize(
    "specifier", ["<" + " " * N + "x", ">=" + "3." * N, "3" * N, ">=3.9," * N, ">=3.1" + "1.1" * N + "!@", "^" * N]
)
def test_specifiers_that_cannot_be_understood_exclude_nothing(specifier):
    assert versions.choose(specifier, None) == versions.DEFAULT_VERSION
    assert versions.satisfies("3.11", specifier)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", f'[project]\nrequires-python = "<{" " * N}x"\n'),
        ("pyproject.toml", "[project" + ".a" * N + "]"),
        ("pyproject.toml", "a = " + "[" * N),
        ("pyproject.toml", "a = " + "9" * 5000),
        ("setup.cfg", "[options]\npython_requires =" + " " * N + "x"),
        ("setup.cfg", "[options]\na" + " " * N + "b"),
        ("setup.cfg", "a" * N + " " * (N // 8)),
        ("setup.py", "python_requires=" + "python_requires='" * (N // 20)),
        (".python-version", "3." + "1" * 5000),
        (".python-version", "3.1" * (N // 3)),
    ],
)
def test_files_that_tell_the_version(tmp_path, name, text):
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(text)
    assert version_for(tmp_path / "a.py", default="3.12") in versions.VERSIONS
    Configuration(None, [Folder(tmp_path.as_uri(), tmp_path)]).effective(str(tmp_path / "a.py"))
    if name == "pyproject.toml" and "project]" not in text:
        assert len(problems_around(tmp_path)) == 1


def test_setup_cfg_is_read(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "setup.cfg").write_text(
        "[metadata]\npython_requires = >=3.8\n[options]\na = b\npython_requires =\n    >=3.10\nc = d\n"
    )
    assert version_for(tmp_path / "a.py") == "3.10"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only the administrator can give files away")
def test_files_of_others_above_the_own_folder_are_not_read(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "mine").mkdir()
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\nrequires-python = ">=3.8"\n')
    assert version_for(tmp_path / "mine" / "a.py", default="3.12") == "3.8"
    os.chown(path, 12345, 12345)
    assert version_for(tmp_path / "mine" / "a.py", default="3.12") == "3.12"
    assert "another user" in problems_around(tmp_path / "mine" / "a.py")[0]


@posix
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="the administrator may search every folder")
def test_folders_that_may_not_be_searched(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        assert not is_ignored(closed / "a.py")
        assert version_for(closed / "a.py", default="3.12") in versions.VERSIONS
    finally:
        closed.chmod(0o700)


def test_a_folder_that_cannot_be_searched_is_none(tmp_path, monkeypatch):
    def refuse(path, *more, **named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refuse)
    assert not is_ignored(tmp_path / "a.py")
    assert version_for(tmp_path / "a.py", default="3.12") == "3.12"
    assert CrossFileContext().pieces(str(tmp_path / "a.py"), "from x import y\n", 0, ()) == ()


def test_many_patterns_of_a_repository(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("".join(f"{n}x*y?z\n" for n in range(20_000)) + "*" * 5000 + "b\n")
    for n in range(20):
        is_ignored(tmp_path / "a" / "b" / f"{n}.py")


def test_many_patterns_in_settings(tmp_path):
    chosen, messages = read_layer({"disabledGlobs": [f"{n}*" for n in range(60_000)]}, "editor")
    assert not chosen and len(messages) == 1
    patterns = tuple(f"**/{n}*/x" for n in range(500))
    for _ in range(2000):
        assert not any_matches(patterns, str(tmp_path / "a" / "b" / "c.py"), str(tmp_path))


def test_unknown_settings_are_one_message():
    chosen, messages = read_layer({f"key{n}": n for n in range(60_000)} | {"maxTokens": 5}, "editor")
    assert chosen == {"max_tokens": 5}
    assert messages == ["editor: there are no settings 'key0', 'key1', 'key2' and 59,997 more; they are ignored"]
    assert len(read_layer({"k" * N: 1}, "editor")[1][0]) < 200


@pytest.mark.parametrize(
    "line",
    [
        *("    self.x:" + " " * N, "from " + "." * N + " ", "from ." + "a." * N, "x:" + " " * N, "    return "),
        *("import " + " " * N, "super(" * N, ", " * N, "class A(" + "a." * N, " " * N + "self.x ="),
    ],
    ids=lambda line: repr(line[:12]),
)
def test_candidates_are_found_in_linear_time(line):
    above = "class A(B):\n    def f(self, x):\n        x:" + " " * 19_000 + "\n        x" + ": " * 900 + "\n"
    cursor = Cursor.at(above + line + "\n", len(above + line))
    candidates(cursor, ["class B:\n    pass\n"], Facts, kinds.KINDS)
    for pattern in (generators._KEPT, generators._FROM, generators._HEADER, generators._FAILED):
        pattern.fullmatch(line)


@pytest.mark.parametrize("text", ["/" * 80 + "\n", "//\n" * N, "/*" * N, "/* */ " * N, "//" * N + "\npackage"])
def test_the_package_of_a_go_file_is_found_in_linear_time(text):
    """A line of slashes above a file without a package, such as an unfinished one, took for ever."""
    assert package_name(text + "func f() {}\n") is None
    assert package_name(text + "*/package p\n") in ("p", None)
    assert package_name("/" * 80 + "\n/* a */ package p // b\n") == "p"


def test_a_long_word_in_a_go_file_is_read_in_linear_time():
    assert declared_names("package p\n" + "é" * N + "\nvar a = b.c\n", "1.27") == {"a"}


DEEP = 3000


@pytest.mark.parametrize(
    "text",
    [
        *("x = " + "a." * N + "b", "x = a" + ".b()" * N, "x = a" + "[b]" * N, "x = " + 'f"{' * N, "x = " + "[" * N),
        *("x = " + "lambda: " * DEEP + "y", "x = " + "(" * DEEP + ")" * DEEP, "x = " + "[a for a in " * DEEP),
        "".join(" " * n + "if x:\n" for n in range(600)),
        "def f(" + ", ".join(f"a{n}" for n in range(50_000)) + "): pass",
        Random(215).randbytes(3000).decode("utf-8", "replace"),
    ],
    ids=lambda text: repr(text[-12:]),
)
def test_modules_that_are_only_read_take_little_time(tmp_path, monkeypatch, text):
    """A module in the workspace is read as soon as a file imports it."""
    monkeypatch.setattr(modules, "_MAX_READ_S", 0.5)
    path = tmp_path / "hostile.py"
    path.write_text(f"{text}\n"[: modules.MAX_BYTES], "utf-8")
    modules.facts_of(path)
    found = modules.Modules([tmp_path], at_once=True).get("hostile")
    assert found is None or found.name == "hostile"


@pytest.mark.parametrize(
    "line",
    [
        *("x = " + "lambda: " * DEEP + "y", "def f(a=" + "lambda: " * DEEP + "y): pass", "x = a" + ".b()" * (N // 20)),
        *("x: " + "lambda: " * DEEP + "y = 1", "if " + "lambda: " * DEEP + "y: pass", "x = a" + "[b]" * (N // 20)),
    ],
    ids=lambda text: repr(text[:16]),
)
def test_one_line_costs_no_document_its_suggestions(line):
    for text in (line + "\nz = \n", "z = \n" + line + "\n"):
        hole = language("python").session().hole(text, text.index("z = ") + 4, level="names")
        assert hole.state is not None
        after = hole.state.advance("1")
        assert after is not None and after.complete


@posix
def test_counts_are_the_users_alone(tmp_path):
    path = tmp_path / "state" / "usage.sqlite3"
    usage = Usage(path)
    usage.count("shown")
    usage.flush()
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    path.chmod(0o644)
    usage.count("shown")
    usage.flush()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", ["deep", "bits", "device", "pipe"])
def test_a_damaged_compiled_grammar_is_built_again(tmp_path, monkeypatch, damage):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "cache")
    path = tmp_path / "own.lark"
    path.write_text('start: "a" "b"\n')
    first = cache.load(path, "start")
    (kept,) = (tmp_path / "cache").iterdir()
    if damage == "deep":
        kept.write_text("[" * N)
    elif damage == "bits":
        content = bytearray(kept.read_bytes())
        changed = marshal.loads(content[content.index(b"\n") + 1 :])  # the tables are behind a line with their checksum
        row = next(row for row in changed[2]["shift"] if row)
        terminal = next(iter(row))
        row[terminal] ^= 1
        content[content.index(b"\n") + 1 :] = marshal.dumps(changed)
        kept.write_bytes(content)
    elif os.name == "posix":
        kept.unlink()
        os.mkfifo(kept) if damage == "pipe" else kept.symlink_to("/dev/zero")
    tables = cache.load(path, "start").tables
    assert (tables.shift, tables.reduce, tables.goto) == (first.tables.shift, first.tables.reduce, first.tables.goto)


@posix
@pytest.mark.parametrize("existing", [None, 0o755, 0o777])
def test_caches_are_their_users_alone(tmp_path, monkeypatch, existing):
    """Whatever the umask says, and even if an earlier version has left them open."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = kept_files.cache_folder()
    if existing is not None:
        folder.mkdir(parents=True)
        folder.chmod(existing)
    before = os.umask(0)
    try:
        kept_files.write(folder / "grammars" / "a.json", b"{}", 10)
        kept_files.make_private(folder / "masks")
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "grammars" / "a.json").read_bytes() == b"{}"
    assert (folder / "grammars" / "a.json").stat().st_mode & 0o077 == 0

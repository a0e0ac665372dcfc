"""Each way for a repository to name another's file: none is read, and the user's own environment still is."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from suture.common.reach import Reach
from suture.lsp_server.context.cross_file import CrossFileContext
from suture.lsp_server.settings.effective import Configuration, Folder
from suture.parser import imports_for, names_elsewhere
from suture.parser.languages.go.workspace import version_for as go_version_for
from suture.parser.languages.slua.api import ApiError
from suture.parser.languages.slua.workspace import Surroundings

CODE = "def private_thing(account_number):\n    return 1\n\n\nclass Billing:\n    private_field = 1\n"
GO = "package p\n\nfunc privateThing() {}\n"
OTHER_USER = 12345


@dataclass
class Place:
    """A workspace, and somebody's own folder beside it."""

    root: Path
    private: Path
    opened: Path | None = None
    """The workspace by the editor's name for it, if it is a link."""

    def write(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def configuration(self, trusted: bool) -> Configuration:
        folder = self.opened or self.root
        return Configuration(None, [Folder(folder.as_uri(), folder)], trusted)

    def reach(self, trusted: bool = False) -> Reach:
        return self.configuration(trusted).reach(str((self.opened or self.root) / "app.py"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root, private = tmp_path / "home" / "work" / "repo", tmp_path / "home" / "private"
    for folder in (root, private):
        folder.mkdir(parents=True)
    (private / "__init__.py").write_text(CODE)
    (private / "billing.py").write_text(CODE)
    (private / "billing.go").write_text(GO)
    (tmp_path / "home" / "above.py").write_text(CODE)
    return Place(root, private)


def read_of(place: Place, file: str, text: str, trusted: bool = False) -> str:
    """Everything read on behalf of a Python file at its end: for the prompt, for candidates, for names and attributes."""
    path, reach = (place.opened or place.root) / file, place.reach(trusted)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    context = CrossFileContext()
    shown = [piece.text for piece in context.pieces(str(path), text, len(text), (), reach)]
    modules = imports_for("python", "3.11", path, at_once=True, reach=reach)
    assert modules is not None
    for word in text.replace("import", " ").replace("from", " ").split():
        name = modules.absolute(word, modules.package)  # type: ignore[attr-defined]
        found = modules.get(name) if name else None  # type: ignore[attr-defined]
        if found is not None:
            shown += [*found.facts.made, *modules.submodules(found)]  # type: ignore[attr-defined]
    return "\n".join(shown)


def _dots(place: Place) -> str:
    return "from ...private.billing import "


def _many_dots(place: Place) -> str:
    return f"from {'.' * 5}{'.'.join(place.private.parts[-2:])}.billing import "


def _dots_through_packages(place: Place) -> str:
    for folder in (place.root, place.root.parent, place.root.parent.parent):
        (folder / "__init__.py").write_text("")
    return "from ...private.billing import "


def _file_link(place: Place) -> str:
    (place.root / "helper.py").symlink_to(place.private / "billing.py")
    return "from helper import "


def _link_to_a_link(place: Place) -> str:
    (place.root / "hop.py").symlink_to(place.private / "billing.py")
    (place.root / "helper.py").symlink_to("hop.py")
    return "from helper import "


def _folder_link(place: Place) -> str:
    (place.root / "mine").symlink_to(place.private)
    return "from mine.billing import "


def _package_link(place: Place) -> str:
    (place.root / "mine").symlink_to(place.private)
    return "from mine import "


def _init_link(place: Place) -> str:
    place.write("mine/other.py")
    (place.root / "mine" / "__init__.py").symlink_to(place.private / "billing.py")
    return "from mine import "


def _folder_above(place: Place) -> str:
    (place.root.parent / "above.py").write_text(CODE)
    return "from above import "


def _src_link(place: Place) -> str:
    place.write("pyproject.toml")
    (place.root / "src").symlink_to(place.private)
    return "from billing import "


def _packages_link(place: Place) -> str:
    place.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    place.write(".venv/lib/python3.11/empty")
    (place.root / ".venv/lib/python3.11/site-packages").symlink_to(place.private)
    return "from billing import "


def _environment_link(place: Place) -> str:
    real = place.private / "env"
    (real / "lib/python3.11/site-packages").mkdir(parents=True)
    (real / "lib/python3.11/site-packages/billing.py").write_text(CODE)
    (real / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (place.root / ".venv").symlink_to(real)
    return "from billing import "


def _environment_above(place: Place) -> str:
    packages = place.root.parent / "venv/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    (packages / "billing.py").write_text(CODE)
    (packages.parents[2] / "pyvenv.cfg").write_text("home = /usr/bin\n")
    return "from billing import "


def _home_of_the_environment(place: Place) -> str:
    library = place.private / "lib" / "python3.11"
    library.mkdir(parents=True)
    (place.private / "bin").mkdir()
    for name in ("os.py", "billing.py"):
        (library / name).write_text(CODE)
    place.write(".venv/pyvenv.cfg", f"home = {place.private / 'bin'}\nversion = 3.11.1\n")
    return "from billing import "


def _path_file(place: Place) -> str:
    place.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    place.write(".venv/lib/python3.11/site-packages/mine.pth", f"{place.private}\n")
    return "from billing import "


def _conftest(place: Place) -> str:
    (place.root / "conftest.py").symlink_to(place.private / "billing.py")
    return "from conftest import "


def _stubs(place: Place) -> str:
    (place.root / "typings").mkdir()
    (place.root / "typings" / "billing.pyi").symlink_to(place.private / "billing.py")
    (place.root / "helper-stubs").symlink_to(place.private)
    return "from billing import \nfrom helper import "


def _another_users_file(place: Place) -> str:
    os.chown(place.write("theirs.py", CODE), OTHER_USER, OTHER_USER)
    return "from theirs import "


def _another_users_package(place: Place) -> str:
    folder = place.write("theirs/__init__.py", CODE).parent
    os.chown(folder, OTHER_USER, OTHER_USER)
    os.chown(folder / "__init__.py", OTHER_USER, OTHER_USER)
    return "from theirs import "


WAYS: list[Callable[[Place], str]] = [
    _dots, _many_dots, _dots_through_packages, _file_link, _link_to_a_link, _folder_link, _package_link, _init_link, _folder_above, _src_link,
    _packages_link, _environment_link, _environment_above, _home_of_the_environment, _path_file, _conftest, _stubs, _another_users_file,
    _another_users_package,
]  # fmt: skip
OF_THE_ENVIRONMENT = (_packages_link, _environment_link, _environment_above, _home_of_the_environment)


def _lay(place: Place, way: Callable[[Place], str]) -> str:
    if "another_user" in way.__name__ and (not hasattr(os, "geteuid") or os.geteuid() != 0):
        pytest.skip("only root can give files away")
    try:
        return way(place)
    except OSError as error:
        pytest.skip(f"no links here: {error}")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
@pytest.mark.parametrize("is_link", [False, True], ids=["", "workspace is a link"])
def test_nothing_outside_the_workspace_is_read(place: Place, way: Callable[[Place], str], is_link: bool) -> None:
    text = _lay(place, way)
    if is_link:
        place.opened = place.private.parent / "opened"
        place.opened.symlink_to(place.root)
    assert "private" not in read_of(place, "pkg/app.py", text) and "Billing" not in read_of(place, "pkg/app.py", text)
    place.write("pkg/__init__.py")
    assert "Billing" not in read_of(place, "pkg/app.py", text)
    assert "Billing" not in read_of(place, "app.py", text)


@pytest.mark.parametrize("way", [way for way in WAYS if way not in OF_THE_ENVIRONMENT], ids=lambda way: way.__name__)
def test_trust_is_for_the_environment_alone(place: Place, way: Callable[[Place], str]) -> None:
    assert "Billing" not in read_of(place, "pkg/app.py", _lay(place, way), trusted=True)


@pytest.mark.parametrize("way", OF_THE_ENVIRONMENT, ids=lambda way: way.__name__.strip("_"))
def test_a_trusted_workspace_has_its_environment(place: Place, way: Callable[[Place], str]) -> None:
    assert "Billing" in read_of(place, "app.py", _lay(place, way), trusted=True)


@pytest.mark.parametrize("is_link", [False, True], ids=["", "workspace is a link"])
def test_what_lies_in_the_workspace_is_read(place: Place, is_link: bool) -> None:
    place.write("pkg/__init__.py")
    place.write("billing.py", CODE)
    place.write("pkg/inner.py", CODE)
    (place.root / "linked.py").symlink_to("billing.py")
    (place.root / "linked_folder").symlink_to("pkg")
    place.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    place.write(".venv/lib/python3.11/site-packages/installed.py", CODE)
    if is_link:
        place.opened = place.private.parent / "opened"
        place.opened.symlink_to(place.root)
    for text in (
        "from .inner import ", "from ..billing import ", "from billing import ", "from pkg.inner import ", "from linked import ",
        "from linked_folder.inner import ", "from installed import ",
    ):  # fmt: skip
        assert "Billing" in read_of(place, "pkg/app.py", text), text


def test_the_standard_library_is_always_known(place: Place) -> None:
    assert "dataclass" in read_of(place, "app.py", "from dataclasses import ")
    version = ".".join(map(str, sys.version_info[:2]))
    modules = imports_for("python", version, place.root / "app.py", at_once=True, reach=place.reach())
    assert modules is not None and modules.get("json") is not None  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg", "setup.py", ".python-version"])
@pytest.mark.parametrize("above", [False, True], ids=["link", "above"])
def test_the_version_is_told_by_the_workspace(place: Place, name: str, above: bool) -> None:
    text = {
        "pyproject.toml": '[project]\nrequires-python = ">=3.9"\n[tool.suture]\nmax_tokens = 7\n',
        "setup.cfg": "[options]\npython_requires = >=3.9\n",
        "setup.py": "setup(python_requires='>=3.9')\n",
        ".python-version": "3.9\n",
    }[name]
    default = place.configuration(False).version(str(place.root / "app.py"), "python")
    assert default != "3.9"
    outside = (place.root.parent if above else place.private) / name
    outside.write_text(text)
    if not above:
        (place.root / name).symlink_to(outside)
    configuration = place.configuration(False)
    assert configuration.version(str(place.root / "app.py"), "python") == default
    assert configuration.settings(str(place.root / "app.py")).max_tokens != 7
    (place.root / name).unlink(missing_ok=True)
    place.write(name, text)
    configuration = place.configuration(False)
    assert configuration.version(str(place.root / "app.py"), "python") == "3.9"
    assert (configuration.settings(str(place.root / "app.py")).max_tokens == 7) == (name == "pyproject.toml")


def test_go_stays_in_the_workspace(place: Place) -> None:
    path = place.write("app.go", "package p\n")
    place.write("mine.go", GO.replace("private", "own"))
    assert names_elsewhere("go", path, "package p\n", reach=place.reach()) == {"ownThing"}
    (place.root / "linked.go").symlink_to(place.private / "billing.go")
    (place.root / "folder").symlink_to(place.private)
    fresh = place.write("sub/app.go", "package p\n")
    (fresh.parent / "linked.go").symlink_to(place.private / "billing.go")
    assert names_elsewhere("go", fresh, "package p\n", reach=place.reach()) is None
    assert names_elsewhere("go", place.root / "folder" / "app.go", "package p\n", reach=place.reach()) is None
    (place.root.parent / "go.mod").write_text("module m\n\ngo 1.22\n\nreplace x => ../../private\n")
    assert go_version_for(path, place.reach()) == "1.24" and go_version_for(path) == "1.22"
    (place.private / "go.mod").write_text("module m\n\ngo 1.23\n")
    (place.root / "go.mod").symlink_to(place.private / "go.mod")
    assert go_version_for(path, place.reach()) == "1.24"


def test_slua_stays_in_the_workspace(place: Place) -> None:
    api = "class Private { secret: () -> int }\nglobal private: Private\nrecord R { a: int }\nclass S { mod: (r: R) -> void }\n"
    api += "global s: S\nscript one { do locals... mod(R); end }\n"
    (place.private / "host.slua-api").write_text(api)
    script = place.write("a.slua", "")
    (place.root / "host.slua-api").symlink_to(place.private / "host.slua-api")
    assert Surroundings().api(script, place.root) is None
    (place.root / "host.slua-api").unlink()
    (place.root.parent / "host.slua-api").write_text(api)
    assert Surroundings().api(script, place.root) is None
    place.write("host.slua-api", api)
    try:
        assert Surroundings().api(script, place.root) is not None
    except ApiError:
        pass  # it was read


@pytest.mark.parametrize("mark", [".git", "pyproject.toml"])
def test_a_file_in_no_workspace_reaches_its_project(place: Place, mark: str) -> None:
    place.write("pkg/__init__.py")
    path = place.write("pkg/app.py")
    (place.root / mark).mkdir() if mark == ".git" else place.write(mark)
    reach = Configuration(None, []).reach(str(path))
    assert reach == Reach(str(place.root), False)
    assert not reach.allows(place.private / "billing.py")


def test_a_file_in_no_project_reaches_its_package(place: Place) -> None:
    path = place.write("pkg/sub/app.py")
    assert Configuration(None, []).reach(str(path)).root == str(place.root / "pkg" / "sub")
    place.write("pkg/sub/__init__.py")
    place.write("pkg/__init__.py")
    assert Configuration(None, []).reach(str(path)).root == str(place.root / "pkg")
    assert Configuration(None, []).reach(None).allows(path) is False


def test_a_workspace_of_a_client_over_the_network_is_never_trusted(place: Place) -> None:
    assert not Configuration(None, [], trusted=True, remote=True).reach(str(place.root / "a.py")).trusted


@pytest.mark.parametrize(
    "home", [r"\\host\share\python", "//host/share/python", "relative/bin", r"\\?\UNC\host\share", ""]
)
def test_no_other_machine_is_asked_for_an_interpreter(place: Place, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from suture.common import untrusted
    from suture.parser.languages.python.semantics import modules

    place.write(".venv/pyvenv.cfg", f"home = {home}\nversion = 3.11.1\n")
    looked: list[str] = []
    real = untrusted.is_regular
    monkeypatch.setattr(modules.untrusted, "is_regular", lambda path: looked.append(str(path)) or real(path))
    for trusted in (False, True):
        modules.modules_for(place.root / "app.py", (3, 11), reach=place.reach(trusted))
    assert looked and all(one.startswith(str(place.root)) for one in looked)


def test_what_a_request_reads_is_what_its_workspace_allows(place: Place) -> None:
    """From the server's session to the engine: the prompt and the names of a document in an untrusted workspace."""
    from types import SimpleNamespace

    from suture.lsp_server.completion.engine.pipeline import CompletionEngine
    from suture.lsp_server.session.session import Session
    from suture.lsp_server.settings.spec import Settings

    (place.root / "helper.py").symlink_to(place.private / "billing.py")
    place.write("own.py", CODE.replace("private", "own"))
    text = "from helper import private_thing\nfrom own import own_thing\nimport helper\n\nhelper.x"
    path = place.write("app.py", text)
    session = Session(SimpleNamespace(), SimpleNamespace(engine=None))  # type: ignore[arg-type]
    session.configuration = place.configuration(False)
    document = session.documents.open(path.as_uri(), "python", 1, text)
    snapshot = session.snapshot(document.uri)
    assert snapshot is not None and snapshot.start.reach == place.reach()
    engine = CompletionEngine(Settings(), patient=True)
    cursor = snapshot.cursor(len(text))
    shown = "".join(piece.text for piece in engine.surroundings.options(cursor).snippets)  # type: ignore[arg-type]
    assert "own_thing" in shown and "private" not in shown
    hole = engine.sessions.hole(cursor)
    assert hole.state is not None and hole.state.next_words is None  # of `helper`, nothing is known

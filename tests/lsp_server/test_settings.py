"""Settings: the accepted values, the layer that counts, the limits of an untrusted workspace."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from suture.lsp_server.context.globs import any_matches
from suture.lsp_server.settings.effective import Configuration, Folder
from suture.lsp_server.settings.sources import client_layer, combine, environment_layer, parsed_toml
from suture.lsp_server.settings.spec import SPECS, GrammarSetting, Settings, read_environment
from suture.lsp_server.settings.user_file import user_file

from ..support.work import calls

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user without settings, in an environment without any."""
    for name in SPECS:
        monkeypatch.delenv(f"SUTURE_{name.upper()}", raising=False)
    for name in ("XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def workspace(path: Path, toml: str = "", name: str = "work") -> Folder:
    folder = path / name
    write(folder / "pyproject.toml", toml)
    return Folder(folder.as_uri(), folder)


@pytest.mark.parametrize(
    ("options", "settings", "messages"),
    [
        (None, Settings(), 0),
        ({}, Settings(), 0),
        ({"maxTokens": 9, "model": "/m", "device": "cpu"}, Settings(max_tokens=9, model="/m", device="cpu"), 0),
        ({"max_tokens": 9, "temperature": 1}, Settings(max_tokens=9, temperature=1.0), 0),
        ({"suture": {"enable": False}}, Settings(enable=False), 0),
        ({"model": None, "device": ""}, Settings(), 0),
        ({"device": "cuda:1"}, Settings(device="cuda:1"), 0),
        ({"device": "gpu"}, Settings(), 1),
        ({"maxTokens": True, "enable": 1, "temperature": "hot", "model": 3}, Settings(), 4),
        ({"maxTokens": 10**9, "colour": "red"}, Settings(), 2),
        ({"languages": {"json": False}}, Settings(languages={"json": False}), 0),
        ({"languages": {"json": 0}, "disabledGlobs": "*.py", "pythonVersion": "2.7", "idleMinutes": -1}, Settings(), 4),
        ({"disabledGlobs": ["*.py"], "idleMinutes": 0}, Settings(disabled_globs=("*.py",), idle_minutes=0.0), 0),
        ({"grammars": [{"name": "toy", "path": "t.lark"}]}, Settings(grammars=(GrammarSetting("toy", "t.lark"),)), 0),
        ({"grammars": [{"name": "toy"}]}, Settings(), 1),
        ({"grammars": [{"name": "toy", "path": "t.lark", "run": "x"}]}, Settings(), 1),
        # An editor's own settings lie under the same name.
        (
            {"path": ["suture"], "showNotifications": "off", "trace": {"server": "off"}, "workspaceTrusted": True},
            Settings(),
            0,
        ),
        (["maxTokens"], Settings(), 1),
        ("maxTokens", Settings(), 1),
    ],
)
def test_what_a_client_may_say(options, settings, messages):
    layer = client_layer("options", options)
    assert combine([layer]).settings == settings
    assert len(layer.messages) == messages


def test_each_layer_goes_before_the_one_below(home, monkeypatch):
    folder = workspace(home, "[tool.suture]\nmax_tokens = 3\nmax_lines = 3\ntemperature = 1\nin_strings = false\n")
    write(user_file(), "max_tokens = 2\nenable = false\nlanguages = {json = false, toy = true}\n")
    monkeypatch.setenv("SUTURE_MAX_TOKENS", "4")
    monkeypatch.setenv("SUTURE_MAX_LINES", "4")
    monkeypatch.setenv("SUTURE_LANGUAGES", "toy=off,python=on")
    configuration = Configuration({"maxTokens": 5, "temperature": 0.5}, [folder])
    configuration.set_client({"maxTokens": 6})
    found = configuration.whole()
    assert found.messages == ()
    assert found.settings == Settings(
        max_tokens=6,
        temperature=0.5,
        max_lines=4,
        in_strings=False,
        enable=False,
        languages={"json": False, "toy": False, "python": True},
    )
    pyproject = f"{folder.path / 'pyproject.toml'} [tool.suture]"
    assert {name: source for name, source in found.sources.items() if source != "default"} == {
        "max_tokens": "editor",
        "temperature": "initialization options",
        "max_lines": "environment",
        "in_strings": pyproject,
        "enable": str(user_file()),
        "languages": "environment",
    }


def test_an_untrusted_workspace_chooses_no_model_device_or_grammar(home):
    said = 'model = "evil"\ndevice = "cuda"\noffline = false\nmax_lines = 2\n'
    folder = workspace(home, f'[tool.suture]\n{said}grammars = [{{name = "toy", path = "toy.lark"}}]\n')
    (folder.path / "evil").mkdir()
    untrusted = Configuration(None, [folder]).whole()
    assert untrusted.settings == Settings(max_lines=2)
    assert len(untrusted.messages) == 4 and all("not trusted" in message for message in untrusted.messages)
    trusted = Configuration(None, [folder], trusted=True).whole()
    grammar = GrammarSetting("toy", str(folder.path / "toy.lark"))  # paths are relative to the file naming them
    assert trusted.settings == Settings(
        model=str(folder.path / "evil"), device="cuda", offline=False, max_lines=2, grammars=(grammar,)
    )
    assert trusted.messages == ()


def values_of(name: str) -> list[Any]:
    """Possible values of a setting, in TOML's and JSON's types."""
    default = getattr(Settings(), name)
    if isinstance(default, bool):
        return [True, False]
    special = {
        "languages": [{"json": True}, {"json": False, "go": True}, {"json": True, "go": False, "toy": False}],
        "disabled_globs": [["*.py"], ["a/**", "*.py"], []],
        "grammars": [[{"name": "toy", "path": "/toy.lark"}], []],
        "device": ["cpu", "cuda"],
        "dtype": ["float32", "bfloat16"],
        "python_version": ["3.11", "3.12"],
        "certainty": [0.25, 0.75],
        "temperature": [0.5, 1.5],
        "model_key_env": ["KEY", "OTHER"],
    }
    if name in special:
        return special[name]
    return (
        [70, 90] if name in ("max_lines", "max_tokens", "threads", "context_tokens", "idle_minutes") else ["/a", "/b"]
    )


def stricter(name: str, one: Any, other: Any) -> Any:
    """The combined value of the user's and a workspace's setting, if a workspace can only make it stricter; else None."""
    if name == "disabled_globs":
        return tuple(dict.fromkeys((*one, *other)))
    if name == "languages":
        return {key: one.get(key, True) and other.get(key, True) for key in {**one, **other}}
    if isinstance(one, bool):
        return (one or other) if name == "offline" else (one and other)
    return None


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("where", ["file", "environment", "options", "editor"])
@pytest.mark.parametrize("name", SPECS)
def test_a_workspace_makes_settings_only_stricter(home, monkeypatch, name, where, trusted):
    """For each setting, each of its values as the user says it anywhere and as a workspace says it, trusted or not."""
    spec = SPECS[name]
    for ours, theirs in product([None, *values_of(name)], values_of(name)):
        folder = workspace(home, tomlkit.dumps({"tool": {"suture": {name: theirs}}}))
        write(user_file(), tomlkit.dumps({name: ours}) if where == "file" and ours is not None else "")
        said = {name: ours} if ours is not None else {}
        if where == "environment" and ours is not None:
            if spec.from_text is None or ours in ([], {}):
                continue
            pairs = [f"{key}={on}" for key, on in ours.items()] if isinstance(ours, dict) else ours
            monkeypatch.setenv(f"SUTURE_{name.upper()}", ",".join(pairs) if isinstance(pairs, list) else str(ours))
        configuration = Configuration(said if where == "options" else None, [folder], trusted=trusted)
        if where == "editor":
            configuration.set_client(said)
        monkeypatch.delenv(f"SUTURE_{name.upper()}", raising=False)
        found = configuration.whole()
        held = getattr(found.settings, name)
        mine, yours = (None if value is None else spec.shape(value) for value in (ours, theirs))
        if spec.user_only or (spec.trusted_only and not trusted):
            expected = getattr(Settings(), name) if mine is None else mine
        elif mine is None:
            expected = yours
        else:
            both = stricter(name, mine, yours)
            expected = both if both is not None else yours if where == "file" else mine
        assert held == expected, (ours, theirs)
        refused = spec.user_only or (spec.trusted_only and not trusted)
        laxer = isinstance(theirs, bool) and held != theirs
        if isinstance(theirs, dict):
            laxer = any(held[key] != on for key, on in theirs.items())
        assert bool(found.messages) == (refused or laxer), found.messages
        assert len(found.messages) <= 1 and all(name in message for message in found.messages)


def test_folders_have_settings_of_their_own_but_one_model(home):
    one = workspace(home, "[tool.suture]\nmax_lines = 2\n", "one")
    two = workspace(home, '[tool.suture]\nmax_lines = 3\nmodel = "two"\n', "two")
    write(two.path / "sub" / "pyproject.toml", "[project]\n")
    write(two.path / "deep" / "pyproject.toml", "[tool.suture]\nmax_lines = 4\n")
    configuration = Configuration(None, [one, two], trusted=True)
    configuration.set_client({"maxTokens": 7}, two.uri)

    def settings(*parts: str) -> Settings:
        return configuration.settings(str(home.joinpath(*parts)))

    assert settings("one", "a.py") == Settings(max_lines=2)
    assert settings("two", "a.py") == settings("two", "sub", "a.py") == Settings(max_lines=3, max_tokens=7)
    assert settings("two", "deep", "er", "a.py") == Settings(max_lines=4, max_tokens=7)
    assert settings("elsewhere", "a.py") == configuration.settings(None) == Settings()
    assert configuration.whole().settings.model is None
    write(one.path / "pyproject.toml", "[tool.suture]\nmax_lines = 9\n")
    assert settings("one", "a.py").max_lines == 2
    configuration.reread()
    assert settings("one", "a.py").max_lines == 9
    configuration.set_folders([two])
    assert settings("one", "a.py") == Settings(model="two")  # outside of all folders, the first one counts


@pytest.mark.parametrize("toml", ["[tool.suture\n", "tool = 3\n", "[tool]\nsuture = 3\n", "x = [" * 10_000])
def test_files_that_are_no_settings(home, toml):
    folder = workspace(home, toml)
    write(user_file(), toml)
    assert Configuration(None, [folder]).whole().settings == Settings()


def test_what_is_wrong_is_said_with_its_file(home):
    folder = workspace(home, "[tool.suture]\nmax_line = 3\nmax_tokens = 0\n")
    write(user_file(), "enable = 'yes'\n")
    messages = Configuration(None, [folder]).whole().messages
    assert messages == (
        f"{user_file()}: enable must be true or false; it is ignored",
        f"{folder.path / 'pyproject.toml'} [tool.suture]: there is no setting 'max_line' (do you mean max_lines?); it is ignored",
        f"{folder.path / 'pyproject.toml'} [tool.suture]: max_tokens must be a whole number from 1 to 1024; it is ignored",
    )


@pytest.mark.parametrize("name", SPECS)
def test_a_misspelt_variable_is_said_to_be_one(name):
    longest = max(name.split("_"), key=len)
    for wrong in {name.replace(longest, longest[:-2] + longest[-1]), name + "s"} - SPECS.keys():
        chosen, messages = read_environment({f"SUTURE_{wrong.upper()}": "1"})
        asked = f"there is no setting {wrong!r} (do you mean "
        assert not chosen and [asked in message for message in messages] == [True], wrong


def test_other_variables_are_no_misspelt_ones():
    mine = "TOKEN KEY API_KEY DEBUG NODE STATE_DIR TORCH TORCH_INDEX VLLM VLLM_LANGUAGES WATCHDOG_S TESTS_NEED_TORCH TEST_EDITORS TEST_GGUF"
    assert read_environment({f"SUTURE_{name}": "1" for name in mine.split()} | {"suture_model": "x"}) == ({}, [])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("enable", "0", False),
        ("offline", "No", False),
        ("max_tokens", "12", 12),
        ("max_tokens", "12.5", None),
        ("idle_minutes", "0.5", 0.5),
        ("temperature", "nan", 0.0),
        ("disabled_globs", "a/**, *.min.py", ("a/**", "*.min.py")),
        ("languages", "json=false, python=on", {"json": False, "python": True}),
        ("languages", "json", {}),
        ("python_version", "3.12", "3.12"),
        ("model", " ", None),
        ("grammars", "x", ()),
    ],
)
def test_the_environment(monkeypatch, name, text, value):
    monkeypatch.setenv(f"SUTURE_{name.upper()}", text)
    assert getattr(combine([environment_layer()]).settings, name) == value


@pytest.mark.parametrize(
    ("pyproject", "pinned", "setting", "version"),
    [
        ("", None, None, "3.11"),
        ('[project]\nrequires-python = ">=3.9"\n', None, None, "3.9"),
        ('[project]\nrequires-python = ">=3.9"\n', "3.12", None, "3.9"),
        ("", "3.12.1\n", None, "3.12"),
        ('[project]\nrequires-python = ">=3.9"\n', None, "3.13", "3.13"),
    ],
)
def test_the_version_of_python(home, pyproject, pinned, setting, version):
    folder = workspace(home, pyproject)
    if pinned:
        write(folder.path / ".python-version", pinned)
    configuration = Configuration({"pythonVersion": setting}, [folder])
    assert configuration.version(str(folder.path / "package" / "a.py"), "python") == version
    assert configuration.version(None, "python") == (setting or "3.11")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.min.py", "/w/a/b.min.py", True),
        ("*.min.py", "/w/a/b.py", False),
        ("generated", "/w/a/generated/b.py", True),
        ("generated/", "/w/generated/b.py", True),
        ("b.py/", "/w/a/b.py", False),
        ("/a/*.py", "/w/a/b.py", True),
        ("/a/*.py", "/w/c/a/b.py", False),
        ("a/*.py", "/w/a/c/b.py", False),
        ("a/**", "/w/a/c/b.py", True),
        ("**/c/*.py", "/w/a/c/b.py", True),
        ("**/c/*.py", "/w/c/b.py", True),
        ("?.py", "/w/b.py", True),
        ("[!a].py", "/w/b.py", True),
        ("[a-", "/w/b.py", False),
        ("[z-a]", "/w/b.py", False),
        ("a+(b", "/w/a+(b", True),
        ("home/*.py", "/home/b.py", True),  # outside the folder, from the root
    ],
)
def test_patterns_of_files(pattern, path, matches):
    assert any_matches((pattern,), path, "/w") == matches


def test_the_command_prints_what_holds_and_where_it_comes_from(home, monkeypatch):
    folder = workspace(home, "[tool.suture]\nmax_lines = 3\nmodel = 'm'\n")
    monkeypatch.setenv("SUTURE_MAX_TOKENS", "4")
    command = [sys.executable, "-I", "-m", "suture.lsp_server", "config", "--folder", str(folder.path)]
    ran = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    said = json.loads(ran.stdout)
    assert said["settings"].keys() == SPECS.keys()
    assert said["settings"]["max_tokens"] == {
        "value": 4,
        "source": "environment",
        "meaning": SPECS["max_tokens"].meaning,
    }
    assert said["settings"]["max_lines"]["source"] == f"{folder.path / 'pyproject.toml'} [tool.suture]"
    assert (said["settings"]["model"]["value"], said["settings"]["model"]["source"]) == (None, "default")
    assert "not trusted" in ran.stderr
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    settings = [line.split() for line in lines if line[:2] in ("  ", "* ") and line[2].strip()]
    assert [words[words[0] == "*"] for words in settings] == [*SPECS, *said["folders"]]


def test_nothing_that_an_editor_has_among_its_settings_is_complained_of():
    manifest = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text())
    names = {key.split(".")[1] for key in manifest["contributes"]["configuration"]["properties"]}
    assert client_layer("editor", dict.fromkeys(names)).messages == ()


def test_the_table_of_settings_is_complete():
    page = (ROOT / "docs" / "settings.md").read_text()
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `")]
    documented = {row[1].strip().strip("`"): row[3].strip() for row in rows if row[1].strip().strip("`") in SPECS}
    assert documented == {name: spec.meaning for name, spec in SPECS.items()}


def test_many_folders_are_read_again_in_little_time(home):
    folders = []
    for number in range(300):
        path = home / "many" / str(number)
        path.mkdir(parents=True)
        write(
            path / "pyproject.toml",
            "[tool.suture]\nmax_lines = 3\n" + "".join(f"[tool.a{n}]\nb = 'c'\n" for n in range(150)),
        )
        folders.append(Folder(path.as_uri(), path))
    configuration = Configuration(None, folders)
    assert configuration.effective(str(folders[7].path / "x" / "a.py")).settings.max_lines == 3
    for folder in folders:
        configuration.effective(str(folder.path / "x"))
    read = parsed_toml.cache_info().misses
    for _ in range(3):  # nothing has changed
        configuration.reread()
        for folder in folders:
            configuration.effective(str(folder.path / "x"))
    assert parsed_toml.cache_info().misses == read
    write(folders[5].path / "pyproject.toml", "[tool.suture]\nmax_lines = 4\n")
    configuration.reread()
    assert configuration.effective(str(folders[5].path / "x")).settings.max_lines == 4


def test_a_file_in_very_many_folders_is_soon_known(tmp_path: Path) -> None:
    """A path has up to 2,000 of them; the server reads no message meanwhile."""
    folder = workspace(tmp_path, "[tool.suture]\nmax_tokens = 7\n")
    near = write(folder.path / "x" / "y" / "pyproject.toml", "[tool.suture]\nmax_tokens = 9\n").parent
    configuration = Configuration(None, [folder])
    count, found = calls(lambda: configuration.settings(str(folder.path / ("x/" * 1800) / "a.py")))
    assert count < 1_000_000  # it was many millions
    assert found.max_tokens == 7  # of the workspace, however far it is
    assert configuration.settings(str(near / ("x/" * 50) / "a.py")).max_tokens == 9

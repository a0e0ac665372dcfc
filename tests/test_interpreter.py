"""Programs of ours start without the files of the current folder, or of PYTHONPATH."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from suture.common import interpreter

from .support.hostile_folder import PROGRAMS, hostile_folder, what_ran
from .support.raw_client import running

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("common", "lsp_server", "model", "parser", "slua", "training", "scripts", "plugins")
_CHILD = "import subprocess, sys; from suture.common import interpreter as i; print(subprocess.run(i.command('suture.common.interpreter'), check=True).returncode, i.importable().count(sys.argv[1]))"


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A hostile folder as the current one."""
    folder = hostile_folder(tmp_path / "hostile")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("flags", [["-I"], ["-P"], ["-P", "-s"], ["-P", "-E"]])
def test_a_module_of_ours_is_run_past_the_current_folder(hostile, flags):
    done = subprocess.run([sys.executable, *flags, "-c", _CHILD, str(hostile)], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "0"], done.stderr
    assert what_ran(hostile) == ""


def test_a_process_that_found_suture_in_the_current_folder_has_children_that_do(hostile, monkeypatch):
    folder = hostile / "own"
    (folder / "suture").mkdir(parents=True)
    (folder / "suture" / "common").symlink_to(ROOT / "common")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    done = subprocess.run([sys.executable, "-P", "-c", _CHILD, str(folder)], capture_output=True, text=True)
    assert done.stdout.split()[0] == "0", done.stderr


@pytest.mark.parametrize("path", [".", "", "{hostile}", "relative"])
@pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
def test_a_program_is_looked_for_in_no_folder_of_a_workspace(hostile, monkeypatch, path):
    monkeypatch.setenv("PATH", os.pathsep.join((path.format(hostile=""), "/usr/bin", "/bin")))
    for name in PROGRAMS:
        found = interpreter.find_program(name)
        assert found is None or (os.path.isabs(found) and not Path(found).is_relative_to(hostile))


@pytest.mark.parametrize("command", [["-I", "-m", "suture.lsp_server"], ["-P", "-m", "suture.lsp_server"]])
def test_the_server_and_its_children_run_nothing_of_the_folder_they_are_started_in(hostile, command):
    """A grammar of the workspace's user is compiled, and a language checked by tree-sitter is parsed."""
    (hostile / "toy.lark").write_text('start: "a" "b"\n')
    environment = {**os.environ, "PATH": f".{os.pathsep}{os.environ['PATH']}", "XDG_CACHE_HOME": str(hostile.parent)}
    with running([sys.executable, *command, "serve"], env=environment) as raw:
        grammar = {"name": "toy", "path": str(hostile / "toy.lark"), "patterns": ["*.toy"]}
        folder = hostile.as_uri()
        raw.initialize(
            {"textDocument": {"inlineCompletion": {}}}, folders=[folder], grammars=[grammar], workspaceTrusted=True
        )
        for name, language, text in (
            ("a.toy", "toy", "a"),
            ("a.py", "python", "import o\n"),
            ("a.rs", "rust", "fn main() {\n"),
        ):
            raw.open(f"{folder}/{name}", text, language)
            raw.items(f"{folder}/{name}", 0, 1, kind=1)
        assert raw.end() == 0
    assert what_ran(hostile) == ""


@pytest.mark.parametrize("word", ["doctor --json", "models --json", "config", "stats"])
def test_commands_run_nothing_of_the_folder_they_are_started_in(hostile, word):
    environment = {**os.environ, "PATH": f".{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-I", "-m", "suture.lsp_server", *word.split()]
    subprocess.run(command, capture_output=True, env=environment, timeout=300)
    assert what_ran(hostile) == ""


SCRIPT = Path(sys.executable).with_name("suture")


@pytest.mark.skipif(not SCRIPT.is_file(), reason="the command is not installed beside this Python")
@pytest.mark.parametrize("path", [".", "lib", "lib/../lib"])
def test_the_command_takes_no_library_from_where_pythonpath_names_it_from_here(tmp_path, path):
    """A `suture` or `re` there is taken by Python itself, before anything of ours runs: docs/security.md says so."""
    for folder in (tmp_path, tmp_path / "lib"):
        folder.mkdir(exist_ok=True)
        for name in ("lark", "numpy", "pygls", "lsprotocol", "uvicorn", "h11", "tomlkit"):
            (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__)\n")
    environment = {**os.environ, "PYTHONPATH": path}
    line = '{"language": "python", "left": "f(", "middle": "x", "right": ")\\n"}\n'
    ways: dict = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True, "timeout": 300}
    done = subprocess.run([SCRIPT, "check", "--jsonl"], input=line, **ways)
    assert '"complete": true' in done.stdout, done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(os.name == "nt" or not SCRIPT.is_file(), reason="no folder can be deleted in which a program is")
@pytest.mark.parametrize("command", ["serve --http 0", "complete a.py --at 1:0"])
def test_a_current_folder_that_was_deleted_is_named_as_the_fault(tmp_path, command):
    gone = tmp_path / "gone"
    gone.mkdir()
    shell = f"cd '{gone}' && rmdir '{gone}' && exec '{SCRIPT}' {command}"
    done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "cannot write" not in done.stderr
    assert "has been deleted" in done.stderr or "a.py" in done.stderr


# No other start of a Python


def lists_with_an_interpreter(tree: ast.AST):
    """The lists of a module's code beginning like a command with a Python: `[sys.executable, ...]`, `[python, ...]`,
    `[str(python), ...]`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List) and len(node.elts) > 1:
            first = ast.unparse(node.elts[0])
            if re.fullmatch(r"(str\()?(sys\.executable|\w*python\w*|base|interpreter)\)?", first):
                yield node


@pytest.mark.parametrize("package", PACKAGES)
def test_every_python_that_we_start_is_isolated(package):
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in lists_with_an_interpreter(ast.parse(path.read_text(encoding="utf-8"))):
            second = node.elts[1]
            assert isinstance(second, ast.Constant) and second.value == "-I", f"{path}:{node.lineno}"


@pytest.mark.parametrize("package", [package for package in PACKAGES if package not in ("scripts", "plugins")])
def test_only_the_helper_knows_how_this_interpreter_is_started(package):
    allowed = {"common/interpreter.py", "model/loading/installed.py", "lsp_server/cli/doctor_checks.py"}
    for path in sorted((ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        assert name in allowed or "sys.executable" not in text, name
        assert "shutil.which" not in text or name == "model/loading/installed.py", f"{name}: use find_program"
        assert "shell=True" not in text and "os.system" not in text, name


def test_editors_start_a_python_isolated_and_in_no_folder_of_the_workspace():
    for path in sorted((ROOT / "editors" / "vscode" / "src").glob("*.ts")):
        text = path.read_text(encoding="utf-8")
        for call in re.finditer(r"(?<!\w)(?:execFile|spawn)\((\w[\w.]*), (.{0,400})", text, re.DOTALL):
            assert "cwd: os.homedir()" in call[2], f"{path.name}: {call[1]}"
    install = (ROOT / "editors" / "vscode" / "src" / "install.ts").read_text(encoding="utf-8")
    starts = re.findall(r"(?:execFile|this\.run)\((?:python|launcher|base), (\[[^\]]*\]|args)", install)
    assert len(starts) == 4
    assert all(start == "args" or '"-I"' in start for start in starts)
    assert all('"-I"' in given for given in re.findall(r"const args = (\[.*?\]);", install))
    for path in sorted((ROOT / "editors" / "neovim").rglob("*.lua")):
        for call in re.finditer(
            r"(?:vim\.system|jobstart|termopen),? ?\(?(.{0,300})", path.read_text(encoding="utf-8"), re.DOTALL
        ):
            assert "cwd" in call[1] or "options" in call[1][:60], path.name


def test_make_starts_a_python_isolated_where_it_installs():
    text = (ROOT / "Makefile").read_text(encoding="utf-8") + (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for line in text.splitlines():
        assert not re.search(r"python\S* -m (pip|venv|build)\b|\$\((PYTHON|OTHER)\) -m", line), line

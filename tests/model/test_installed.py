"""The installed parts, and the command for the missing ones: for pip, pipx, uv and a clone."""

import json
import os
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from suture.model.loading import installed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """A plain environment: made by pip, on a Linux without a GPU."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "suture"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "suture" / "bin" / "python"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(installed, "has_nvidia_driver", lambda: False)
    monkeypatch.setattr(installed, "_clone", lambda: None)
    (tmp_path / "suture").mkdir()
    return tmp_path / "suture"


@pytest.mark.parametrize("extra", installed.PACKAGES)
def test_what_is_asked_for_is_what_the_extra_brings(extra):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    if extra in extras:
        assert {Requirement(one).name for one in extras[extra]} >= set(installed.PACKAGES[extra])


@pytest.mark.skipif(os.name != "posix", reason="commands are links there")
def test_a_shell_is_told_a_command_that_it_finds(environment, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "on path"))
    assert installed.program() == "suture"  # an environment without the command: nothing better is known
    own = environment / "bin" / "suture"
    other = tmp_path / "on path" / "suture"
    for path in (own, other):
        path.parent.mkdir()
        path.touch(0o755)
    assert installed.program() == str(own)  # the shell finds another installation
    other.unlink()
    assert installed.program() == str(own)
    other.symlink_to(own)
    assert installed.program() == "suture"


@pytest.mark.parametrize("extra", installed.PACKAGES)
def test_a_package_that_cannot_be_imported_is_not_there(extra, monkeypatch):
    monkeypatch.setitem(sys.modules, installed.PACKAGES[extra][-1], None)
    assert not installed.has(extra)


def test_pip_installs_into_the_environment_of_the_process(environment):
    python = str(environment / "bin" / "python")
    assert installed.commands("gguf") == [
        [python, "-I", "-m", "pip", "install", "--only-binary", "xllamacpp", "xllamacpp"]
    ]
    first, second = installed.commands("torch")
    assert first == [python, "-I", "-m", "pip", "install", "--index-url", installed.CPU_INDEX, "torch"]
    assert second == [python, "-I", "-m", "pip", "install", "transformers"]
    assert installed.missing("torch").endswith(f"{shlex.join(first)} && {shlex.join(second)}")


def test_the_build_for_gpus_takes_the_place_of_that_for_cores(environment):
    python = str(environment / "bin" / "python")
    options = ["--force-reinstall", "--index-url", installed.CUDA_INDEX, "--only-binary", "xllamacpp"]
    assert installed.commands("gguf-cuda") == [[python, "-I", "-m", "pip", "install", *options, "xllamacpp"]]
    (environment / "pipx_metadata.json").touch()
    assert installed.commands("gguf-cuda")[0][:4] == ["pipx", "inject", "suture", "--force"]


@pytest.mark.parametrize(
    ("content", "on_gpu"), [(b"\0ggml_cuda_init\0", True), (b"\0ggml_init\0", False), (b"", False)]
)
def test_the_build_is_told_by_its_file(content, on_gpu, tmp_path, monkeypatch):
    package = tmp_path / "xllamacpp"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "xllamacpp.abi3.so").write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)
    assert installed.has("gguf") and installed.has("gguf-cuda") == on_gpu


@pytest.mark.parametrize(
    ("system", "library", "can"),
    [
        ("linux", ("glibc", "2.35"), True),
        ("linux", ("glibc", "2.9"), False),
        ("linux", ("", ""), False),
        ("darwin", ("", ""), False),
        ("win32", ("", ""), True),
    ],
)
def test_the_build_for_gpus_needs_a_system_that_it_runs_on(system, library, can, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(installed.platform, "libc_ver", lambda: library)
    assert installed.can_have_cuda() == can


def test_with_a_gpu_pytorch_is_the_one_of_pypi(environment, monkeypatch):
    monkeypatch.setattr(installed, "has_nvidia_driver", lambda: True)
    python = str(environment / "bin" / "python")
    assert installed.commands("torch") == [[python, "-I", "-m", "pip", "install", "torch", "transformers"]]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["C:\\suture\\python.exe", "-m", "pip"], "C:\\suture\\python.exe -m pip"),  # for the command prompt, too
        (["C:\\Anna O'Hara\\python.exe", "-m", "pip"], "& 'C:\\Anna O''Hara\\python.exe' -m pip"),
        (["pipx", "inject", "--pip-args=--only-binary x"], "pipx inject '--pip-args=--only-binary x'"),
        (["C:\\(x86)\\python.exe", "$a"], "& 'C:\\(x86)\\python.exe' '$a'"),
    ],
)
def test_windows_gets_a_line_for_powershell(monkeypatch, words, line):
    monkeypatch.setattr(installed, "commands", lambda extra: [words, words])
    with monkeypatch.context() as windows:
        windows.setattr(installed.os, "name", "nt")
        said = installed.command("gguf")
    assert said == f"{line}; {line}"


def test_pipx_injects_into_its_own_environment(environment):
    (environment / "pipx_metadata.json").touch()
    assert installed.commands("gguf") == [
        ["pipx", "inject", "suture", "--pip-args=--only-binary xllamacpp", "xllamacpp"]
    ]


def test_an_environment_without_pip_asks_uv(environment, monkeypatch):
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    assert installed.commands("gguf")[0][:5] == ["uv", "pip", "install", "--python", sys.executable]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no make")
def test_the_environment_of_a_clone_is_for_make(tmp_path, monkeypatch):
    clone = tmp_path / "my clone"
    (clone / ".venv").mkdir(parents=True)
    for made in ("Makefile", ".venv/.ready"):
        (clone / made).touch()

    class Installed:
        def read_text(self, name):
            return json.dumps({"dir_info": {"editable": True}, "url": clone.as_uri()})

    monkeypatch.setattr(installed, "distribution", lambda name: Installed())
    monkeypatch.setattr(sys, "prefix", str(clone / ".venv"))
    assert installed.command("torch") == f"make -C '{clone}' torch"

"""The setup of environments: the chosen build of PyTorch, the messages, and an installation from stand-in indexes."""

import base64
import hashlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .support.hostile_folder import hostile_folder, what_ran

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "setup_environment.py"


def load_script():
    """The script as a module: it is no part of a package, for it runs before anything is installed."""
    spec = importlib.util.spec_from_file_location("setup_environment", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


setup = load_script()


def plan(build="auto", index=None, system="Linux", machine="x86_64", gpu=False, extras=("torch",), llama_cpp=False):
    return setup.make_plan(build, index, system, machine, gpu, frozenset(extras), llama_cpp)


@pytest.mark.parametrize("gpu", [False, True])
def test_pytorch_is_no_part_of_what_nobody_asked_for(gpu):
    chosen = plan(gpu=gpu, extras=("dev",))
    assert (chosen.build, chosen.index) == ("none", None) and "PyTorch" not in chosen.in_words()
    assert plan(llama_cpp=True, extras=()).rest_mb == setup.REST_MB + setup.LLAMA_MB["Linux x86_64"] + setup.GRAMMARS_MB


def test_extras_are_read_from_what_pip_is_given():
    assert setup.extras_of([".[languages,torch]", "/a/suture-0.1-py3-none-any.whl[gguf]", "torch"]) == {
        "languages",
        "torch",
        "gguf",
    }


def test_linux_without_a_gpu_takes_the_build_for_the_cpu_from_its_own_index():
    chosen = plan()
    assert (chosen.build, chosen.index) == ("cpu", setup.CPU_INDEX)
    assert "192 MB" in chosen.in_words() and "SUTURE_TORCH=cuda" in chosen.in_words()


def test_linux_with_a_gpu_takes_cuda_and_says_that_it_is_gigabytes():
    chosen = plan(gpu=True)
    assert (chosen.build, chosen.index) == ("cuda", None)
    assert "2.7 GB" in chosen.in_words() and "SUTURE_TORCH=cpu" in chosen.in_words()


@pytest.mark.parametrize(("build", "gpu", "expected"), [("cpu", True, "cpu"), ("cuda", False, "cuda")])
def test_the_user_overrides_what_is_found(build, gpu, expected):
    assert plan(build, gpu=gpu).build == expected


@pytest.mark.parametrize(("system", "machine"), [("Darwin", "arm64"), ("Windows", "AMD64")])
def test_other_systems_take_what_pypi_has_and_say_how_much_it_is(system, machine):
    chosen = plan(system=system, machine=machine)
    assert (chosen.build, chosen.index) == ("pypi", None)
    assert f"{setup.TORCH_MB[f'{system} {machine}']} MB" in chosen.in_words()


@pytest.mark.parametrize("system", ["Linux", "Darwin", "Windows"])
def test_an_index_of_the_users_own_counts_everywhere(system):
    chosen = plan(index="https://mirror.example/whl", system=system, gpu=True)
    assert chosen.index == "https://mirror.example/whl"


def test_cuda_where_there_is_none_says_what_to_do():
    with pytest.raises(setup.SetupError, match="SUTURE_TORCH_INDEX"):
        plan("cuda", system="Windows", machine="AMD64")
    with pytest.raises(setup.SetupError, match="auto, cpu, cuda"):
        plan("rocm")


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for the driver's program is a shell script")
@pytest.mark.parametrize(("answer", "found"), [("GPU 0: NVIDIA H100 (UUID: GPU-1)", True), ("no devices", False)])
def test_a_gpu_is_one_that_the_driver_lists(tmp_path, monkeypatch, answer, found):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\necho '{answer}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert setup.has_nvidia_gpu() is (found or any(Path("/proc/driver/nvidia/gpus").glob("*")))


def test_progress_is_read_from_what_pip_says():
    lines = """Collecting torch==2.13.0
  Downloading https://x/whl/torch-2.13.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl (191.8 MB)
Progress 0 of 191794682
Progress 95897341 of 191794682
Requirement already satisfied: lark in ./lib
Installing collected packages: torch
"""
    read = list(setup.read_progress("installing PyTorch", iter(lines.splitlines(keepends=True))))
    assert [(one.detail, one.done, one.total) for one in read] == [
        ("collecting torch==2.13.0", 0, 0),
        ("torch", 0, 0),
        ("torch", 0, 191794682),
        ("torch", 95897341, 191794682),
        ("unpacking", 0, 0),
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify", "PIP_CERT="),
        (
            "after connection broken by 'NameResolutionError(\"HTTPSConnection(host='pypi.org', port=443)",
            "HTTPS_PROXY=",
        ),
        ("after connection broken by 'ProxyError('Unable to connect to proxy', OSError('Tunnel", "HTTPS_PROXY="),
    ],
)
def test_a_network_that_refuses_is_told_with_what_to_do(said, named, tmp_path):
    script = f"print({said!r}); raise SystemExit(1)"
    with (tmp_path / "log").open("w") as log, pytest.raises(setup.SetupError, match=named) as raised:
        setup.run([sys.executable, "-c", script], "installing", setup.Reporter(io.StringIO(), False), log)
    assert said in str(raised.value)


def test_a_terminal_sees_one_line_that_moves_and_a_program_sees_json():
    terminal = Terminal()
    with setup.Reporter(terminal, as_json=False) as reporter:
        reporter.at(setup.Progress("installing PyTorch", "torch", 50_000_000, 200_000_000))
    assert "torch 25 % of 200 MB" in terminal.getvalue() and "\n" not in terminal.getvalue()
    stream = Terminal()
    with setup.Reporter(stream, as_json=True) as reporter:
        reporter.say("Downloads")
        reporter.at(setup.Progress("a", "b", 1, 2))
    assert [json.loads(line) for line in stream.getvalue().splitlines()] == [
        {"say": "Downloads"},
        {"step": "a", "detail": "b", "done": 1, "total": 2},
    ]


def test_a_log_says_that_something_still_goes_on(monkeypatch):
    monkeypatch.setattr(setup, "TICK_S", 0.01)
    monkeypatch.setattr(setup, "QUIET_S", 0.02)
    stream = io.StringIO()
    with setup.Reporter(stream, as_json=False) as reporter:
        reporter.at(setup.Progress("unpacking"))
        for _ in range(1000):
            if stream.getvalue().count("unpacking") > 2:
                break
            reporter._stop.wait(0.01)
    assert stream.getvalue().count("unpacking") > 2


def wheel(folder: Path, name: str, version: str, requires: str = "", extra: str = "torch") -> None:
    """A package of one module, in an index: FOLDER/name/name-version.whl."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + (
        f"Provides-Extra: {extra}\nRequires-Dist: {requires}; extra == '{extra}'\n" if requires else ""
    )
    files = {
        f"{name}.py": f"build = {version!r}\n",
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}\n"
        for path, text in files.items()
    )
    (folder / name).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    links = "".join(f'<a href="{one.name}">{one.name}</a>' for one in sorted((folder / name).glob("*.whl")))
    (folder / name / "index.html").write_text(f"<!DOCTYPE html><html><body>{links}</body></html>")


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """Stand-ins: PyPI with the build for CUDA and a package requiring it, and PyTorch's index with the one for the CPU."""
    folder = tmp_path_factory.mktemp("indexes")
    wheel(folder / "pypi", "torch", "2.13.0")
    wheel(folder / "pypi", "app", "1.0", "torch>=2.6")
    wheel(folder / "pypi", "suture", "1.0", "grammar>=2", "languages")
    wheel(folder / "pypi", "grammar", "2.1")
    wheel(folder / "cpu", "torch", "2.13.0+cpu")
    wheel(folder / "cpu", "app", "9.9")  # PyTorch's index has other packages, too; nothing else is taken from there
    (folder / "pins.txt").write_text("torch==2.13.0\n")
    return folder


def run_setup(indexes, environment, *arguments, what="app[torch]", cwd=None, **more):
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "SUTURE_"))}
    variables |= {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": (indexes / "pypi").as_uri()}
    command = [sys.executable, "-I", SCRIPT, environment, "-c", indexes / "pins.txt", *arguments, what]
    return subprocess.run(command, env={**variables, **more}, capture_output=True, text=True, cwd=cwd)


def installed(environment: Path) -> str:
    code = "import torch, importlib.metadata as m; print(torch.build, m.version('app'))"
    return subprocess.run([setup.python_of(environment), "-c", code], capture_output=True, text=True).stdout.strip()


def test_the_build_that_is_chosen_is_the_one_that_is_installed(indexes, tmp_path, monkeypatch):
    environment = tmp_path / "venv"
    if sys.platform == "linux":  # the CPU has its own index: here a silent one
        script = tmp_path / "setup_environment.py"
        script.write_text(SCRIPT.read_text().replace(setup.CPU_INDEX, (tmp_path / "nothing").as_uri()))
        with monkeypatch.context() as patch:
            patch.setattr(sys.modules[__name__], "SCRIPT", script)
            failed = run_setup(indexes, environment, "--torch", "cpu")
        assert failed.returncode == 1
        assert "SUTURE_TORCH_INDEX=ADDRESS" in failed.stderr and "SUTURE_TORCH=cuda" in failed.stderr
        assert "Traceback" not in failed.stderr
    done = run_setup(indexes, environment, "--torch-index", (indexes / "cpu").as_uri(), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert installed(environment) == "2.13.0+cpu 1.0"
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert said[0]["say"].startswith("Downloads PyTorch") and said[-1]["say"].startswith("Ready")
    assert {one.get("step") for one in said} >= {"installing PyTorch", "installing the packages"}
    # llama.cpp comes along if there is a wheel; if not, a message says how to try again, and the rest is there.
    done = run_setup(indexes, tmp_path / "light", "--llama-cpp", what="app")
    assert done.returncode == 0 and "llama.cpp cannot be had here" in done.stdout and "xllamacpp" in done.stdout
    assert installed(tmp_path / "light") == "" and "PyTorch" not in done.stdout
    # So do the grammars of an extra.
    done = run_setup(indexes, tmp_path / "light", "--llama-cpp", what="suture")
    code = "import grammar; print(grammar.build)"
    said = subprocess.run([setup.python_of(tmp_path / "light"), "-c", code], capture_output=True, text=True)
    assert said.stdout.strip() == "2.1", done.stdout
    # The other build has the same version, and still takes its place.
    done = run_setup(indexes, environment, "--torch", "cuda" if sys.platform == "linux" else "auto")
    assert done.returncode == 0, done.stdout + done.stderr
    assert installed(environment) == "2.13.0 1.0"


@pytest.mark.parametrize("path", ["", ".", "{hostile}"])
def test_nothing_of_the_folder_in_which_it_is_started_is_run(indexes, tmp_path, path):
    """An editor starts it in the open folder, possibly anybody's."""
    hostile = hostile_folder(tmp_path / "hostile")
    variables = {"PYTHONPATH": path.format(hostile=hostile), "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    done = run_setup(indexes, tmp_path / "venv", what="app", cwd=hostile, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert what_ran(hostile) == ""
    assert setup.python_of(tmp_path / "venv").exists() and "app" in (tmp_path / "venv" / "setup.log").read_text()


@pytest.mark.parametrize(
    "what", ["{here}/app-1.0-py3-none-any.whl", "./app-1.0-py3-none-any.whl[torch]", ".", ".[gguf]"]
)
def test_a_file_or_folder_is_named_from_where_the_script_was_started(tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app-1.0-py3-none-any.whl").touch()
    given = what.format(here=tmp_path)
    path, bracket, extras = given.partition("[")
    assert setup.absolute(given) == os.path.abspath(path) + bracket + extras
    assert setup.absolute("app[torch]") == "app[torch]"


# Hashes


def hashes_of(indexes, folder: Path, wrong: str = "") -> Path:
    """A file of hashes for the stand-in indexes; one package's is `wrong`."""
    lines = [
        "# Written by a test.",
        "# suture: dep",
        "# torch: torch",
        "# build: ",
        "# gguf: xllamacpp",
        "# languages: ",
        "# dev: tool",
    ]
    for name, version in (("dep", "1.0"), ("torch", "2.13.0"), ("pip", "99.0"), ("xllamacpp", "1.0"), ("tool", "1.0")):
        file = indexes / "pypi" / name / f"{name}-{version}-py3-none-any.whl"
        digest = hashlib.sha256(file.read_bytes() if file.exists() else b"").hexdigest()
        lines += [f"{name}=={version} \\", f"    --hash=sha256:{'0' * 64 if name == wrong else digest}"]
    path = folder / "hashes.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def hashed(indexes):
    wheel(indexes / "pypi", "dep", "1.0")
    wheel(indexes / "pypi", "dep", "2.0")
    wheel(indexes / "pypi", "tool", "1.0")
    return indexes


def test_only_files_with_the_hash_that_is_known_are_installed(hashed, tmp_path):
    app = hashed / "pypi" / "app" / "app-1.0-py3-none-any.whl"
    environment = tmp_path / "venv"
    done = run_setup(hashed, environment, "--hashes", hashes_of(hashed, tmp_path, "dep"), what=str(app))
    assert done.returncode == 1 and "THESE PACKAGES DO NOT MATCH THE HASHES" in (environment / "setup.log").read_text()
    given = ("--hashes", hashes_of(hashed, tmp_path), "--group", "dev")
    done = run_setup(hashed, environment, *given, what=str(app))
    assert done.returncode == 0, done.stdout + done.stderr
    code = "import importlib.metadata as m; print(m.version('dep'), m.version('app'), m.version('tool'))"
    said = subprocess.run([setup.python_of(environment), "-I", "-c", code], capture_output=True, text=True).stdout
    assert said.split() == ["1.0", "1.0", "1.0"]
    # PyTorch is taken from an index of the user's own, and not looked for among the hashes.
    index = (hashed / "cpu").as_uri()
    given = ("--hashes", hashes_of(hashed, tmp_path, "torch"), "--torch-index", index)
    done = run_setup(hashed, environment, *given, what=f"{app}[torch]")
    assert done.returncode == 0, done.stdout + done.stderr
    assert installed(environment) == "2.13.0+cpu 1.0"


def test_the_file_of_hashes_has_all_that_is_installed_in_the_versions_that_are_pinned():
    """On every system and Python: for each package there is more than one hash, or a wheel for all."""
    hashes = setup.Hashes(ROOT / "hashes.txt")
    pinned = dict(
        line.split(";")[0].strip().split("==") for line in (ROOT / "constraints.txt").read_text().splitlines()
    )
    entries = hashes._entries
    groups = ("suture", "build", *sorted(setup.EXTRAS | setup.GROUPS))
    assert set(entries) == set(hashes.of(groups))
    for name, lines in entries.items():
        for entry in lines:
            assert entry.count("--hash=sha256:") >= 1, name
            if name != "pip" and not setup.OF_TORCH.match(name):
                assert entry.split("==")[1].split()[0] == pinned[name], name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = {
        "suture": project["project"]["dependencies"],
        **{extra: project["project"]["optional-dependencies"][extra] for extra in setup.EXTRAS},
        **{group: project["dependency-groups"][group] for group in setup.GROUPS},
    }
    for extra, requirements in wanted.items():
        names = {canonicalize_name(Requirement(one).name) for one in requirements} - {"suture"}
        assert names <= set(hashes.of(["suture", extra])), extra

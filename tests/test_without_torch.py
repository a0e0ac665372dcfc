"""The usual parts run without PyTorch and transformers; a part that needs them names the package to install."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .support.modelzoo import bytelevel, save_model
from .support.raw_client import Raw

ROOT = Path(__file__).resolve().parents[1]
SUTURE = [sys.executable, "-P", "-m", "suture.lsp_server"]
BLOCK = """
import os, sys
sys.modules["torch"] = sys.modules["transformers"] = None
with open(os.path.join(os.path.dirname(__file__), "started"), "a") as file:
    file.write("x")
"""
SAMPLE = "def area(width, height):\n    return width * \n\n\nprint(area(2, 3))\n"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of processes unable to import either; each process leaves a letter in the file `started`."""
    (tmp_path / "sitecustomize.py").write_text(BLOCK)
    return {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"}


def run(bare: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, env=bare, capture_output=True, text=True, encoding="utf-8", cwd=bare["PYTHONPATH"])
    assert Path(bare["PYTHONPATH"], "started").exists()
    return done


def test_the_server_suggests(bare: dict[str, str], tmp_path: Path) -> None:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*SUTURE, "serve"], env=bare, cwd=tmp_path, **pipes) as process:
        client = Raw(process)
        client.initialize()
        client.open("file:///a.py", SAMPLE)
        assert client.items("file:///a.py", 1, len("    return width * "), kind=1)[0]["insertText"].startswith("height")
        assert client.end() == 0
    assert (
        tmp_path / "started"
    ).exists()  # by the reader of messages; the answering process is isolated from such variables


def test_the_command_line_completes(bare: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SAMPLE)
    done = run(bare, *SUTURE, "complete", "a.py", "--at", "2:19")
    assert done.returncode == 0 and "height" in done.stdout, done.stdout + done.stderr


def test_the_doctor_finds_nothing_wrong(bare: dict[str, str]) -> None:
    done = run(bare, *SUTURE, "doctor")
    assert done.returncode == 0 and "BAD" not in done.stdout, done.stdout + done.stderr
    assert "install torch and transformers with:" in done.stdout


@pytest.mark.parametrize("command", [["models"], ["models", "info", "embedded"]])
def test_models_are_listed(bare: dict[str, str], command: list[str]) -> None:
    done = run(bare, *SUTURE, *command)
    assert done.returncode == 0 and "embedded" in done.stdout, done.stdout + done.stderr


def test_the_demo_runs(bare: dict[str, str]) -> None:
    done = run(bare, sys.executable, str(ROOT / "examples" / "demo.py"))
    assert done.returncode == 0 and "fit with the constraint" in done.stdout, done.stdout + done.stderr


def test_training_says_what_to_install(bare: dict[str, str]) -> None:
    assert run(bare, *SUTURE, "train", "--help").returncode == 0
    done = run(bare, *SUTURE, "train", "--steps", "1")
    assert done.returncode == 1 and "training needs PyTorch: install torch and transformers with: " in done.stderr


@pytest.mark.parametrize("options", [["--model", "MODEL"], ["--model", "embedded", "--device", "cuda"]])
def test_a_model_that_needs_them_says_what_to_install(bare: dict[str, str], tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "a.py").write_text(SAMPLE)
    folder = save_model(tmp_path / "model", bytelevel())
    config = (folder / "config.json").read_text().replace('"model_type": "llama"', '"model_type": "qwen2"')
    (folder / "config.json").write_text(config)
    given = [str(folder) if one == "MODEL" else one for one in options]
    done = run(bare, *SUTURE, "complete", "a.py", "--at", "2:19", *given)
    assert done.returncode == 1 and "needs PyTorch: install torch and transformers with: " in done.stderr, done.stderr


def test_a_plain_llama_of_any_size_is_run_all_the_same(bare: dict[str, str], tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model", bytelevel())
    code = "import sys, suture.model.loading.load as load; load._SMALL_BYTES = 0; print(load.load(sys.argv[1]).description)"
    assert run(bare, sys.executable, "-c", code, str(folder)).stdout.startswith("llama, 0.0 M parameters, cpu")

"""Tests with a real vLLM: only with SUTURE_TEST_VLLM, which names the Python of its environment; see README.md."""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from suture.model.loading.find import EMBEDDED

PYTHON = os.environ.get("SUTURE_TEST_VLLM")
if not PYTHON:
    collect_ignore_glob = ["*.py"]

PLUGIN = ("--logits-processors", "suture_vllm.processor:SutureLogitsProcessor")
START_S = 1200
"""vLLM imports much; on two busy cores it has taken seven minutes."""
KEY = "SUTURE_TEST_VLLM_KEY"


@dataclass(frozen=True)
class Server:
    """A vLLM that runs."""

    address: str
    plugin: bool
    log: Path


@pytest.fixture(scope="session", params=["plugin", "plain"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The embedded model in float32, with the plugin and without it."""
    running = os.environ.get("SUTURE_TEST_VLLM_RUNNING")
    if running is not None:  # one that somebody has started, with the plugin: its address, and its log behind a blank
        if request.param == "plain":
            pytest.skip("a server that runs is asked")
        address, log = running.split(" ")
        os.environ[KEY] = "key"
        yield Server(address, True, Path(log))
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(PYTHON),
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        str(EMBEDDED),
        "--served-model-name",
        "embedded",
    ]
    command += [
        "--dtype",
        "float32",
        "--max-model-len",
        "1024",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--enforce-eager",
    ]
    command += PLUGIN if request.param == "plugin" else ()
    own = {"VLLM_API_KEY": "key", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    own |= {"VLLM_CPU_KVCACHE_SPACE": "1", "OMP_NUM_THREADS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    folder = tmp_path_factory.mktemp("vllm")
    log = folder / "log"
    with log.open("wb") as written:
        child = subprocess.Popen(
            command, stdout=written, stderr=subprocess.STDOUT, cwd=folder, env=os.environ | own, start_new_session=True
        )
    try:
        _wait(child, port, log)
        os.environ[KEY] = "key"
        yield Server(f"http://127.0.0.1:{port}/v1", request.param == "plugin", log)
    finally:
        os.killpg(child.pid, signal.SIGTERM)
        try:
            child.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _wait(child: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    end_s = time.monotonic() + START_S
    while time.monotonic() < end_s and child.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(1)
    pytest.fail("vLLM does not start:\n" + "\n".join(log.read_text(errors="replace").splitlines()[-40:]))

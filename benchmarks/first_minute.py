"""A user's first waits, in a fresh environment: `python -m benchmarks.first_minute`.

The wheel is built from this tree and installed with its dependencies, in the pinned versions, from pip's index. Printed are
  download     the wheels, Suture's own included (pip's own cache counts as a download, and takes no time)
  installed    from nothing to the end of the installation: the environment, the download, unpacking, compiling
  first        from the start of the server to its first suggestion; `cold`: the first time, when files are read and caches are made
  memory       resident, of the server's processes together, after 100 requests while a file is typed
Each has its target beside it. `--without-llama-cpp` leaves llama.cpp out.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.setup_environment import LLAMA_CPP, python_of
from tests.support.memory import resident_mb
from tests.support.raw_client import Raw

ROOT = Path(__file__).resolve().parent.parent
DOWNLOAD_MB, DOWNLOAD_WITHOUT_MB, MINUTE_S, FIRST_S, MEMORY_MB = 90, 60, 60, 1.0, 250
STARTS, REQUESTS = 7, 100
URI = "file:///typed.py"
BEFORE = "def area(width, height):\n    return width * "
TYPED = "".join(
    f"def scaled_{n}(width, height):\n    result = area(width, height)\n    return result\n\n\n" for n in range(9)
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the first minute with Suture, in a fresh environment.")
    parser.add_argument("--without-llama-cpp", action="store_true", help="leave llama.cpp out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        extra = [] if options.without_llama_cpp else [LLAMA_CPP]
        (folder / "own").mkdir()
        pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder / "own"), str(ROOT))
        (wheel,) = (folder / "own").iterdir()
        started = time.perf_counter()
        megabytes = install(folder, [str(wheel), *extra])
        installed = time.perf_counter() - started
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "SUTURE_STATE_DIR": str(folder / "state")}
        cold = first_suggestion(folder, environment)
        firsts = [first_suggestion(folder, environment) for _ in range(STARTS)]
        row("download", megabytes, DOWNLOAD_WITHOUT_MB if options.without_llama_cpp else DOWNLOAD_MB, "MB")
        row("installed, and the first suggestion", installed + cold, MINUTE_S, "s")
        row("first suggestion, cold", cold, FIRST_S, "s")
        row(f"first suggestion, median of {STARTS}", statistics.median(firsts), FIRST_S, "s")
        row(f"first suggestion, least of {STARTS}", min(firsts), FIRST_S, "s")
        row(f"memory after {REQUESTS} requests", memory(folder, environment), MEMORY_MB, "MB")


def row(what: str, measured: float, aim: float, unit: str) -> None:
    """One line of the table."""
    print(f"{what:38} {measured:8.1f} {unit:3} (aim: at most {aim:g})", flush=True)


def install(folder: Path, what: Sequence[str]) -> float:
    """Create an environment with some packages; return the megabytes of all wheels."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python, wheels = str(python_of(folder / "venv")), folder / "wheels"
    pins = ["-c", str(ROOT / "constraints.txt"), "--only-binary", ":all:"]
    pip(python, "download", "--dest", str(wheels), *pins, *what)
    pip(python, "install", "--no-index", "--find-links", str(wheels), *what)
    return sum(path.stat().st_size for path in wheels.iterdir()) / 1e6


def pip(python: str, *arguments: str) -> None:
    """Run pip; show its output where it fails."""
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)


def served(folder: Path, environment: dict[str, str]) -> Raw:
    """A server of the fresh environment, initialized, with a document."""
    command = [python_of(folder / "venv"), "-I", "-m", "suture.lsp_server", "serve"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment)
    client = Raw(process)
    client.initialize()
    client.open(URI, BEFORE + "\n\n\nprint(area(2, 3))\n")
    return client


def first_suggestion(folder: Path, environment: dict[str, str]) -> float:
    """Seconds from the start of a server to its first suggestion."""
    started = time.perf_counter()
    client = served(folder, environment)
    line, character = position(BEFORE)
    while not client.items(URI, line, character, kind=1):  # a busy machine may give up on the first request
        if time.perf_counter() - started > MINUTE_S:
            raise SystemExit("nothing was suggested")
    took = time.perf_counter() - started
    client.end()
    return took


def memory(folder: Path, environment: dict[str, str]) -> float:
    """Megabytes of the server's processes while a file is typed, after some requests."""
    client = served(folder, environment)
    text = BEFORE + "height\n\n\n"
    for count in range(REQUESTS):
        text += TYPED[7 * count : 7 * (count + 1)]
        change = {"textDocument": {"uri": URI, "version": count + 2}, "contentChanges": [{"text": text}]}
        client.send("textDocument/didChange", change)
        client.items(URI, *position(text), kind=1)
    taken = resident_mb(client.process.pid)
    client.end()
    return taken or float("nan")


def position(text: str) -> tuple[int, int]:
    """The end of a text: line and character."""
    return text.count("\n"), len(text) - text.rfind("\n") - 1


if __name__ == "__main__":
    main()

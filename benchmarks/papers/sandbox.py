"""A sandbox for a model's programs: a process with limits of time, memory and files, in an empty folder."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_MEMORY = 1 << 30  # bytes of address space
_FILE = 1 << 20  # bytes of a written file
_FILES = 64  # open at a time
_OUTPUT = 4000  # characters kept


def run_python(program: str, seconds: int = 5) -> tuple[bool, str]:
    """(passed, what went wrong: the last line of the traceback, or "timeout") of a program; no packages are on its path."""
    return _run([sys.executable, "-I", "-S", "-B", "program.py"], {"program.py": program}, seconds)


def run_go(program: str, root: Path, cache: Path, seconds: int = 20, beside: str = "") -> tuple[bool, str]:
    """The same for a Go program; the time covers building and running it. beside: another file of its package."""
    environment = {
        "GOROOT": str(root), "GOCACHE": str(cache), "GOPATH": str(cache / "path"), "GOPROXY": "off", "GO111MODULE": "off",
        "GOTOOLCHAIN": "local", "CGO_ENABLED": "0", "HOME": str(cache), "GOMAXPROCS": "2",
    }  # fmt: skip
    files = {"program.go": program, **({"beside.go": beside} if beside else {})}
    # A Go toolchain reserves more address space than it uses, and its linker writes larger files.
    limits = (8 << 30, 64 << 20, 1024)
    return _run([str(root / "bin" / "go"), "run", *files], files, seconds, environment, limits)


def run_typescript(program: str, node: str, package: Path, seconds: int = 10) -> tuple[bool, str]:
    """The same for a TypeScript program, with its types erased. package: the folder of TypeScript's own."""
    script = f"""
        const options = {{ compilerOptions: {{ module: "commonjs", target: "es2022", esModuleInterop: true }} }};
        const source = require("fs").readFileSync("program.ts", "utf-8");
        eval(require({json.dumps(str(package))}).transpileModule(source, options).outputText);
    """
    # Node, too, reserves more address space than it uses.
    limits = (64 << 30, _FILE, 1024)
    return _run(
        [node, "--max-old-space-size=512", "run.cjs"],
        {"program.ts": program, "run.cjs": script},
        seconds,
        limits=limits,
    )


def _run(
    command: Sequence[str],
    files: dict[str, str],
    seconds: int,
    environment: dict[str, str] | None = None,
    limits: tuple[int, int, int] = (_MEMORY, _FILE, _FILES),
) -> tuple[bool, str]:
    memory, file, opened = limits

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (file, file))
        resource.setrlimit(resource.RLIMIT_NOFILE, (opened, opened))
        resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds, 2 * seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        with subprocess.Popen(
            command, cwd=folder, env={"PATH": "", "TMPDIR": folder, **(environment or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                _, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                _kill_group(process)
                return False, "timeout"
    said = errors.decode(errors="replace")[-_OUTPUT:].strip().splitlines()
    return process.returncode == 0, "" if process.returncode == 0 else (
        said[-1] if said else f"exit {process.returncode}"
    )


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill it with all its children."""
    import os
    import signal

    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()

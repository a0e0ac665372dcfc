"""The verdicts of Go's two parsers and go/types on a text: one process, built at the first use, in a minute."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..support import oracle_go

_FOLDER = Path(".fuzz")
_SOURCE = Path(__file__).with_name("go_types") / "main.go"


def errors(text: str, name: str = "x.go", siblings: Sequence[str] = ()) -> list[str]:
    """The errors in a file of a package, given its other files; syntax errors begin with "syntax: "."""
    process = _process()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps({"siblings": list(siblings), "name": name, "text": text}) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())["errors"]


@cache
def _process() -> subprocess.Popen[str]:
    return subprocess.Popen([_built()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def _built() -> Path:
    root = oracle_go.goroot()
    assert root is not None
    folder = _FOLDER.absolute()
    program = folder / f"go-types-{hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]}"
    if not program.exists():
        folder.mkdir(exist_ok=True)
        package = "cmd/compile/internal/outside"  # the compiler's parser is importable only from there
        overlay = folder / "overlay.json"
        overlay.write_text(json.dumps({"Replace": {str(root / "src" / package / "main.go"): str(_SOURCE)}}))
        settings = {
            "GOTOOLCHAIN": "local",
            "GOCACHE": str(folder / "go-cache"),
            "GOPATH": str(folder / "go-path"),
            "GOFLAGS": "",
        }
        subprocess.run(
            [root / "bin" / "go", "build", "-overlay", overlay, "-o", program, package],
            cwd=root / "src" / "cmd",
            env={**os.environ, **settings},
            check=True,
        )
    return program

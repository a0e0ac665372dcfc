"""The verdicts of TypeScript 6 and 7 on whole files: their own programs run over a folder of many at once.

`npm ci --prefix tests/support/typescript` installs them beside the parsers (oracle_typescript.py).
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from . import oracle_typescript as parsers

_PACKAGES = Path(__file__).with_name("typescript") / "node_modules"
_MACHINE = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(
    platform.machine().lower(), platform.machine().lower()
)
_PROGRAMS = {
    "6.0": ("node", str(_PACKAGES / "typescript-6" / "lib" / "tsc.js")),
    "7.0": (str(_PACKAGES / "@typescript" / f"typescript-{sys.platform}-{_MACHINE}" / "lib" / "tsc"),),
}
_OPTIONS = {
    "allowJs": True,
    "checkJs": True,
    "jsx": "preserve",
    "lib": ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    "module": "esnext",
    "moduleDetection": "legacy",
    "moduleResolution": "bundler",
    "noEmit": True,
    "skipLibCheck": True,
    "strict": False,
    "target": "esnext",
    "types": [],
}
_ELEMENTS = "declare namespace JSX { interface IntrinsicElements { [name: string]: any } interface Element {} }\n"
_SAID = re.compile(r"^(?:.*/)?f(\d+)\.\w+\(\d+,\d+\): error TS(\d+): (.*)$", re.M)
_SHARED = re.compile(r"\bglobal\b|\bmodule *['\"]")
"""Texts with declarations for other files."""

Version = Literal["6.0", "7.0"]


def needed(version: Version) -> None:
    """Skip the test without the program."""
    parsers.needed()
    if not Path(_PROGRAMS[version][-1]).exists():
        pytest.skip(f"TypeScript {version} is not installed beside the parsers of TypeScript")


def codes(texts: Sequence[tuple[str, str]], version: Version = "7.0") -> list[frozenset[int]]:
    """The numbers of the errors in each file, given as (dialect, text)."""
    alone = [i for i, (_, text) in enumerate(texts) if _SHARED.search(text) is not None]
    together = [i for i in range(len(texts)) if i not in set(alone)]
    found: list[frozenset[int]] = [frozenset()] * len(texts)
    for group in (together, *([i] for i in alone)):
        for i, said in zip(group, _run([texts[i] for i in group], version), strict=True):
            found[i] = said
    return found


def _run(texts: Sequence[tuple[str, str]], version: Version) -> list[frozenset[int]]:
    found: list[set[int]] = [set() for _ in texts]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "elements.d.ts").write_text(_ELEMENTS)
        names = [f"f{i}.{dialect}" for i, (dialect, _) in enumerate(texts)]
        for own, (_, text) in zip(names, texts, strict=True):
            (folder / own).write_text(text, encoding="utf-8", newline="")
        while names:  # of a program with syntax errors only those are reported
            asked = {"compilerOptions": _OPTIONS, "files": [*names, "elements.d.ts"]}
            (folder / "tsconfig.json").write_text(json.dumps(asked))
            program, *arguments = _PROGRAMS[version]
            if program == "node":
                program = parsers.node() or program
            done = subprocess.run(
                [program, *arguments, "-p", name, "--pretty", "false"], capture_output=True, text=True, check=False
            )
            said = [(int(m[1]), int(m[2])) for m in _SAID.finditer(done.stdout)]
            for i, code in said:
                found[i].add(code)
            wrong = {i for i, _ in said}
            left = [own for own in names if int(own[1:].split(".")[0]) not in wrong]
            if len(left) == len(names):
                assert not done.stdout.strip() and not done.stderr.strip(), (done.stdout + done.stderr)[:1_000]
                break
            names = left
    return [frozenset(said) for said in found]

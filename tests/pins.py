"""The pinned versions: write them anew, and check that they install everywhere, by the metadata of packages alone.

    python -m tests.pins --write     resolve all of pyproject.toml, and write constraints.txt and hashes.txt
    python -m tests.pins             resolve the pins on every promised system and Python

It asks PyPI and nothing else: neither pip's nor uv's configuration of the machine counts, so local packages hide nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from scripts.setup_environment import (
    CUDA_MB,
    DEV_MB,
    EXTRAS,
    GROUPS,
    LLAMA_CPP,
    LLAMA_MB,
    REST_MB,
    TORCH_MB,
    TRANSFORMERS_MB,
)

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "constraints.txt"
HASHES = ROOT / "hashes.txt"
PARTS: dict[str, tuple[str, ...]] = {
    "suture": (),
    **{group: ("--group", group) for group in sorted(GROUPS)},
    **{extra: ("--extra", extra) for extra in sorted(EXTRAS)},
}
"""Each part of the project installed by the setup, in the form uv is asked for it."""
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
UNPINNED = re.compile(r"(nvidia-|cuda-|triton\b)")
"""The packages pinned by PyTorch itself, in another version for each of its builds."""


class Offline(Exception):
    """The index does not answer."""


@dataclass(frozen=True)
class System:
    """A promised system, by its names for uv and in `platform`."""

    uv: str
    name: str
    environment: Mapping[str, str] = field(hash=False)
    extras: tuple[str, ...] = ("languages", "torch", "gguf")
    groups: tuple[str, ...] = ("dev", "editors")


SYSTEMS = (
    System("x86_64-manylinux_2_28", "Linux x86_64", {}),
    System("aarch64-manylinux_2_28", "Linux aarch64", {}),
    System("aarch64-apple-darwin", "Darwin arm64", {"MACOSX_DEPLOYMENT_TARGET": "14.0"}),
    System("x86_64-pc-windows-msvc", "Windows AMD64", {}),
    System("x86_64-manylinux_2_34", "Linux x86_64", {}, (), ("bench",)),  # measured beside us, on newer Linux
)


def main() -> int:
    """Write the pins, or check them; the exit status is 1 when they do not install somewhere."""
    parser = argparse.ArgumentParser(description="Write or check the pinned versions.")
    parser.add_argument("--write", action="store_true", help="resolve anew, and write constraints.txt")
    parser.add_argument("--upgrade", action="store_true", help="with --write: take the newest versions")
    parser.add_argument("--skip-offline", action="store_true", help="do not fail where the index does not answer")
    options = parser.parse_args()
    if options.write:
        write(options.upgrade)
    try:
        return min(1, check())
    except Offline as error:
        print(f"The pins are not resolved, since the index does not answer: {error}", file=sys.stderr)
        return 0 if options.skip_offline else 1


def write(upgrade: bool) -> None:
    """Write constraints.txt; existing versions stay if they still fit."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = (("--extra", project["project"]["optional-dependencies"]), ("--group", project["dependency-groups"]))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "constraints.txt")
        if not upgrade:
            out.write_text(PINS.read_text())
        command = ["--universal", "--python-version", PYTHONS[0], "--strip-extras", "--no-annotate", "--no-header"]
        done = uv(
            [*command, *(word for option, names in asked for name in names for word in (option, name)), "-o", str(out)],
            {},
        )
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        PINS.write_text("".join(f"{line}\n" for line in simplified(out.read_text().splitlines())))
    write_hashes()


def write_hashes() -> None:
    """Write hashes.txt: the packages of each part installed by the setup, and the hashes of their wheels for all systems and Pythons."""
    universal = ["--universal", "--python-version", PYTHONS[0], "--strip-extras", "--no-annotate", "--no-header"]
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder, "build.in")
        build.write_text("pip\nsetuptools>=80\n")

        def compiled(source: str, *more: str) -> str:
            out = Path(folder, "out.txt")
            done = uv([*universal, "-c", str(PINS), *more, "-o", str(out)], {}, source)
            if done.returncode != 0:
                raise SystemExit(done.stderr)
            return out.read_text()

        every = [word for asked in PARTS.values() for word in asked]
        names = {part: compiled("pyproject.toml", *asked) for part, asked in PARTS.items()}
        names["build"] = compiled(str(build))
        hashed = compiled("pyproject.toml", *every, "--generate-hashes") + compiled(str(build), "--generate-hashes")
    groups = {group: re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE) for group, text in names.items()}
    lines = [
        "# Written by `python -m tests.pins --write`: the packages of each extra and group, and the hashes of their files."
    ]
    for group, packages in groups.items():
        more = packages if group == "suture" else [name for name in packages if name not in groups["suture"]]
        lines.append(f"# {group}: {' '.join(dict.fromkeys(more))}")
    HASHES.write_text("\n".join([*lines, *sorted(set(re.split(r"\n(?=[a-z0-9])", hashed.strip())))]) + "\n")


def simplified(lines: list[str]) -> Iterator[str]:
    """Leave out the markers of a package with one version: a pin has no effect unless somebody asks for the package."""
    names = [line.split("==")[0] for line in lines]
    for line, name in zip(lines, names, strict=True):
        if not UNPINNED.match(name):
            yield line if names.count(name) > 1 else line.split(" ;")[0]


def check() -> int:
    """Resolve for each system and Python, and measure the downloads; return the number of failing combinations."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(8) as pool:  # it waits for the network mostly
        asked = {
            (system, python): (lock, pool.submit(resolve, system, python, lock))
            for system in SYSTEMS
            for python in PYTHONS
            for lock in [Path(folder, f"pylock.{system.uv}-{python.replace('.', '-')}.toml")]
        }
        for (system, python), (lock, answer) in asked.items():
            done = answer.result()
            failed += done.returncode != 0
            print(f"{system.uv:24} Python {python}  {'ok' if done.returncode == 0 else 'FAILS'}", flush=True)
            if done.returncode != 0:
                print(done.stderr)
            elif "dev" in system.groups and python == "3.13":
                failed += not sizes_hold(system, tomllib.loads(lock.read_text()))
    return failed


def resolve(system: System, python: str, lock: Path) -> subprocess.CompletedProcess[str]:
    """Resolve the pins for one system and Python, wheels alone."""
    command = ["--python-platform", system.uv, "--python-version", python, "-c", str(PINS), "--only-binary", ":all:"]
    extras = [word for extra in system.extras for word in ("--extra", extra)]
    extras += [word for group in system.groups for word in ("--group", group)]
    return uv([*command, *extras, "--format", "pylock.toml", "-o", str(lock)], system.environment)


def sizes_hold(system: System, lock: dict) -> bool:
    """Whether the setup's stated download sizes match the wheels, within an eighth and 10 MB; an index need not give sizes."""
    if any("size" not in wheel for package in lock["packages"] for wheel in package["wheels"]):
        print(f"{'':24} the index does not say how large its files are")
        return True
    sizes = {package["name"]: max(wheel["size"] for wheel in package["wheels"]) / 1e6 for package in lock["packages"]}
    cuda = {name for name in sizes if name == "torch" or UNPINNED.match(name)}
    llama = sizes.pop(LLAMA_CPP)
    torch, rest = sum(sizes[name] for name in cuda), sum(sizes[name] for name in sizes.keys() - cuda)
    said = CUDA_MB.get(system.name) or TORCH_MB[system.name], LLAMA_MB[system.name], REST_MB + DEV_MB + TRANSFORMERS_MB
    print(f"{'':24} downloads {torch:.0f} MB of PyTorch, {llama:.0f} of llama.cpp, {rest:.0f} of the rest; said {said}")
    return all(abs(one - other) < one / 8 + 10 for one, other in zip((torch, llama, rest), said, strict=True))


def uv(
    arguments: list[str], environment: Mapping[str, str], source: str = "pyproject.toml"
) -> subprocess.CompletedProcess[str]:
    """Run `uv pip compile` on pyproject.toml or another file, with no configuration but PyPI."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "--no-config",
        "--no-python-downloads",
        "--quiet",
        source,
        *arguments,
    ]
    environment = {**clean, **environment, "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode != 0 and "error sending request" in done.stderr:
        raise Offline(done.stderr.strip().splitlines()[0])
    return done


if __name__ == "__main__":
    sys.exit(main())

"""Create Suture's environment, for the Makefile and the VS Code extension.

    python setup_environment.py VENV -c constraints.txt --group dev -e '.[languages,torch]'

It needs the standard library alone. The packages are those of the constraints file. `--llama-cpp` adds llama.cpp, and the grammars of
languages known only to larger models, where they have wheels.

With the extra `torch`, PyTorch comes in the machine's build: on Linux PyPI's own build brings gigabytes of CUDA, so without an NVIDIA GPU the
CPU build comes from PyTorch's own index. `--torch` (or SUTURE_TORCH) is `auto`, `cpu` or `cuda`; `--torch-index` (or SUTURE_TORCH_INDEX)
names an index for PyTorch on any machine.
"""

from __future__ import annotations

import argparse
import codecs
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
BUILDS = ("auto", "cpu", "cuda")
# Megabytes to download, by system and machine, of the pinned versions; `python -m tests.pins` measures them, and CI compares.
TORCH_MB = {"Linux x86_64": 192, "Linux aarch64": 150, "Darwin arm64": 112, "Windows AMD64": 123}
CUDA_MB = {"Linux x86_64": 2740, "Linux aarch64": 2870}
REST_MB = 32
DEV_MB = 35
TRANSFORMERS_MB = 20
LLAMA_MB = {"Linux x86_64": 35, "Linux aarch64": 33, "Darwin arm64": 12, "Windows AMD64": 9}
GRAMMARS_MB = 3
LLAMA_CPP = "xllamacpp"
EXTRAS = frozenset(("gguf", "languages", "torch"))  # with hashes
GROUPS = frozenset(("dev",))  # of dependencies with hashes
OF_TORCH = re.compile(r"torch$|nvidia-|cuda-|triton$")
_GRAMMARS = """import importlib.metadata as metadata
parts = (one.partition(";") for one in metadata.requires("suture") or ())
print(*(requirement.strip() for requirement, _, extra in parts if "languages" in extra))"""
RAW_PROGRESS = (24, 1)  # the first pip with machine-readable progress
WITH_GROUPS = (25, 1)  # the first pip with groups of dependencies
TICK_S = 0.5
QUIET_S = 10.0  # outside of a terminal, the longest time without a line


class SetupError(Exception):
    """A fault for the user to fix; the text says how."""


@dataclass(frozen=True)
class Plan:
    """The packages to install, their sources and download sizes."""

    build: str  # of PyTorch: "cpu", "cuda", or "pypi" for the only build; "none" without PyTorch
    index: str | None  # of PyTorch alone; None: pip's default
    torch_mb: int | None  # None: an index of the user's own
    rest_mb: int
    reason: str

    def in_words(self) -> str:
        """The plan for people, sizes first."""
        if self.build == "none":
            return f"Downloads about {self.rest_mb} MB of packages."
        kind = {"cpu": "PyTorch for the CPU", "cuda": "PyTorch with CUDA"}.get(self.build, "PyTorch")
        torch = kind if self.torch_mb is None else f"{kind} (about {in_words(self.torch_mb)})"
        source = f" from {self.index}" if self.index else ""
        return f"Downloads {torch}{source} and about {self.rest_mb} MB of other packages: {self.reason}."


def in_words(megabytes: int) -> str:
    """A size for people."""
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes} MB"


def make_plan(
    build: str, index: str | None, system: str, machine: str, gpu: bool, extras: frozenset[str], llama_cpp: bool = False
) -> Plan:
    """The downloads for some extras, with the machine's build of PyTorch if it is among them."""
    key = f"{system} {machine}"
    rest = REST_MB + (DEV_MB if "dev" in extras else 0) + (LLAMA_MB.get(key, 0) + GRAMMARS_MB if llama_cpp else 0)
    if "torch" not in extras:
        return Plan("none", None, None, rest, "")
    rest += TRANSFORMERS_MB
    if build not in BUILDS:
        raise SetupError(f"{build!r} is no build of PyTorch; choose one of {', '.join(BUILDS)}")
    if index:
        return Plan("cpu" if index == CPU_INDEX else "pypi", index, None, rest, "the index that you chose")
    if system != "Linux":
        if build == "cuda":
            raise SetupError(
                "PyPI has no PyTorch with CUDA for this system; on Windows name an index of PyTorch's that has it: "
                "SUTURE_TORCH_INDEX=https://download.pytorch.org/whl/cu130"
            )
        return Plan("pypi", None, TORCH_MB.get(key), rest, "PyPI's build for this system")
    if build == "cuda" or (build == "auto" and gpu):
        reason = "you chose it" if build == "cuda" else "this machine has an NVIDIA GPU; SUTURE_TORCH=cpu is smaller"
        return Plan("cuda", None, CUDA_MB.get(key), rest, reason)
    reason = "you chose it" if build == "cpu" else "no NVIDIA GPU was found; SUTURE_TORCH=cuda overrides that"
    return Plan("cpu", CPU_INDEX, TORCH_MB.get(key), rest, reason)


def extras_of(requirements: Sequence[str]) -> frozenset[str]:
    """The extras named in requirements, as in `.[languages,torch]`."""
    lists = [found[1] for one in requirements if (found := re.search(r"\[([^\]]*)\]\s*$", one)) is not None]
    return frozenset(name.strip() for names in lists for name in names.split(","))


def absolute(requirement: str) -> str:
    """A requirement, as an absolute path for a file or folder, with its extras: pip runs in another folder."""
    path, bracket, extras = requirement.partition("[")
    return (
        f"{os.path.abspath(path)}{bracket}{extras}"
        if os.path.exists(path) and re.search(r"[/\\.]", path)
        else requirement
    )


def has_nvidia_gpu() -> bool:
    """Whether a driver for an NVIDIA GPU answers, also under WSL."""
    gpus = Path("/proc/driver/nvidia/gpus")
    try:
        if gpus.is_dir() and any(gpus.iterdir()):
            return True
    except OSError:
        pass
    name = "nvidia-smi.exe" if os.name == "nt" else "nvidia-smi"
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/lib/wsl/lib"]
    # Not `shutil.which`: on Windows it finds programs in the current folder, perhaps a stranger's.
    programs = [os.path.join(folder, name) for folder in folders if os.path.isabs(folder)]
    program = next((each for each in programs if os.access(each, os.X_OK)), None)
    if program is None:
        return False
    try:
        listed = subprocess.run([program, "-L"], capture_output=True, text=True, timeout=20, cwd=neutral_folder())
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and "GPU " in listed.stdout


# Progress


@dataclass(frozen=True)
class Progress:
    """The progress of a step."""

    step: str
    detail: str = ""
    done: int = 0  # bytes
    total: int = 0  # bytes; 0 where unknown


class Reporter:
    """Reports the progress to a person, or with `as_json` to a program; in a terminal, as a redrawn line."""

    def __init__(self, stream: IO[str], as_json: bool) -> None:
        self._stream = stream
        self._json = as_json
        self._terminal = not as_json and stream.isatty()
        self._now = Progress("")
        self._since = self._said = time.monotonic()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Reporter:
        self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._ticker.join()
        with self._lock:
            self._clear()

    def say(self, text: str) -> None:
        """Print a permanent line."""
        with self._lock:
            self._clear()
            self._write(json.dumps({"say": text}) if self._json else text)

    def at(self, progress: Progress) -> None:
        """Report the present step and its progress."""
        with self._lock:
            new_step, new_detail = progress.step != self._now.step, progress.detail != self._now.detail
            if new_step:
                self._since = time.monotonic()
            self._now = progress
            if self._json:
                self._write(json.dumps(asdict(progress)))
            elif self._terminal:
                self._draw()
            elif new_step or (new_detail and progress.total >= 5_000_000):
                self._write(self._line())

    def _tick(self) -> None:
        while not self._stop.wait(TICK_S):
            with self._lock:
                if self._terminal and self._now.step:
                    self._draw()
                elif self._now.step and time.monotonic() - self._said > QUIET_S:
                    self._write(json.dumps(asdict(self._now)) if self._json else self._line())

    def _line(self) -> str:
        now = self._now
        much = ""
        if now.total:
            much = f" {100 * now.done // now.total} % of {now.total / 1e6:.0f} MB"
        seconds = time.monotonic() - self._since
        return f"  {now.step}{': ' if now.detail else ''}{now.detail}{much}, {seconds:.0f} s"

    def _draw(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._stream.write("\r\033[K" + self._line()[:width])
        self._stream.flush()

    def _clear(self) -> None:
        if self._terminal:
            self._stream.write("\r\033[K")

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()
        self._said = time.monotonic()


# Programs


def neutral_folder() -> str:
    """A working folder writable by the administrator alone: a `pip/` or `venv.py` in the current one must not be run."""
    return os.environ.get("SYSTEMROOT", "C:\\") if os.name == "nt" else os.sep


def python_command(python: Path | str, module: str, *arguments: str) -> list[str]:
    """The command to run a Python's own module, regardless of the current folder and PYTHONPATH."""
    return [str(python), "-I", "-m", module, *arguments]


_PROGRESS = re.compile(r"Progress (\d+) of (\d+)$")
_DOWNLOADING = re.compile(r"Downloading (?:\S*/)?([A-Za-z0-9_.]+?)-\d\S*")
_STEPS = re.compile(r"(Collecting|Processing|Building|Preparing|Installing) \S.*")

_ADVICE = {
    "CERTIFICATE_VERIFY_FAILED": "The network shows a certificate that Python does not know, as behind the proxy of a "
    "company. PIP_CERT=FILE\nnames the certificates that are trusted: ask who runs the network for them.",
    "NewConnectionError|NameResolutionError|ProxyError|ConnectTimeoutError": "No index of packages can be reached. "
    "HTTPS_PROXY=ADDRESS names a proxy,\nPIP_INDEX_URL=ADDRESS another index.",
}


def advice(lines: Sequence[str]) -> str:
    """The remedy for an error in pip's output; "" for an unknown one."""
    return next((what for sign, what in _ADVICE.items() if any(re.search(sign, line) for line in lines)), "")


def read_progress(step: str, lines: Iterator[str]) -> Iterator[Progress]:
    """The progress in pip's lines."""
    package = ""
    for line in lines:
        text = line.strip()
        if (raw := _PROGRESS.match(text)) is not None:
            yield Progress(step, package, int(raw[1]), int(raw[2]))
        elif (file := _DOWNLOADING.match(text)) is not None:
            package = file[1]
            yield Progress(step, package)
        elif (other := _STEPS.match(text)) is not None:
            doing = other[1].lower()
            what = text.removeprefix(f"{other[1]} ").split(" ")[0]
            yield Progress(step, "unpacking" if doing == "installing" else f"{doing} {Path(what).name[:40]}")


def run(command: Sequence[str], step: str, reporter: Reporter, log: IO[str]) -> None:
    """Run a program to its end; its lines go to the log."""
    reporter.at(Progress(step))
    log.write(f"$ {' '.join(command)}\n")
    last: deque[str] = deque(maxlen=12)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    nothing, pipe, folder = subprocess.DEVNULL, subprocess.PIPE, neutral_folder()
    with subprocess.Popen(
        command, stdin=nothing, stdout=pipe, stderr=subprocess.STDOUT, env=environment, cwd=folder
    ) as child:
        assert child.stdout is not None

        def lines() -> Iterator[str]:
            assert child.stdout is not None
            for line in codecs.iterdecode(child.stdout, "utf-8", "replace"):
                if _PROGRESS.match(line.strip()) is None:
                    log.write(line)
                    log.flush()
                    last.append(line.rstrip())
                yield line

        try:
            for progress in read_progress(step, lines()):
                reporter.at(progress)
        except BaseException:
            child.terminate()
            raise
    if child.returncode != 0:
        said = [f"    {line}" for line in last if line]
        raise SetupError("\n".join([f"{step} failed:", *said, *filter(None, [advice(last)])]))


def python_of(environment: Path) -> Path:
    """The interpreter of an environment."""
    return environment.joinpath(*(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def pip_version(python: Path) -> tuple[int, int]:
    """The version of an environment's pip."""
    command = python_command(python, "pip", "--version")
    asked = subprocess.run(command, capture_output=True, text=True, cwd=neutral_folder())
    found = re.match(r"pip (\d+)\.(\d+)", asked.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def torch_requirement(constraints: Path | None) -> str:
    """The pinned requirement of PyTorch."""
    if constraints is not None:
        for line in constraints.read_text(encoding="utf-8").splitlines():
            if (pinned := re.match(r"torch==[^\s;]+", line)) is not None:
                return pinned[0]
    return "torch"


class Hashes:
    """The file of hashes: the packages of each extra or group (a line `# extra: name name`), and each package's version and hashes."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self._groups = {found[1]: found[2].split() for found in re.finditer(r"^# ([\w-]+): (.*)$", text, re.MULTILINE)}
        self._entries: dict[str, list[str]] = {}
        for entry in re.split(r"\n(?=[a-z0-9])", text):
            if (name := re.match(r"([a-z0-9-]+)==", entry)) is not None:
                self._entries.setdefault(name[1], []).append(entry.rstrip())

    def of(self, groups: Iterable[str]) -> list[str]:
        """The names of some groups' packages."""
        return list(dict.fromkeys(name for group in groups for name in self._groups[group]))

    def arguments(self, names: Iterable[str], folder: Path) -> list[str]:
        """pip's arguments to install packages, each from a wheel with its hash, and nothing else."""
        file = folder / "hashed.txt"
        file.write_text("".join(f"{entry}\n" for name in names for entry in self._entries[name]), encoding="utf-8")
        return ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(file)]


def set_up(
    environment: Path,
    constraints: Path | None,
    what: Sequence[str],
    plan: Plan,
    reporter: Reporter,
    llama_cpp: bool = False,
    hashes: Hashes | None = None,
    groups: Sequence[str] = (),
) -> None:
    """Create the environment, or update an existing one."""
    python = python_of(environment)
    environment.parent.mkdir(parents=True, exist_ok=True)
    if not python.exists():
        reporter.at(Progress("making the environment"))
        command = python_command(sys.executable, "venv", str(environment))
        made = subprocess.run(command, capture_output=True, text=True, cwd=neutral_folder())
        if made.returncode != 0:
            reason = (made.stdout + made.stderr).strip()
            raise SetupError(f"{reason}\nNo environment can be made here; on Debian and Ubuntu install python3-venv.")
    with (environment / "setup.log").open("a", encoding="utf-8") as log:
        install = python_command(python, "pip", "install", "--disable-pip-version-check", "--no-input")
        least = WITH_GROUPS if groups else RAW_PROGRESS
        if hashes is not None or pip_version(python) < least:
            newer = ["pip>={}.{}".format(*least)]
            if hashes is not None:
                newer = hashes.arguments(["pip"], environment)
            try:
                run([*install, "--retries", "1", *newer], "updating pip", reporter, log)
            except SetupError:
                pass  # the old pip works, too, with less output
        raw = pip_version(python) >= RAW_PROGRESS
        install += ["--progress-bar", "raw" if raw else "off"]
        if plan.build != "none":
            _install_torch(environment, install, torch_requirement(constraints), plan, reporter, log)
        pins = ["-c", str(constraints)] if constraints is not None else []
        if hashes is None:
            grouped = [word for group in groups for word in ("--group", f"{os.path.abspath('pyproject.toml')}:{group}")]
            run([*install, *pins, *grouped, *what], "installing the packages", reporter, log)
        else:
            parts = ("suture", "build", *sorted(extras_of(what) & EXTRAS), *groups)
            names = [name for name in hashes.of(parts) if name != "pip"]
            if (
                plan.index is not None
            ):  # PyTorch is installed from an index without known hashes, with its build's dependencies
                names = [name for name in names if not OF_TORCH.match(name)]
            run([*install, *hashes.arguments(names, environment)], "installing the packages", reporter, log)
            run([*install, "--no-deps", "--no-build-isolation", *what], "installing Suture", reporter, log)
        for name, packages, without in _for_larger_models(python) if llama_cpp else ():
            wanted = ["--only-binary", ":all:", *packages]
            extra = "gguf" if packages == [LLAMA_CPP] else "languages"
            hashed = None if hashes is None else hashes.arguments(hashes.of([extra]), environment)
            try:
                run([*install, *(hashed or [*pins, *wanted])], f"installing {name}", reporter, log)
            except SetupError:
                again = shlex.join(python_command(python, "pip", "install", *wanted))
                reporter.say(f"{name} cannot be had here, so {without}. All else works. To try again: {again}")


def _for_larger_models(python: Path) -> Iterator[tuple[str, list[str], str]]:
    """The packages for larger models only: (name, requirements, the consequence of their absence)."""
    yield "llama.cpp", [LLAMA_CPP], "GGUF models cannot be run"
    command = [str(python), "-I", "-c", _GRAMMARS]
    asked = subprocess.run(command, capture_output=True, text=True, cwd=neutral_folder())
    if grammars := asked.stdout.split():
        yield "tree-sitter", grammars, "the languages that it checks get no suggestions"


def _install_torch(
    environment: Path, install: Sequence[str], torch: str, plan: Plan, reporter: Reporter, log: IO[str]
) -> None:
    """Install PyTorch alone, so that no other package comes from its index."""
    chosen = environment / "torch-build"
    before = chosen.read_text(encoding="utf-8") if chosen.exists() else None
    build = f"{plan.build} {plan.index or ''}\n"
    if before != build and (plan.index is not None or before is not None):
        # pip would accept an installed build of the same version.
        source = ["--index-url", plan.index, "--retries", "2"] if plan.index else []
        again = ["--force-reinstall"] if before is not None else []
        try:
            run([*install, "--no-deps", *again, *source, torch], "installing PyTorch", reporter, log)
        except SetupError as error:
            advice = (
                f"\nPyTorch could not be had from {plan.index}. SUTURE_TORCH_INDEX=ADDRESS names another index with "
                "builds for the CPU;\nSUTURE_TORCH=cuda takes the build with CUDA from PyPI, which is gigabytes."
            )
            raise SetupError(f"{error}{advice if plan.index == CPU_INDEX else ''}") from None
    chosen.write_text(build, encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Set up the environment; after a failure, print the remedy and return 1."""
    parser = argparse.ArgumentParser(description="Make the environment that Suture runs in.")
    parser.add_argument("environment", type=Path, metavar="VENV", help="the folder of the environment")
    parser.add_argument("requirements", nargs="*", metavar="REQUIREMENT", help="what to install, as pip takes it")
    parser.add_argument("-e", "--editable", action="append", default=[], metavar="PATH", help="the same, editable")
    parser.add_argument("--group", action="append", default=[], choices=sorted(GROUPS), help="of pyproject.toml's")
    parser.add_argument("-c", "--constraint", type=Path, metavar="FILE", help="versions of the packages")
    parser.add_argument("--hashes", type=Path, metavar="FILE", help="of the packages' files: nothing else is installed")
    parser.add_argument(
        "--torch", default=os.environ.get("SUTURE_TORCH") or "auto", metavar="BUILD", help="auto, cpu or cuda"
    )
    parser.add_argument(
        "--torch-index", default=os.environ.get("SUTURE_TORCH_INDEX"), metavar="URL", help="take PyTorch from here"
    )
    parser.add_argument("--llama-cpp", action="store_true", help="install what larger models need, too")
    parser.add_argument("--json", action="store_true", help="say how far it is in JSON lines")
    parser.add_argument("--plan", action="store_true", help="print what would be downloaded, as JSON, and do nothing")
    options = parser.parse_intermixed_args(argv)
    try:
        plan = make_plan(
            options.torch,
            options.torch_index,
            platform.system(),
            platform.machine(),
            has_nvidia_gpu(),
            extras_of([*options.requirements, *options.editable]) | frozenset(options.group),
            options.llama_cpp,
        )
        if options.plan:
            print(json.dumps({**asdict(plan), "in_words": plan.in_words()}))
            return 0
        what = list(map(absolute, options.requirements))
        what += [word for path in options.editable for word in ("-e", absolute(path))]
        with Reporter(sys.stdout, options.json) as reporter:
            reporter.say(plan.in_words())
            constraints = options.constraint and options.constraint.absolute()
            hashes = options.hashes and Hashes(options.hashes)
            given = (options.llama_cpp, hashes, options.group)
            set_up(options.environment.absolute(), constraints, what, plan, reporter, *given)
            reporter.say(f"Ready in {options.environment}.")
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

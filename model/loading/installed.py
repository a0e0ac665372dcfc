"""The installed optional packages, and the command to install missing ones into this very environment.

Nothing is imported, and no index is asked. The command names the packages themselves instead of Suture's extras: Suture may come from a
clone, a wheel or an archive, unknown to an index.
"""

import json
import os
import platform
import re
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from ...common.interpreter import find_program, neutral_folder

Extra = Literal["torch", "gguf", "gguf-cuda"]

PACKAGES: dict[Extra, tuple[str, ...]] = {
    "torch": ("torch", "transformers"),
    "gguf": ("xllamacpp",),
    "gguf-cuda": ("xllamacpp",),
}
"""The modules of each extra, named like their packages."""

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
CUDA_INDEX = (
    "https://xorbitsai.github.io/xllamacpp/whl/cu128"  # of xllamacpp's authors; PyPI has only builds for CPUs and Metal
)
_ON_GPU = (b"ggml_cuda_init", b"ggml_vulkan: ")  # log messages in llama.cpp's builds for GPUs
_OLDEST_GLIBC = (2, 35)  # for the CUDA build


def has(extra: Extra) -> bool:
    """Whether an extra is installed: `torch` for safetensors models of the hub, GPUs and training, `gguf` for llama.cpp, `gguf-cuda` for its build for GPUs."""
    there = all(find_spec(package) is not None for package in PACKAGES[extra])
    return there and (extra != "gguf-cuda" or _computes_on_gpu())


def can_have_cuda() -> bool:
    """Whether llama.cpp's build for CUDA can be installed on this system."""
    if sys.platform != "linux":
        return sys.platform == "win32"
    library, version = platform.libc_ver()
    return library == "glibc" and tuple(int(part) for part in re.findall(r"\d+", version)[:2]) >= _OLDEST_GLIBC


def _computes_on_gpu() -> bool:
    """Whether the installed llama.cpp was built for NVIDIA GPUs, by its file: an import takes longer, and loads their driver."""
    package = find_spec("xllamacpp")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for file in (*Path(folder).glob("*.so"), *Path(folder).glob("*.pyd"), *Path(folder).glob("*.dll")):
            if not file.stat().st_size:
                continue  # cannot be mapped
            with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as content:
                if any(content.find(words) >= 0 for words in _ON_GPU):
                    return True
    return False


def missing(extra: Extra) -> str:
    """The message about a missing extra, with the command to install it here."""
    return f"install {' and '.join(PACKAGES[extra])} with: {command(extra)}"


def command(extra: Extra) -> str:
    """The same as `commands` as a line for this system's shell, on Windows PowerShell."""
    return _in_words(commands(extra))


def command_for(*packages: str) -> str:
    """The same for packages by their names."""
    return _in_words([[*_installer(), *packages]])


def _in_words(commands: list[list[str]]) -> str:
    if os.name == "nt":
        return "; ".join(_for_powershell(command) for command in commands)
    return " && ".join(shlex.join(command) for command in commands)


def _for_powershell(words: list[str]) -> str:
    """A command for PowerShell, where a quoted program needs `&`; without quotes it works in the command prompt, too."""
    quoted = ["'" + word.replace("'", "''") + "'" if re.search(r"[^\w\-+./:=\\~]", word) else word for word in words]
    return ("& " if quoted[0] != words[0] else "") + " ".join(quoted)


def program() -> str:
    """The shell's command for this installation: its name where the shell finds it, else its path."""
    own = Path(sys.executable).with_name("suture.exe" if os.name == "nt" else "suture")
    shell_finds = shutil.which("suture")
    if not own.exists() or (shell_finds is not None and os.path.samefile(shell_finds, own)):
        return "suture"
    return _for_powershell([str(own)]) if os.name == "nt" else shlex.quote(str(own))


def mends(problem: str) -> str:
    """The command to install the package missing according to a problem's text; "" for other problems."""
    return next((command(extra) for extra in PACKAGES if missing(extra) in problem), "")


def commands(extra: Extra) -> list[list[str]]:
    """The programs, with arguments, to install an extra into this environment, one after the other.

    Without an NVIDIA GPU, PyTorch comes in its CPU build: PyPI's build for Linux brings gigabytes of CUDA.
    """
    clone = _clone()
    if extra == "torch" and clone is not None and os.name != "nt":
        return [["make", "-C", str(clone), "torch"]]
    install = _installer()
    if extra == "torch":
        index = ["--index-url", CPU_INDEX] if sys.platform == "linux" and not has_nvidia_driver() else []
        separate = [[*install, *_options(index), "torch"], [*install, "transformers"]]
        return separate if index else [[*install, "torch", "transformers"]]
    # The builds share a version, so the CPU build has to be replaced.
    again = extra == "gguf-cuda"
    options = ["--force-reinstall", "--index-url", CUDA_INDEX] if again else []
    force = ["--force"] if again and _by_pipx() else []
    return [[*install, *force, *_options([*options, "--only-binary", "xllamacpp"]), "xllamacpp"]]


def has_nvidia_driver() -> bool:
    """Whether there is a driver of an NVIDIA GPU, usable or not; under WSL, too."""
    return find_program("nvidia-smi", ["/usr/lib/wsl/lib"]) is not None


def _installer() -> list[str]:
    """The command to install packages into this process's environment, up to their names."""
    if _by_pipx():
        return ["pipx", "inject", Path(sys.prefix).name]
    if find_spec("pip") is None:  # an environment made by uv
        # In a neutral folder, so that files of the current one (a `uv.toml`, a `pip/`) neither name an index nor run.
        return ["uv", "pip", "install", "--python", sys.executable, "--directory", neutral_folder()]
    return [sys.executable, "-I", "-m", "pip", "install"]


def _options(options: list[str]) -> list[str]:
    return [f"--pip-args={shlex.join(options)}"] if options and _by_pipx() else options


def _by_pipx() -> bool:
    return Path(sys.prefix, "pipx_metadata.json").is_file()


def _clone() -> Path | None:
    """The clone whose `make` made this environment."""
    from urllib.request import url2pathname  # imports HTTP and its dependencies

    try:
        said: dict[str, Any] = json.loads(distribution("suture").read_text("direct_url.json") or "{}")
        folder = Path(url2pathname(urlsplit(str(said["url"])).path))
    except (PackageNotFoundError, OSError, ValueError, KeyError):
        return None
    editable = said.get("dir_info", {}).get("editable") is True
    return folder if editable and Path(sys.prefix, ".ready").is_file() and (folder / "Makefile").is_file() else None

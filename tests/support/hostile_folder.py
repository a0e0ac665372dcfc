"""A folder that tries to be run: by a Python, or by the search for a program, started in it."""

from pathlib import Path

MODULES = (
    *(
        "venv",
        "pip",
        "ensurepip",
        "site",
        "sitecustomize",
        "usercustomize",
        "runpy",
        "types",
        "json",
        "re",
        "subprocess",
    ),
    *("setuptools", "suture", "lark", "numpy", "lsprotocol", "xllamacpp", "tree_sitter", "distutils-precedence"),
)
PROGRAMS = ("python", "python3", "pip", "uv", "nvidia-smi", "ps", "suture", "make", "node")


def hostile_folder(path: Path) -> Path:
    """The folder; every module and program in it writes a file `ran` when run."""
    path.mkdir(parents=True, exist_ok=True)
    mark = f"open({str(path / 'ran')!r}, 'a').write(__name__ + ' ')\n"
    for name in MODULES:
        (path / name).mkdir()
        for file in ("__init__.py", "__main__.py"):
            (path / name / file).write_text(mark)
    (path / "parser.py").write_text(mark)
    (path / "evil.pth").write_text(f"import sys; {mark}")
    (path / "pyvenv.cfg").write_text("home = .\n")
    for name in ("pip.conf", "pip.ini", "uv.toml"):
        (path / name).write_text("[global]\nindex-url = http://127.0.0.1:1/evil\n")
    for name in PROGRAMS:
        target = path / (f"{name}.sh" if (path / name).is_dir() else name)
        target.write_text(f"#!/bin/sh\necho {name} >> '{path / 'ran'}'\n")
        target.chmod(0o755)
    return path


def what_ran(path: Path) -> str:
    """The modules and programs run in the folder."""
    mark = path / "ran"
    return mark.read_text() if mark.exists() else ""

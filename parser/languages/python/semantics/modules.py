"""The importable modules of a file: found by their paths, read once, never imported or run.

The search follows Python's: the project's folders, the standard library, the packages of the workspace's Python. A module found in several of
these, compiled, too large, or not read yet is unknown, and unknown things refuse nothing.
"""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, lru_cache
from os import PathLike, scandir
from pathlib import Path
from time import monotonic, thread_time

from .....common import untrusted
from .....common.bounded import BoundedBySize, BoundedDict
from .....common.reach import ANYWHERE, Reach
from .....common.words import compiled
from ..workspace import ROOTS, up_to_repository
from .builtin_names import BUILTIN_FUNCTIONS
from .contents import Dialect
from .facts import NOTHING, Binding, Function, Gathered
from .homes import Module
from .lines import parse_file

MAX_BYTES = 600_000
"""The largest module size to read."""
_MAX_KEPT = 24_000_000
"""Characters of source whose facts are kept; facts take some bytes for each."""
_MAX_READ_S = 5.0
"""Processor time for one module; 600 kB of usual code take a second."""
_MAX_PARTS = 12
"""Parts of a dotted name."""
_MAX_FOLDERS = 32
_MAX_ENTRIES = 10_000
"""The most files of a folder; larger folders are unknown. Listing one takes 20 ms."""
_LOOK_AGAIN_S = 5.0
"""Seconds after which a file is checked for changes again."""
_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_PACKAGES = ("site-packages", "dist-packages")
_COMPILED = (".so", ".pyd")
_OS_PATH = "ntpath" if os.name == "nt" else "posixpath"
_IMPORTS = compiled(
    r"^[ \t]*(?:lazy[ \t]+)?(?:from[ \t]+(?=[\w.]+[ \t]+import)|import[ \t]+)(?P<module>[\w.]+)", re.MULTILINE
)
_MAX_WANTED = 200
_MAX_FOUND = 2_000
"""Module names whose results are kept, for one file."""
_BASE_SIZE = 1_000
"""The size of an empty module's facts, in characters."""


_modules: BoundedBySize[Path, tuple[tuple[int, int], int, Gathered | None]] = BoundedBySize(
    _MAX_KEPT, lambda cached: cached[1]
)
"""(time and size of the file, the size of its facts, its facts)"""


def facts_of(path: Path, stop: Callable[[], bool] | None = None) -> Gathered | None:
    """The facts of a file, read again after a change; None if it is unreadable. Raises Interrupted as soon as `stop` returns True."""
    try:
        stat = path.stat()
        stamp = stat.st_mtime_ns, stat.st_size
        cached = _modules.used(path)
        if cached is not None and cached[0] == stamp:
            return cached[2]
        text = untrusted.read_text(path, MAX_BYTES, "replace")
    except (OSError, ValueError):
        return None
    facts = _facts_in(text, stop)
    _modules[path] = stamp, _BASE_SIZE + len(text), facts
    return facts


class _TooMuch(Exception):
    """The module takes too long to read."""


class Interrupted(Exception):
    """There is no time to read a module now."""


def _facts_in(text: str, stop: Callable[[], bool] | None) -> Gathered | None:
    """The facts of a source; None if its nesting is too deep, or reading takes too long."""
    end_s = thread_time() + _MAX_READ_S

    def ask() -> None:
        if thread_time() > end_s:
            raise _TooMuch
        if stop is not None and stop():
            raise Interrupted

    try:
        return parse_file(text, Dialect(sys.version_info[:2]), ask).gathered()
    except (RecursionError, _TooMuch):
        return None


class Modules:
    """The importable modules of one file."""

    def __init__(
        self,
        roots: Iterable[Path],
        package: str = "",
        *,
        library: Path | None = None,
        at_once: bool = False,
        allows: Callable[[Path], bool] = lambda path: True,
    ) -> None:
        """roots: folders with modules. package: that of the file. library: the standard library. at_once: whether modules are read at first
        use; else they are unknown until `read`. allows: whether a file, or a folder's list, may be read."""
        self.roots = tuple(dict.fromkeys(roots))
        self.folders = tuple(root for root in self.roots if root.name not in _PACKAGES)
        self.library = library
        self.allows = allows
        self._any: Modules | None = None
        self.package = package
        self.at_once = at_once
        self._found: BoundedDict[str, tuple[float, Module | None]] = BoundedDict(_MAX_FOUND)
        self._wanted: dict[str, None] = {}
        self._large: dict[str, None] = {}  # wanted ones that needed more time than there was

    def for_any_version(self) -> Modules:
        """The same for a file that checks the version of Python: the contents of the standard library are unknown."""
        if self._any is None:
            self._any = _AnyVersion(self)
        return self._any

    def absolute(self, name: str, package: str) -> str | None:
        """The full name of a module, possibly relative to a package."""
        dots = len(name) - len(name.lstrip("."))
        if not dots:
            return name
        parts = package.split(".") if package else []
        if len(parts) < dots:
            return None
        parts = parts[: len(parts) - dots + 1]
        return ".".join([*parts, name[dots:]] if name[dots:] else parts)

    def get(self, name: str, package: str = "") -> Module | None:
        """See Importable in homes.py."""
        full = self.absolute(name, package)
        if full is None:
            return None
        cached = self._found.get(full)
        if cached is not None and monotonic() - cached[0] < _LOOK_AGAIN_S:
            return cached[1]
        if self.at_once:
            return self._look(full)
        self._want(full)
        return cached[1] if cached is not None else None  # its old facts count until the next reading

    def want(self, text: str) -> None:
        """See Imports in language_runtime.py."""
        for match in _IMPORTS.finditer(text):
            name = self.absolute(match["module"], self.package)
            if name is not None and name not in self._found:
                self._want(name)

    def _want(self, name: str) -> None:
        if name not in self._large and len(self._wanted) + len(self._large) < _MAX_WANTED:
            self._wanted[name] = None

    def read(self, seconds: float, stop: Callable[[], bool] | None = None) -> None:
        """See Imports in language_runtime.py."""
        end = monotonic() + seconds

        def over() -> bool:
            return monotonic() > end or (stop is not None and stop())

        for names in (self._wanted,) if stop is None else (self._wanted, self._large):
            while names and not over():
                name = next(iter(names))
                del names[name]
                try:
                    # With nobody waiting, read to the end: begun anew after each pause, a large one would never finish.
                    self._look(name, over if stop is None else stop)
                except Interrupted:
                    (self._large if stop is None else names)[name] = None

    def _look(self, name: str, stop: Callable[[], bool] | None = None) -> Module | None:
        module = None
        parts = name.split(".")
        if len(parts) <= _MAX_PARTS and all(part.isidentifier() for part in parts):
            roots = self.roots if self.library is None else (*self.roots, self.library)
            places = [place for root in roots if (place := self._place(root, parts[0])) is not None]
            if name == "os.path" and self._is_library(places, "os"):
                module = self._look(_OS_PATH, stop)
            elif name in library_names() and self._is_library(places, name):
                folder = places[0] if places and untrusted.is_folder(places[0]) else None
                module = Module(name, name if folder is not None else "", _listed_facts(name), folder)
            elif len(places) == 1 and places[0] != Path():
                module = self._read(places[0], parts, stop)
        self._found[name] = monotonic(), module
        return module

    def _read(self, place: Path, parts: list[str], stop: Callable[[], bool] | None) -> Module | None:
        """A module by the parts of its name; place: of the first part. Raises Interrupted."""
        for number, part in enumerate(parts[1:], 1):
            if not untrusted.is_folder(place):
                return None
            inner = self._place(place, part)
            if inner is None or inner == Path():
                return None
            place = inner
            if number + 1 < len(parts) and not untrusted.is_folder(place):
                return None
        name = ".".join(parts)
        is_package = untrusted.is_folder(place)
        file = place / "__init__.py" if is_package else place
        facts = facts_of(file, stop) if self.allows(file) else None
        if facts is None or (is_package and _entries(place) is None):
            return None
        return Module(name, name if is_package else ".".join(parts[:-1]), facts, place if is_package else None)

    def _place(self, root: Path, name: str) -> Path | None:
        """The folder or file of a module in a folder; None: there is none; Path(): it cannot be read, or must not be."""
        entries = _entries(root)
        if entries is None:
            return Path()
        if name in entries and f"{name}/" in entries:
            return root / name if self.allows(root / name) else Path()
        if f"{name}.py" in entries:
            return root / f"{name}.py" if self.allows(root / f"{name}.py") else Path()
        if any(entry.startswith(f"{name}.") and entry.endswith(_COMPILED) for entry in entries):
            return Path()
        return None

    def _is_library(self, places: list[Path], name: str) -> bool:
        """Whether these places leave only the standard library as a module's origin."""
        return not places or (
            self.library is not None and [place.with_suffix("") for place in places] == [self.library / name]
        )

    def top_level(self) -> frozenset[str]:
        """The names of modules and packages in the project's folders, and of installed ones."""
        return frozenset[str]().union(*(_submodules(root) for root in self.roots))

    def own(self) -> frozenset[str]:
        """The names of modules and packages in the project's folders."""
        return frozenset[str]().union(*(_submodules(root) for root in self.folders))

    def submodules(self, module: Module) -> frozenset[str]:
        """The names of the modules in a package."""
        return frozenset() if module.folder is None else _submodules(module.folder)

    def builtin(self, name: str) -> tuple[Function, Module] | None:
        """See Importable in homes.py."""
        function = builtin_functions().get(name)
        return None if function is None else (function, _builtin_types())


class _AnyVersion(Modules):
    """The imports of a file that checks the version of Python."""

    def __init__(self, all_of: Modules) -> None:
        super().__init__(all_of.roots, all_of.package, allows=all_of.allows)
        self._all = all_of

    def get(self, name: str, package: str = "") -> Module | None:
        full, library = self.absolute(name, package), self._all.library
        top = (full or "").partition(".")[0]
        changes = top in library_names() or (library is not None and self._place(library, top) is not None)
        return None if full is None or changes else self._all.get(full)


@cache
def _builtins() -> Gathered:
    return parse_file(BUILTIN_FUNCTIONS, Dialect((3, 13))).gathered()


@cache
def builtin_functions() -> dict[str, Function]:
    """The built-in functions and types with known arguments, as accepted by all versions together."""
    return {name: binding for name, binding in _builtins().made.items() if binding.__class__ is Function}


@cache
def _builtin_types() -> Module:
    """The module for the annotations of built-in functions."""
    made = {name: binding for name, binding in _builtins().made.items() if binding.__class__ is not Function}
    return Module("builtins", "", replace(NOTHING, made=made), None)


@cache
def library_names() -> dict[str, frozenset[str]]:
    """Module -> its names, of standard modules whose source does not tell them: compiled ones, and those with dynamic names, such as `os`.

    `scripts/library_names.py` writes the list, for all versions and platforms together.
    """
    lists: dict[str, str] = json.loads(Path(__file__).with_name("library_names.json").read_text(encoding="utf-8"))
    return {module: frozenset(names.split()) for module, names in lists.items()}


@cache
def _listed_facts(name: str) -> Gathered:
    """The facts of a module with listed names: nothing more is known about them."""
    made: dict[str, Binding] = dict.fromkeys(library_names()[name])
    if name == "os":
        made["path"] = ("module", _OS_PATH)
    return replace(NOTHING, made=made)


def _submodules(folder: Path) -> frozenset[str]:
    names: set[str] = set()
    for entry in _entries(folder) or ():
        name = entry.partition(".")[0].rstrip("/")
        if name.isidentifier() and (entry.endswith((".py", ".pyi", *_COMPILED)) or entry in (name, f"{name}/")):
            names.add(name)
    return frozenset(names)


def _entries(folder: Path) -> frozenset[str] | None:
    return _listed(folder, int(monotonic() / _LOOK_AGAIN_S))


@lru_cache(maxsize=512)
def _listed(folder: Path, when: int) -> frozenset[str] | None:
    """The names in a folder, those of folders both with and without a slash behind them; None: too many. when: a new value causes a new
    reading."""
    names: list[str] = []
    try:
        with scandir(folder) as entries:
            for entry in entries:
                if len(names) > _MAX_ENTRIES:
                    return None
                names.append(entry.name)
                if entry.is_dir():
                    names.append(entry.name + "/")
    except (OSError, ValueError):
        pass
    return frozenset(names)


def modules_for(
    path: str | PathLike[str] | None, version: tuple[int, int], *, at_once: bool = False, reach: Reach = ANYWHERE
) -> Modules:
    """The importable modules of a file, for a version of Python, among those that may be read."""
    folders, package = _project(Path(path), reach) if path is not None else ([], "")
    prefix, library = _environment(Path(path), reach) if path is not None else (None, None)
    packages: list[Path] = []
    if prefix is not None:
        packages = [*prefix.glob("lib/python3*/site-packages"), prefix / "Lib" / "site-packages"]
    installed = {*packages} if library is None else {*packages, library}
    if library is None and sys.version_info[:2] >= version:
        library = Path(sysconfig.get_paths()["stdlib"])

    def allows(place: Path) -> bool:
        if not installed.isdisjoint(place.parents):
            return reach.allows_packages(place)
        return library in place.parents or reach.allows(place)  # the library is then this process's own

    return Modules([*folders, *packages], package, library=library, at_once=at_once, allows=allows)


def _project(path: Path, reach: Reach) -> tuple[list[Path], str]:
    """(the project's folders with modules, the package of the file)"""
    folder = path.absolute().parent
    names: list[str] = []
    outermost = folder
    while (
        reach.holds(outermost.parent)
        and untrusted.exists(outermost / "__init__.py")
        and outermost.name.isidentifier()
        and len(names) < _MAX_PARTS
    ):
        names.append(outermost.name)
        outermost = outermost.parent
    roots = [outermost]
    for above in filter(reach.holds, [outermost, *outermost.parents][:_MAX_FOLDERS]):
        if any(untrusted.exists(above / root) for root in (*ROOTS, "pyproject.toml", "setup.py")):
            roots += [above, above / "src"]
            break
    return roots, ".".join(reversed(names))


def _environment(path: Path, reach: Reach) -> tuple[Path | None, Path | None]:
    """(the virtual environment of a file's project, the standard library of its Python), each None if there is none."""
    for folder in up_to_repository(path.absolute().parents):
        if not (reach.trusted or reach.holds(folder)):
            break
        for name in _ENVIRONMENTS:
            prefix = folder / name
            if untrusted.is_regular(prefix / "pyvenv.cfg"):
                return prefix, _library(prefix) if reach.trusted else None
    return None, None


def _library(prefix: Path) -> Path | None:
    """The standard library of a virtual environment's base Python."""
    try:
        owners = untrusted.trusted_owners(prefix.parent)
        lines = untrusted.read_text(prefix / "pyvenv.cfg", 10_000, "replace", owners).splitlines()
    except OSError:
        return None
    says = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    home, version = says.get("home"), says.get("version", says.get("version_info", ""))
    if not home or home.startswith(("//", "\\\\")) or not os.path.isabs(home):  # other machines are not accessed
        return None
    release = ".".join(version.split(".")[:2])
    for library in (Path(home).parent / "lib" / f"python{release}", Path(home) / "Lib"):
        if untrusted.is_regular(library / "os.py"):
            return library
    return None

"""The possible imports of a Python file: those of its neighbours, its neighbours' definitions, and the usual ones elsewhere."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from ...importing import ImportRequest, Insertion, Neighbours
from .import_lines import INSTALLED, LIBRARY, OWN, RELATIVE, imported_names, place, statement_of
from .layout import ASYNC, DEFINITIONS, one_of
from .semantics.modules import Modules

_TABLE = Path(__file__).with_name("usual_imports.json")
_DEFINED = re.compile(rf"^(?:{ASYNC})?{one_of(DEFINITIONS)}[ \t]+([^\W\d_]\w*)", re.MULTILINE)
_PLAUSIBLE = 0.6
"""The share of the imports of a name, among those from different modules, above which a statement is the one meant."""
_MAX_CHARS = 1_000_000


class PythonImporter:
    """See Importer."""

    def __init__(self) -> None:
        self._neighbours = Neighbours(".py")

    def importable(self, asked: ImportRequest) -> Mapping[str, str]:
        """See Importer. The project's imports take precedence over those usual elsewhere."""
        usual = dict(_usual(_release(asked.version)))
        modules = asked.imports if isinstance(asked.imports, Modules) else None
        if modules is not None:
            there = modules.top_level()
            usual = {
                name: statement
                for name, statement in usual.items()
                if _is_library(statement) or _module_of(statement).partition(".")[0] in there
            }
        else:
            usual = {name: statement for name, statement in usual.items() if _is_library(statement)}
        beside = list(self._neighbours.of(asked))
        defined = dict(self._defined(beside, asked, modules))
        imported: dict[str, Counter[str]] = {}
        for path, text in beside:
            near = asked.path is not None and path.parent == Path(asked.path).absolute().parent
            for name, statement in _imported(text[:_MAX_CHARS]):
                if near or not _module_of(statement).startswith("."):
                    imported.setdefault(name, Counter())[statement] += 1
        local = {name: counts.most_common(1)[0][0] for name, counts in imported.items()}
        whole = {
            _module_of(statement) for _, statement in imported_names(asked.text) if statement.startswith("import ")
        }
        # If the file imports a module as a whole, its names are not imported one by one.
        usual = {name: statement for name, statement in usual.items() if _module_of(statement) not in whole}
        return usual | defined | local

    def _defined(
        self, beside: list[tuple[Path, str]], asked: ImportRequest, modules: Modules | None
    ) -> Iterator[tuple[str, str]]:
        """(a public class or function of a module beside the file, the statement that imports it), for names defined by only one module."""
        if asked.path is None:
            return
        folder = Path(asked.path).absolute().parent
        package = modules.package if modules is not None else ""
        relative = bool(package) and any("from ." in text for text in (asked.text, *(text for _, text in beside)))
        modules_of: dict[str, list[str]] = {}
        for path, text in beside:
            name = path.stem
            is_public = name.isidentifier() and not name.startswith(("_", "test_")) and name != "conftest"
            if is_public and path.parent == folder:
                module = f".{name}" if relative else f"{package}.{name}" if package else name
                for defined in _defines(text[:_MAX_CHARS]):
                    modules_of.setdefault(defined, []).append(module)
        yield from ((name, statement_of(homes[0], name, name)) for name, homes in modules_of.items() if len(homes) == 1)

    def insertions(self, text: str, offset: int, statement: str, asked: ImportRequest) -> tuple[Insertion, ...]:
        own = asked.imports.own() if isinstance(asked.imports, Modules) else frozenset[str]()

        def group_of(module: str) -> int:
            if module.startswith("."):
                return RELATIVE
            top = module.partition(".")[0]
            return LIBRARY if top in sys.stdlib_module_names else OWN if top in own else INSTALLED

        return place(text, offset, statement, group_of, "\r\n" if "\r\n" in text else "\n")


@lru_cache(maxsize=256)
def _imported(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(imported_names(text))


@lru_cache(maxsize=256)
def _defines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_DEFINED.findall(text)))


def _module_of(statement: str) -> str:
    """The module of a statement with one import, as `statement_of` writes it."""
    return statement.split()[1]


def _is_library(statement: str) -> bool:
    return _module_of(statement).partition(".")[0] in sys.stdlib_module_names


def _release(version: str | None) -> tuple[int, ...]:
    return tuple(map(int, version.split("."))) if version else sys.version_info[:2]


class _Usual(NamedTuple):
    statement: str
    packages: int
    since: tuple[int, ...]
    until: tuple[int, ...]


@cache
def _table() -> tuple[_Usual, ...]:
    said: dict[str, list[int | str]] = json.loads(_TABLE.read_text(encoding="utf-8"))
    rows: list[_Usual] = []
    for statement, (packages, *limits) in said.items():
        since, until = (_release(str(limit)) for limit in (*limits, *("0", "99")[len(limits) :]))
        rows.append(_Usual(statement, int(packages), since, until))
    return tuple(rows)


@cache
def usual_modules() -> frozenset[str]:
    """The names that usually mean a module."""
    return frozenset(row.statement.split()[-1] for row in _table() if row.statement.startswith("import "))


@cache
def _usual(release: tuple[int, ...]) -> dict[str, str]:
    """Name -> the statement that usually imports it elsewhere."""
    named: dict[str, list[_Usual]] = {}
    for row in _table():
        if row.since <= release <= row.until:
            named.setdefault(row.statement.split()[-1], []).append(row)
    return {
        name: given[0].statement
        for name, given in named.items()
        if given[0].packages >= _PLAUSIBLE * sum(row.packages for row in given) or _is_one_thing(given)
    }


def _is_one_thing(given: list[_Usual]) -> bool:
    """Whether all statements import the same thing, such as `Iterable` of `typing` and of `collections.abc`, or the module and its main name."""
    modules = {_module_of(row.statement) for row in given}
    return modules <= {"typing", "collections.abc"} or len({module.partition(".")[0] for module in modules}) == 1

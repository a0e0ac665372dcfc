"""The version of Python of a workspace.

Texts come from the caller; workspace.py reads files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....common import untrusted
from ....common.json_types import is_object
from ....common.possessive import compiled
from ...grammar.loader import version_key

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
DEFAULT_VERSION = "3.11"
_RELEASE = re.compile(r"(?<![\d.])3\.(\d{1,3})(?!\d)")
# All but "!=", which only occurs as the standard has it.
_LOOSE = compiled(r"(\^|~=|~|===|==|>=|<=|>|<|)\s*+v?(\d{1,9}(?:\.\d{1,9})*+)(\.\*)?")
_UPPER = compiled(r"(?:<=?|!=)\s*+[\d.*]++")
_MICROS = 40  # releases of a version: Python 3.8 had 21
_MAX_SPECIFIER = 300  # characters; nobody writes longer ones, and they could take much time
_MAX_RELEASE = 10_000  # characters of a .python-version
_LOWER_BOUNDS = (">=", ">", "==", "~=")


def choose(required: str | None, python_version: str | None, default: str = DEFAULT_VERSION) -> str:
    """The version for a workspace's files, one of VERSIONS.

    required: the project's required versions, as a specifier; the lowest wins, since the code must run there. python_version: text of
    .python-version.
    """
    if required is not None and len(required) > _MAX_SPECIFIER:
        required = None
    allowed = [v for v in VERSIONS if required is None or satisfies(v, required)]
    if required is not None and _has_lower_bound(required):
        return allowed[0] if allowed else _nearest(required)
    version = release(python_version) if python_version is not None else None
    if version is not None and (not allowed or version in allowed):
        return version
    return default if not allowed or default in allowed else allowed[-1]


def requirement(pyproject: str) -> str | None:
    """The Python versions required by a pyproject.toml, as a specifier; None if it names none or is not TOML."""
    try:
        data = untrusted.parse_toml(pyproject)
    except untrusted.UntrustedFileError:
        return None
    poetry = _at(data, "tool", "poetry", "dependencies", "python")
    stated = _at(data, "project", "requires-python") or (_at(poetry, "version") or poetry)
    return stated if isinstance(stated, str) and stated.strip() else None


def _at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if is_object(data) else None
    return data


def release(text: str) -> str | None:
    """The version named by a .python-version file or an interpreter, or the nearest known one; None if it names none."""
    lines = [line for line in text[:_MAX_RELEASE].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    pinned = next((match for line in lines if (match := _RELEASE.search(line))), None)
    return _clamped(int(pinned[1])) if pinned else None


def unknown(text: str) -> str | None:
    """The version, newer than all of VERSIONS, in a specifier's lower bound or a .python-version; None for a known one or none."""
    minors = [int(minor) for minor in _RELEASE.findall(_UPPER.sub("", text[:_MAX_RELEASE]))]
    newest = max(minors, default=0)
    return f"3.{newest}" if newest > version_key(VERSIONS[-1])[1] else None


def _clamped(minor: int) -> str:
    lowest, highest = version_key(VERSIONS[0])[1], version_key(VERSIONS[-1])[1]
    return f"3.{min(max(minor, lowest), highest)}"


def satisfies(version: str, specifier: str) -> bool:
    """Whether some release of the version (as "3.11") satisfies a specifier such as ">=3.8,<3.13".

    An unknown form of specifier does not count. Poetry's "^3.9", "~3.9" and "||" are known too.
    """
    if len(specifier) > _MAX_SPECIFIER:
        return True
    releases = [f"{version}.{micro}" for micro in range(_MICROS)]
    choices = [list(_clauses(part)) for part in specifier.split("||")]
    return any(all(clause.contains(release) for clause in clauses) for clauses in choices for release in releases)


def _clauses(specifier: str) -> Iterator[SpecifierSet]:
    """The clauses between commas whose form is known."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # most workspaces name no version

    for clause in specifier.split(","):
        try:
            yield SpecifierSet(_standard(clause.strip()))
        except InvalidSpecifier:
            continue


def _standard(clause: str) -> str:
    """Spell Poetry's clauses, and those that older tools took (">=3.8.*", "==3"), as the standard does (PEP 440)."""
    match = _LOOSE.fullmatch(clause)
    if match is None:
        return clause
    operator, number, wildcard = match[1], match[2], match[3]
    minor = ".".join(number.split(".")[:2])
    if operator == "^" or (operator == "~=" and number.count(".") < 2):
        return f">={number},<{int(number.partition('.')[0]) + 1}"
    if operator == "~=" or (operator == "~" and number.count(".") > 1):
        return f"~={number}"
    if operator in ("", "~", "==", "==="):
        return f"=={number}.*" if wildcard and operator != "~" else f"=={minor}.*"
    return operator + number


def _has_lower_bound(specifier: str) -> bool:
    clauses = (clause for part in specifier.split("||") for clauses in _clauses(part) for clause in clauses)
    return any(clause.operator in _LOWER_BOUNDS for clause in clauses)


def _nearest(specifier: str) -> str:
    """The version nearest to the required ones if none of VERSIONS is among them."""
    minors = [int(minor) for minor in _RELEASE.findall(specifier)]
    return _clamped(max(minors)) if minors else VERSIONS[-1]

"""The lock files of npm's packages: `npm ci` refuses one out of step with its package.json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    "editors/vscode",
    "editors/playground",
    "tests/support/typescript",
    "tests/support/css",
    "tests/support/pyodide",
)
WANTED = ("dependencies", "devDependencies", "optionalDependencies")


def problems(package: Mapping[str, Any], lock: Mapping[str, Any]) -> list[str]:
    """The complaints of `npm ci`: requirements other than the lock's, and required packages missing in the lock."""
    locked: Mapping[str, Any] = lock["packages"]
    found = [f"{key} differ" for key in WANTED if package.get(key, {}) != locked[""].get(key, {})]
    found += [f"{key} differs" for key in ("name", "version") if package[key] != locked[""].get(key)]
    for place, entry in locked.items():
        # Also optional ones, such as the builds for other systems: the lock file is for all of them.
        for key in WANTED if not place else ("dependencies", "optionalDependencies"):
            found += [
                f"{place or 'the root'} wants {name}" for name in entry.get(key, {}) if not known(locked, place, name)
            ]
    return found


def known(locked: Mapping[str, Any], place: str, name: str) -> bool:
    """Whether a package is locked in a place where Node would find it from another one."""
    while True:
        if (f"{place}/" if place else "") + f"node_modules/{name}" in locked:
            return True
        if not place:
            return False
        place = place.rpartition("node_modules/")[0].rstrip("/")


def read(folder: str) -> tuple[dict[str, Any], dict[str, Any]]:
    package, lock = ((ROOT / folder / name).read_text("utf-8") for name in ("package.json", "package-lock.json"))
    return json.loads(package), json.loads(lock)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_lock_file_is_in_step(folder: str) -> None:
    assert problems(*read(folder)) == []


def test_a_lock_file_that_lacks_a_build_for_another_system_is_found() -> None:
    package, lock = read("editors/playground")
    del lock["packages"]["node_modules/@esbuild/win32-x64"]
    assert problems(package, lock) == ["node_modules/esbuild wants @esbuild/win32-x64"]


def test_another_version_in_package_json_is_found() -> None:
    package, lock = read("editors/playground")
    package["devDependencies"]["typescript"] = "^4.0.0"
    assert problems(package, lock) == ["devDependencies differ"]

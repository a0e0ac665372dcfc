"""The files that may be read because a document names them, or lies beside them: `Reach` decides for every reader.

An opened repository can name any file: by an import with many dots, a link, a virtual environment that is a link. A file is in reach if it
lies under the workspace's root once links are followed, and belongs to its user.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from os import PathLike
from pathlib import Path

from . import untrusted

_ROOTS = ((".git", ".hg"), ("pyproject.toml", "setup.py", "setup.cfg", "go.mod"))
"""The names that mark the folder of a project, the surest first."""
_MAX_FOLDERS = 32


@dataclass(frozen=True)
class Reach:
    """The files within a document's reach."""

    root: str | None = None
    """the folder to read within; None: anywhere"""
    trusted: bool = True
    """Whether the user trusts the workspace. Then its virtual environment is read even if it is a link, and so is its interpreter's."""
    runs: bool = False
    """Whether programs of its virtual environment may be run: only where an editor reports its user's trust, not for any named file."""

    @staticmethod
    def around(path: str | PathLike[str], trusted: bool) -> Reach:
        """The reach of a file in no workspace: its repository or project, else its package, else its folder."""
        folder = Path(os.path.abspath(path)).parent
        owners = untrusted.trusted_owners(folder)
        for marks in _ROOTS:
            for above in islice((folder, *folder.parents), _MAX_FOLDERS):
                if any(_belongs(above / name, owners) for name in marks):
                    return Reach(str(above), trusted)
        for above in islice(folder.parents, _MAX_FOLDERS):
            if not (_belongs(folder / "__init__.py", owners) and _belongs(above / "__init__.py", owners)):
                break
            folder = above
        return Reach(str(folder), trusted)

    def allows(self, path: str | PathLike[str]) -> bool:
        """Whether a file, or a folder's list, may be read. Links are followed first; False for a missing one."""
        if self.root is None:
            return True
        try:
            real = os.path.realpath(path, strict=True)
            root, owners = _ground(self.root)
            return Path(real).is_relative_to(root) and _belongs(real, owners)
        except (OSError, ValueError):
            return False

    def holds(self, folder: str | PathLike[str]) -> bool:
        """Whether a folder is the root or in it, by its path alone. Others are not even looked up."""
        return self.root is None or Path(folder).is_relative_to(self.root)

    def allows_packages(self, path: str | PathLike[str]) -> bool:
        """Whether a part of the virtual environment, or of its interpreter, may be read. A trusted workspace's may lie anywhere."""
        if not self.trusted or self.root is None:
            return self.allows(path)
        return _belongs(path, _ground(self.root)[1])


ANYWHERE = Reach()


@lru_cache(maxsize=64)
def _ground(root: str) -> tuple[str, frozenset[int] | None]:
    """(the real path of a root, the owners of files to read there)"""
    real = os.path.realpath(root)
    return real, untrusted.trusted_owners(Path(real))


def _belongs(path: str | PathLike[str], owners: frozenset[int] | None) -> bool:
    """Whether the file or folder at a path belongs to one of some users; None: anybody."""
    try:
        return (owners is None) | (os.stat(path).st_uid in (owners or ()))
    except (OSError, ValueError):
        return False

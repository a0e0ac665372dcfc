"""URIs as clients write them, and their files."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

_OF_FILES = ("file", "vscode-notebook-cell")  # a cell's path is that of its notebook


def file_path(uri: str) -> str | None:
    """The path of a document's file, or of the file it is part of; None without a file."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = _path_in(parts.path)
    if parts.scheme not in _OF_FILES or not path or "\0" in path:  # impossible in a path
        return None
    return f"//{parts.netloc}{path}" if parts.scheme == "file" and parts.netloc not in ("", "localhost") else path


def _path_in(path: str) -> str:
    """The path of a file, in its system's form, from a URI's path."""
    if os.name != "nt":
        return unquote(path)
    # It imports HTTP and its dependencies, needless in the relay.
    from urllib.request import url2pathname

    return url2pathname(path)


def is_cell(uri: str) -> bool:
    """Whether a document is a cell of a notebook, whose language is not that of its path."""
    return uri.startswith("vscode-notebook-cell:")


def name_in(uri: str) -> str:
    """The path in a URI of any scheme, for its file name; "" without one."""
    try:
        return unquote(urlsplit(uri).path)
    except ValueError:
        return ""

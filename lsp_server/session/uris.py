"""URIs as clients write them, and the files that they name."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

_OF_FILES = ("file", "vscode-notebook-cell")  # a cell's path is that of its notebook


def file_path(uri: str) -> str | None:
    """Give the path of the file that a document is, or is a part of; None for one in no file."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = _path_in(parts.path)
    if parts.scheme not in _OF_FILES or not path or "\0" in path:  # which no file's path can hold
        return None
    return f"//{parts.netloc}{path}" if parts.scheme == "file" and parts.netloc not in ("", "localhost") else path


def _path_in(path: str) -> str:
    """The path of a file, as its system writes it, that a URI's path says."""
    if os.name != "nt":
        return unquote(path)
    # It comes with HTTP and all that this needs, which the reader of messages has no use for.
    from urllib.request import url2pathname

    return url2pathname(path)


def is_cell(uri: str) -> bool:
    """Whether a document is a cell of a notebook: its language is then not that of its path."""
    return uri.startswith("vscode-notebook-cell:")


def name_in(uri: str) -> str:
    """Give the path in a URI of any scheme, for the sake of its file's name; "" where there is none."""
    try:
        return unquote(urlsplit(uri).path)
    except ValueError:
        return ""

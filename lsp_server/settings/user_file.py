"""The user's own settings file: one for all editors, in TOML, kept as its owner wrote it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from platformdirs import user_config_dir

from ..errors import UserError


def user_file() -> Path:
    """The path of the user's settings, whether the file exists or not."""
    return Path(user_config_dir("suture", appauthor=False)) / "config.toml"


def set_in_user_file(key: str, value: str | None) -> Path:
    """Set a key at the top of the file, or remove it (None); comments and order stay. Returns the file's path."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    path = user_file()
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        document = tomlkit.document()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}"
        ) from None
    except ParseError as error:
        raise UserError(f"{path}: is not TOML ({error}); correct it first") from None
    if value is None:
        if key in document:
            del document[key]
    else:
        document[key] = value
    _write(path, tomlkit.dumps(document))
    return path


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(text)
        os.replace(file.name, path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or type(error).__name__}") from None

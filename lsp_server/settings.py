"""What a user can choose, with defaults; bad values fall back to the defaults with a message."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Settings:
    """The settings of one server."""

    enable: bool = True
    model: str | None = None  # a folder or a name on the hub; None is the embedded model
    device: str = "auto"
    offline: bool = True  # never ask the network for a model
    max_tokens: int = 64  # an upper bound; most suggestions end earlier
    temperature: float = 0.0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# For each setting: what is accepted, in words and as a test.
_ACCEPTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "enable": ("true or false", lambda value: isinstance(value, bool)),
    "model": ("a folder or a name, as text", lambda value: isinstance(value, str) and value.strip() != ""),
    "device": ("text such as auto, cpu or cuda", lambda value: isinstance(value, str) and value.strip() != ""),
    "offline": ("true or false", lambda value: isinstance(value, bool)),
    "max_tokens": ("a whole number from 1 to 1024", lambda value: type(value) is int and 1 <= value <= 1024),
    "temperature": ("a number from 0 to 2", lambda value: _is_number(value) and 0 <= value <= 2),
}


def settings_from(options: Any) -> tuple[Settings, list[str]]:
    """Read initialization options, keys in camelCase or snake_case; give the settings and what was wrong."""
    if options is None:
        return Settings(), []
    if not isinstance(options, dict):
        return Settings(), ["the initialization options must be an object; the defaults are used"]
    if isinstance(options.get("suture"), dict):
        options = options["suture"]
    known = {field.name for field in fields(Settings)}
    chosen: dict[str, Any] = {}
    messages: list[str] = []
    for key, value in options.items():
        name = re.sub(r"(?<=[a-z])[A-Z]", lambda match: "_" + match[0].lower(), str(key))
        if name not in known:
            messages.append(f"there is no setting {key!r}; it is ignored")
        elif value is not None and value != "":  # editors send null, or an empty text, for what is not set
            accepted, accepts = _ACCEPTED[name]
            if accepts(value):
                chosen[name] = value
            else:
                messages.append(f"{key} must be {accepted}; the default is used")
    return Settings(**chosen), messages

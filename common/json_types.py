"""Type guards for values of JSON and TOML."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value from JSON or TOML is an object; its keys are then text."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether a value is a list, or the LSP library's form of one."""
    return isinstance(value, list | tuple)

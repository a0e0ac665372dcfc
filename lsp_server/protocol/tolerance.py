"""Messages with values unknown to the protocol's model: such a value counts as not sent, and the rest of its message stands.

Clients are newer than the model, or take liberties with it. Only a message with wrong required parts is refused.
"""

# The types of lsprotocol and cattrs are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import attrs
from cattrs import AttributeValidationNote, Converter, IterableValidationNote
from cattrs.errors import ClassValidationError, IterableValidationError

MAX_ROUNDS = 20
"""The most rounds; each removes the values in the converter's error, and the rest may be wrong, too."""
MAX_DROPPED = 1000
"""The most values removed in a round; a message with more is refused, since each costs a copy of its parent."""
_DROP, _KEEP = object(), object()
_Path = tuple[tuple[str | int, Any], ...]
"""Keys from a message to a value, each with the value's fate: `_DROP`, or a substitute; `_KEEP` where its parent decides."""


@dataclass(frozen=True)
class _Step:
    """A change of a message: the value at some keys is removed (`_DROP`) or replaced."""

    keys: tuple[str | int, ...]
    becomes: Any


def structure(
    converter: Converter, message: dict[str, Any], type_: Any, least: Mapping[Any, Any], exact: bool = False
) -> Any:
    """The message as an object of its type, without its invalid values; raises the converter's error where their removal does not suffice.

    least: the substitute for an unreadable required value, by its type. exact: lists keep all their elements.
    """
    reader = _Reader(least, exact)
    for _ in range(MAX_ROUNDS):
        try:
            return converter.structure(message, type_)
        except (ClassValidationError, IterableValidationError) as error:
            paths = list(islice(reader.wrong(error, message), MAX_DROPPED + 1))
            steps = [_step(message, path) for path in paths]
            if None in steps or not 0 < len(steps) <= MAX_DROPPED:
                raise
            # The last element of a list first, so that earlier indices stay valid.
            wanted = sorted({step.keys: step for step in steps if step is not None}.values(), key=_order, reverse=True)
            for step in wanted:
                message = _done(message, step.keys, step.becomes)
    return converter.structure(message, type_)


@dataclass(frozen=True)
class _Reader:
    """Reads the offending values, and the fate of each, from an error of the converter."""

    least: Mapping[Any, Any]
    exact: bool

    def wrong(self, error: BaseException, value: Any, above: _Path = ()) -> Iterator[_Path]:
        """The paths of the parts of a value named by an error."""
        if not isinstance(error, ClassValidationError | IterableValidationError):
            yield above
            return
        for cause in error.exceptions:
            note: Any = next(filter(_is_place, getattr(cause, "__notes__", ())), None)
            if note is None:  # of the object as a whole: numbers out of range
                steps = [self._step(field) for field in attrs.fields(error.cl) if _is_out_of_range(field, value)]
            elif isinstance(note, IterableValidationNote):
                steps = [(note.index, _KEEP if self.exact else _DROP)]
            else:
                steps = [self._step(attrs.fields_dict(error.cl)[note.name])]
            for step in steps:
                part = _part(value, step[0])
                yield from self.wrong(cause, None if part is _DROP else part, (*above, step))
            if not steps:
                yield above

    def _step(self, field: attrs.Attribute[Any]) -> tuple[str, Any]:
        return _key(field), _DROP if field.default is not attrs.NOTHING else self.least.get(field.type, _KEEP)


def _is_place(note: object) -> bool:
    return isinstance(note, AttributeValidationNote | IterableValidationNote)


def _key(field: attrs.Attribute[Any]) -> str:
    first, *others = field.name.removesuffix("_").split("_")
    return first + "".join(map(str.title, others))


def _is_out_of_range(field: attrs.Attribute[Any], value: Any) -> bool:
    part = _part(value, _key(field))
    if field.validator is None or part is _DROP:
        return False
    try:
        field.validator(value, field, part)
    except ValueError:
        return True
    return False


def _part(value: Any, key: str | int) -> Any:
    """The part of a value at a key; `_DROP` without one."""
    if isinstance(key, int):
        return value[key] if isinstance(value, list) and key < len(value) else _DROP
    return value.get(key, _DROP) if isinstance(value, dict) else _DROP


def _step(message: Any, path: _Path) -> _Step | None:
    """The change of the innermost removable part on a path, to nothing or to the least substitute; None without one."""
    step: _Step | None = None
    for length, (key, becomes) in enumerate(path, 1):
        container, message = message, _part(message, key)
        if message is _DROP and (becomes is _DROP or not isinstance(container, dict)):
            break
        if becomes is not _KEEP and message != becomes:
            step = _Step(tuple(key for key, _ in path[:length]), becomes)
    return step


def _order(step: _Step) -> tuple[tuple[bool, str | int], ...]:
    return tuple((isinstance(key, int), key) for key in step.keys)


def _done(value: Any, keys: Sequence[str | int], becomes: Any) -> Any:
    """A copy of the value with that change."""
    copy, key, inner = value.copy(), keys[0], keys[1:]
    if inner:
        copy[key] = _done(value[key], inner, becomes)
    elif becomes is _DROP:
        del copy[key]
    else:
        copy[key] = becomes
    return copy

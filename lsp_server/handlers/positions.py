"""Positions as the protocol writes them, and as the documents do."""

from lsprotocol import types

from ..session.documents import Position


def to_position(position: types.Position) -> Position:
    """Read a position."""
    return position.line, position.character


def from_position(position: Position) -> types.Position:
    """Write a position."""
    return types.Position(*position)

"""Conversions between the protocol's positions and the documents'."""

from lsprotocol import types

from ..session.documents import Position


def to_position(position: types.Position) -> Position:
    """The document's form of a position."""
    return position.line, position.character


def from_position(position: Position) -> types.Position:
    """The protocol's form of a position."""
    return types.Position(*position)

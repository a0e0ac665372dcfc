"""Standard input and output, kept for the protocol."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

PIECE = 1 << 16


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Reserve standard input and output for the protocol: prints of libraries go to standard error from now on."""
    sys.stdout.flush()
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout


def read_piece(stream: BinaryIO) -> bytes:
    """Read the available bytes; none at the end or after an error. Works for pipes, files and consoles alike."""
    try:
        return stream.read1(PIECE)  # type: ignore[attr-defined]
    except (OSError, ValueError):
        return b""

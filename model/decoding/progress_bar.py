"""A progress bar for preparing groups."""

import sys

_WIDTH = 40


def progress_bar(done: int, total: int) -> None:
    """Show it on standard error, if that is a terminal: for `TokenMasks.prepare`."""
    if not sys.stderr.isatty():
        return
    filled = _WIDTH * done // max(1, total)
    if done in (0, total) or filled != _WIDTH * (done - 1) // total:
        end = "\n" if done >= total else ""
        print(f"\rpreparing masks [{'#' * filled:{_WIDTH}}] {done}/{total}", end=end, file=sys.stderr, flush=True)

"""The threads of NumPy's own matrix products, restricted to the calling thread.

OpenBLAS, carried by NumPy's wheels, shares a product among all cores, and its threads spin while waiting for each other. Beside other busy
processes, such as an editor, that makes a product slower, and always takes twice the processor time.
"""

import ctypes
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_LOCK = threading.Lock()
_inside = _before = 0  # the number of users now, and of threads found by the first


@contextmanager
def on_one_thread() -> Generator[None, None, None]:
    """Let NumPy multiply only on the calling threads for a while, as far as its library can be configured; may be nested."""
    global _inside, _before
    library = _openblas()
    if library is None:
        yield
        return
    with _LOCK:
        if _inside == 0:
            _before = library.scipy_openblas_get_num_threads64_()
            library.scipy_openblas_set_num_threads64_(1)
        _inside += 1
    try:
        yield
    finally:
        with _LOCK:
            _inside -= 1
            if _inside == 0:
                library.scipy_openblas_set_num_threads64_(_before)


@cache
def _openblas() -> Any:
    """The library in NumPy's wheel, already loaded; None if NumPy has another one."""
    folder = Path(np.__file__).parent
    for path in (*folder.parent.glob("numpy.libs/*scipy_openblas64*"), *folder.glob(".dylibs/*scipy_openblas64*")):
        try:
            library = ctypes.CDLL(str(path))
            library.scipy_openblas_set_num_threads64_.restype = None
            library.scipy_openblas_set_num_threads64_(library.scipy_openblas_get_num_threads64_())
        except (OSError, AttributeError):
            continue
        return library
    return None

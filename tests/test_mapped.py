"""Files of arrays are mapped, not copied, and a fault in one is an error before any look-up."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from suture.common.mapped import mapped

ARRAYS = {"a": np.arange(6, dtype=np.int32).reshape(2, 3), "b": np.array([1.5]), "empty": np.empty((0, 4), np.uint16)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_file(ARRAYS, tmp_path / "x.safetensors", {"said": "yes"})
    return tmp_path / "x.safetensors"


def test_what_was_saved_is_mapped(path: Path) -> None:
    arrays, about = mapped(path, 10_000, 10_000)
    assert about == {"said": "yes"} and arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
        assert not arrays[name].flags.writeable and not arrays[name].flags.owndata
    path.unlink()  # a reader keeps its arrays
    assert arrays["a"].sum() == 15


def written(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header = json.dumps(change(header) or header).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["a"].update(data_offsets=[0, 24, 5]),
        lambda header: header["a"].update(data_offsets=[-8, 16]),
        lambda header: header["a"].update(data_offsets=[24, 0]),
        lambda header: header["a"].update(data_offsets=[10**9, 10**9 + 24]),
        lambda header: header["a"].update(shape=[2, 4]),
        lambda header: header["a"].update(shape=[2, 3.0]),
        lambda header: header["a"].update(shape=[1] * 40),
        lambda header: header["a"].update(shape=[True, 6]),
        lambda header: header["a"].update(shape=[0, 10**30]),
        lambda header: header["a"].update(dtype="BOOL"),
        lambda header: header["a"].update(dtype=["I32"]),
        lambda header: header["a"].pop("dtype"),
        lambda header: header.update(a=5),
        lambda header: header.update(__metadata__=5),
        lambda header: header.update(__metadata__={"said": 1}),
        lambda header: [header],
    ],
)
def test_odd_headers(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    written(path, change)
    with pytest.raises(ValueError):
        mapped(path, 10_000, 10_000)


def test_files_that_are_none(path: Path, tmp_path: Path) -> None:
    for most, header in ((10, 10_000), (10_000, 10)):
        with pytest.raises((OSError, ValueError)):
            mapped(path, most, header)
    content = path.read_bytes()
    for damaged in (b"", content[:5], content[:20], content[:-9], (8).to_bytes(8, "little") + b"[" * 8):
        path.write_bytes(damaged)
        with pytest.raises((OSError, ValueError)):
            mapped(path, 10_000, 10_000)
    if os.name == "posix":
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OSError):
            mapped(tmp_path / "pipe", 10_000, 10_000)

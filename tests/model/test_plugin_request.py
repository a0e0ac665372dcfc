"""The argument with the file for a server's plugin: read as written, and nothing else is taken."""

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.model import Options
from suture.model.decoding import api
from suture.model.runtime.served.plugin_request import MOST_CHARS, PluginRequest, packed, unpacked

IDS = st.lists(st.integers(0, 200_000), max_size=5).map(tuple)
TEXT = st.text(st.characters(codec=None), max_size=40)  # lone surrogates, too


@given(st.builds(PluginRequest, TEXT, TEXT, TEXT, st.none() | TEXT, IDS, st.binary(max_size=6), IDS))
def test_a_request_is_read_as_it_was_written(request: PluginRequest) -> None:
    value = packed(request)
    assert unpacked(value) == request and value.isascii()


def test_a_file_that_the_plugin_would_refuse_is_not_sent() -> None:
    options = Options(language="python")
    for size, is_sent in ((MOST_CHARS, True), (MOST_CHARS + 1, False)):
        assert (api._file_around("x" * (size - 5), "y" * 5, b"", options) is not None) is is_sent


def argument(fields: object) -> str:
    return base64.b64encode(zlib.compress(json.dumps(fields).encode())).decode()


GOOD = {"left": "s3cret", "right": "", "language": "python"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "s3cret",
        "",
        "é",
        base64.b64encode(zlib.compress(b"{" * 10_000)).decode(),
        base64.b64encode(zlib.compress(json.dumps(GOOD).encode())[:-4]).decode(),
        argument(["s3cret"]),
        argument("s3cret"),
        argument({"left": "s3cret"}),
        argument(GOOD | {"right": 3}),
        argument(GOOD | {"language": None}),
        argument(GOOD | {"version": 3.12}),
        argument(GOOD | {"written": "12"}),
        argument(GOOD | {"written": [-1]}),
        argument(GOOD | {"written": [True]}),
        argument(GOOD | {"ends": list(range(20_000))}),
        argument(GOOD | {"forced": "s3cret"}),
        argument(GOOD | {"s3cret": 1}),
        argument(GOOD | {"right": "x" * MOST_CHARS}),
    ],
)
def test_what_is_no_request_is_refused_without_quoting_it(value: object) -> None:
    with pytest.raises(ValueError) as refused:
        unpacked(value)
    assert "s3cret" not in str(refused.value) and len(str(refused.value)) < 200


def test_a_bomb_is_not_unpacked() -> None:
    bomb = zlib.compressobj(9)
    data = b"".join(bomb.compress(b" " * 1_000_000) for _ in range(300)) + bomb.flush()
    with pytest.raises(ValueError, match="too long"):
        unpacked(base64.b64encode(data).decode())


def test_the_largest_files_that_are_told_fit() -> None:
    request = PluginRequest("\ud800" * (MOST_CHARS // 2), "\x00" * (MOST_CHARS // 2), "python")
    assert unpacked(packed(request)) == request

"""The framing of the base protocol and JSON-RPC: messages in pieces, cut, too long or too deep, and bytes that are no message."""

import json
import random
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.protocol import writing
from suture.lsp_server.protocol.framing import Fault, FramingError, MessageDecoder, frame
from suture.lsp_server.protocol.jsonrpc import INVALID_REQUEST, MAX_VALUES, PARSE_ERROR, Refusal, parse
from suture.lsp_server.protocol.writing import ThreadWriter


def decoded(data: bytes, lenient: bool = False, piece: int = 1_000_000) -> list[bytes | Fault]:
    """The messages read from bytes that come in pieces."""
    decoder = MessageDecoder(lenient)
    return [found for at in range(0, len(data), piece) for found in decoder.feed(data[at : at + piece])]


def bodies(data: bytes, piece: int = 1_000_000) -> list[bytes]:
    """The messages read on standard input, whatever lies between them."""
    return [found for found in decoded(data, True, piece) if isinstance(found, bytes)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]", [b"{}", b"[]"]),
        (b"content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", [b"{}"]),
        (b"Content-Length: 2\n\n{}", [b"{}"]),
        (b"\r\n\r\nContent-Length: 2\r\n\r\n{}\r\n", [b"{}"]),
        (b"Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n7", [b"", b"7"]),
        (b"Content-Length: 9\r\n\r\n{}", []),
        (b"Content-Len", []),
        ("Content-Length: 4\r\n\r\né\u00e9".encode(), ["éé".encode()]),
    ],
)
@pytest.mark.parametrize("piece", [1, 1_000_000])
@pytest.mark.parametrize("lenient", [False, True])
def test_messages(data, expected, piece, lenient):
    assert decoded(data, lenient, piece) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        b"GET / HTTP/1.1\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n",
        b"Content-Type: x\r\n" * 1000,
        b"x" * 100_000,
    ],
)
def test_what_is_not_the_protocol_ends_the_conversation(data):
    with pytest.raises(FramingError):
        decoded(data)


def test_on_standard_input_other_lines_are_skipped():
    assert bodies(b"a shell says hello\r\nX-Header: 1\r\nContent-Length: 2\r\n\r\n{}") == [b"{}"]


@pytest.mark.parametrize("off", [-30, -1, 1, 2, 10, 16, 17, 18, 30, 5_000, 50_000_000])
@pytest.mark.parametrize("piece", [1, 7, 1_000_000])
def test_a_wrong_length_costs_one_message_at_most(off, piece):
    """The reader used to stay deaf: each header after the fault stood behind the rest of a body, in the middle of a line."""
    wrong = json.dumps({"jsonrpc": "2.0", "method": "x", "params": "é" * 20}).encode()
    right = [json.dumps({"id": number}).encode() for number in range(5)]
    data = b"Content-Length: %d\r\n\r\n%s" % (len(wrong) + off, wrong) + b"".join(map(frame, right))
    found = bodies(data, piece)
    assert found[1:] == right
    assert (found[0] == wrong) == (off > 0)
    assert any(isinstance(one, Fault) for one in decoded(data, True, piece))


def test_words_like_a_header_inside_a_text_are_text():
    body = json.dumps({"text": "Content-Length: 5\r\n\r\n{}", "n": "\nContent-Length: 5\n"}).encode()
    assert bodies(frame(body) * 2) == [body, body]


def test_another_protocol_on_standard_input_is_given_up():
    with pytest.raises(FramingError):
        decoded(b"no header\n" * 200_000, lenient=True)
    with pytest.raises(FramingError):
        decoded(b"x" * 3_000_000, lenient=True, piece=65536)


@given(st.lists(st.binary(max_size=60), max_size=4), st.randoms(use_true_random=False))
def test_any_bytes_are_read_alike_in_any_pieces(parts: list[bytes], rng: random.Random):
    data = b"".join(rng.choice([frame(b"{}"), part, b"Content-Length: 3\r\n\r\n", frame(part)]) for part in parts)
    found = [one for one in decoded(data, True) if isinstance(one, bytes)]
    assert bodies(data, 1) == found


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", PARSE_ERROR),
        (b"\xff\xfe{", PARSE_ERROR),
        ('{"jsonrpc": "2.0"}'.encode("utf-16"), PARSE_ERROR),
        (b"[" * 100_000 + b"]" * 100_000, PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "method": "x", "params": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "method": "x", "params": ' + b"9" * 5000 + b"}", PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "method": "x", "id": 1}]', INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "method": "x", "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": 7, "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": "x", "id": {}}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": "x", "id": true}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "result": 1}', INVALID_REQUEST),
        (b"7", INVALID_REQUEST),
    ],
)
def test_what_is_no_message_is_refused(body, code):
    found = parse(body)
    assert isinstance(found, Refusal) and found.code == code


def test_messages_of_json_rpc():
    for text in ('{"jsonrpc":"2.0","method":"x"}', '{"jsonrpc":"2.0","id":"a","result":null}', '{"jsonrpc":"2.0","id":1,"method":"é"}'):  # fmt: skip
        assert parse(text.encode()) == json.loads(text)


def test_a_message_of_too_many_values_is_not_even_read():
    """Each would cost sixty bytes of memory for two or three of the message."""
    many = b'{"jsonrpc":"2.0","method":"x","params":[' + b"[]," * (MAX_VALUES + 1) + b"0]}"
    assert isinstance(parse(many), Refusal)
    text = json.dumps({"jsonrpc": "2.0", "method": "x", "params": '[1,"\\' * MAX_VALUES}).encode()
    assert not isinstance(parse(text), Refusal)
    for body in (b'"\\' * 2_000_000 + b"," * MAX_VALUES, b'"' + b"\\a" * 2_000_000 + b"," * (MAX_VALUES + 1)):
        assert isinstance(parse(body), Refusal)


def test_a_client_that_does_not_read_keeps_nobody_waiting(monkeypatch):
    monkeypatch.setattr(writing, "CLOSING_S", 60.0)
    unblocked = threading.Event()

    class Full:
        written: list[bytes] = []  # noqa: RUF012

        def write(self, data: bytes) -> None:
            unblocked.wait(600)
            self.written.append(data)

        def flush(self) -> None:
            pass

    floods: list[bool] = []
    writer = ThreadWriter(Full(), flooded=lambda: floods.append(True), most_unsent=2_000_000)
    for number in range(1000):
        writer.write(b"%d" % number)
    assert not floods
    for _ in range(5):
        writer.write(b"x" * 1_000_000)
    assert floods == [True]
    unblocked.set()
    writer.close()
    assert Full.written[:1000] == [b"%d" % number for number in range(1000)]
    assert len(Full.written) < 1005

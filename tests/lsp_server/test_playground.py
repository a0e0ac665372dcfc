"""The playground: its page over HTTP, and the facts it gets about a place."""

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.errors import UserError
from suture.lsp_server.playground import http as playground
from suture.lsp_server.playground.explain import explanation_of, replay_of
from suture.lsp_server.protocol.connection import MAX_STRANGERS
from suture.lsp_server.protocol.http import Server, listen_on
from suture.lsp_server.settings.spec import Settings
from suture.parser import language
from suture.parser.languages.registry import BUILT_IN

from ..support.patient import PatientEngine
from ..support.work import PATIENCE_S


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    yield from opened(tmp_path, monkeypatch)


def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    folder = tmp_path / "page"
    folder.mkdir()
    for name in ("index.html", "main.js", "main.css"):
        (folder / name).write_text(f"this is {name}", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    monkeypatch.setattr(playground, "PAGE", folder)
    listening = listen_on("127.0.0.1", 0)
    server = playground.serve_page(listening, playground.page_files(), "127.0.0.1:1234", "the-token")
    yield server
    server.shutdown()
    server.server_close()


def fetch(server: Server, path: str, host: str = "127.0.0.1") -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=PATIENCE_S)
    connection.request("GET", path, headers={"Host": host})
    with connection.getresponse() as answer:
        result = answer.status, answer.read().decode(), dict(answer.headers)
    connection.close()
    return result


def test_the_page_and_where_its_server_is(page: Server) -> None:
    status, text, headers = fetch(page, "/")
    assert (status, text) == (200, "this is index.html")
    assert "connect-src 'self' ws://127.0.0.1:1234" in headers["Content-Security-Policy"]
    assert fetch(page, "/main.js?x=1")[1] == "this is main.js"
    known = json.loads(fetch(page, "/config.json?token=the-token")[1])
    languages = known.pop("languages")
    assert known == {"socket": "127.0.0.1:1234", "token": "the-token"}
    assert set(languages) == set(BUILT_IN)
    for name, text in languages.items():
        left, _, right = ("" if text is None else text).partition("|")
        assert text is None or language(name).hole(left, right).viable, name


@pytest.mark.parametrize("path", ["/config.json", "/config.json?token=", "/config.json?token=the-toke"])
def test_where_its_server_is_is_told_to_whoever_has_the_token(page: Server, path: str) -> None:
    status, text, _ = fetch(page, path)
    assert status == 401 and "1234" not in text


def test_silent_and_slow_connections_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playground, "REQUEST_S", 0.5)
    with (
        contextlib.contextmanager(opened)(tmp_path, monkeypatch) as page,
        contextlib.nullcontext(("127.0.0.1", page.server_address[1])) as where,
        socket.create_connection(where, timeout=PATIENCE_S) as silent,
        socket.create_connection(where, timeout=PATIENCE_S) as slow,
    ):
        with contextlib.suppress(ConnectionError):
            for _ in range(100):  # each byte in time, the request never
                slow.sendall(b"G")
                time.sleep(0.1)
        with contextlib.suppress(ConnectionError):
            assert silent.recv(10) == b""


def test_silent_connections_keep_nobody_out(page: Server) -> None:
    where = ("127.0.0.1", page.server_address[1])
    with contextlib.ExitStack() as stack:
        for _ in range(3 * MAX_STRANGERS):
            stack.enter_context(socket.create_connection(where, timeout=PATIENCE_S))
        assert fetch(page, "/")[0] == 200


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/nothing.js", "//etc/passwd"]
)
def test_nothing_else_is_served(page: Server, path: str) -> None:
    assert fetch(page, path)[0] == 404


def test_other_sites_names_for_this_machine_are_refused(page: Server) -> None:
    assert fetch(page, "/", host="evil.example:80")[0] == 403
    assert fetch(page, "/", host="localhost:99")[0] == 200
    for odd in ("", "[", "localhost@evil.example", "localhost, evil.example", "localhost:x", "127.0.0.1.evil.example"):
        assert fetch(page, "/", host=odd)[0] == 403


def test_a_host_that_is_named_twice_is_none(page: Server) -> None:
    with socket.create_connection(("127.0.0.1", page.server_address[1]), timeout=PATIENCE_S) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        assert client.makefile("rb").readline().startswith(b"HTTP/1.1 4")


def test_without_the_page_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playground, "PAGE", tmp_path)
    with pytest.raises(UserError, match="make playground"):
        playground.page_files()


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return PatientEngine(Settings(certainty=0.0))  # shows anything


def place(text: str, language: str = "python") -> CursorContext:
    left, _, right = text.partition("|")
    return CursorContext("file:///x", language, left + right, len(left))


def test_names_and_attributes_of_a_place_are_shown(engine: CompletionEngine) -> None:
    text = "class Cart:\n    def __init__(self, owner):\n        self.items = []\n    def f(self, other):\n        return self.\n"
    place = CursorContext("file:///a.py", "python", text, len(text) - 1)
    found = explanation_of(engine, place, lambda: False)
    assert found is not None and "items" in found.attributes and "other" in found.names
    replay = replay_of(engine, place, lambda: False)
    assert replay is not None
    hole = engine.sessions.hole(place)
    for step in replay.steps:
        state = hole.state.advance(step.before) if hole.state is not None else None
        for one in step.candidates:
            if state is not None and one.dead_at is not None and not one.end:
                before = state.advance(one.text[: one.dead_at])
                assert before is not None and one.reason == before.refusal(one.text[one.dead_at])


def test_a_place_is_explained(engine: CompletionEngine) -> None:
    found = explanation_of(engine, place("def f(x):\n    return g(x, |)\n"), lambda: False)
    assert found is not None and (found.complete, found.fallback) == (True, "none")
    assert found.open == ("def f(x):", "(")
    assert {"NAME", ")", "lambda"} <= {symbol.symbol for symbol in found.accepts}
    assert "return" not in {symbol.symbol for symbol in found.accepts}
    assert found.bridges == ()


def test_a_place_where_something_is_missing(engine: CompletionEngine) -> None:
    found = explanation_of(engine, place("x = [1, 2\ny = |\n"), lambda: False)
    assert found is not None and found.fallback != "none" and found.hidden == ((9, 9),)
    found = explanation_of(engine, place("x = (|\nprint(1)\n"), lambda: False)
    assert found is not None and not found.complete
    assert all(found.bridges) and ")" in found.bridges[0]


def test_other_languages(engine: CompletionEngine) -> None:
    found = explanation_of(engine, place('{"a": |}', "json"), lambda: False)
    assert found is not None and not found.complete and found.bridges
    assert explanation_of(engine, place("a|", "brainfuck"), lambda: False) is None
    assert replay_of(engine, place("a|", "brainfuck"), lambda: False) is None


def test_a_suggestion_is_replayed(engine: CompletionEngine) -> None:
    found = replay_of(engine, place("def area(width, height):\n    return width * |\n"), lambda: False)
    assert found is not None and found.steps
    assert "\n" not in found.text
    assert all(step.candidates for step in found.steps)


@pytest.mark.parametrize(
    "text",
    [
        "def area(width, height):\n    return width * |\n",
        "class Stack:\n    def push(self, item):\n        |\n\n    def pop(self):\n        return self.items.pop()\n",
        "x = [1, 2\r\ndef total(rooms):\r\n    result = 0\r\n    for room in |\r\n",
    ],
)
def test_the_replay_is_of_the_text_that_is_shown(engine: CompletionEngine, text: str) -> None:
    at = place(text)
    suggestion = engine.suggest(at, lambda: False)
    assert isinstance(suggestion, Suggestion)
    found = replay_of(engine, at, lambda: False)
    assert found is not None and (found.text, found.ended) == (suggestion.text, suggestion.completion.ended)
    for other in engine.alternatives(at, 3, lambda: False):
        shown = replay_of(engine, at, lambda: False, shown=other.text)
        assert shown is not None and shown.text == other.text
        *_, last = shown.steps
        assert last.before == other.text.replace("\r\n", "\n")

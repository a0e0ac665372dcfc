"""`suture serve --http`: windows find their file, routes keep their form, and the server behind is the same as for editors."""

import asyncio
import contextlib
import gc
import http.client
import json
import math
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suture.lsp_server.completion.engine.bounds import Bounds
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.endpoint import wire
from suture.lsp_server.endpoint.folder import Folder, Found
from suture.lsp_server.endpoint.http import serve_endpoint
from suture.lsp_server.endpoint.service import Service, Turns, indentation
from suture.lsp_server.endpoint.window import Window, begins_of, join, span_of
from suture.lsp_server.protocol.connection import MAX_STRANGERS
from suture.lsp_server.protocol.http import listen_on
from suture.lsp_server.settings.spec import Settings

from ..support.oracle_python import stdlib_sources
from ..support.work import PATIENCE_S

TOKEN = "a-token-of-this-test"
ABOVE, BELOW = 256, 64
SHOP = '''"""A shop."""


class Item:
    price: int = 1


def total(items: list[Item]) -> int:
    return sum(item.price for item in items)


def names(items: list[Item]) -> list[int]:
    return [item.price for item in items]
'''


def window_of(buffer: str, offset: int, above: int = ABOVE, below: int = BELOW) -> Window:
    """The window sent by llama.vim."""
    left, right = buffer[:offset].split("\n"), buffer[offset:].split("\n")
    return Window("\n".join(left[-above - 1 :]), "\n".join(right[: below + 1]))


def edited(text: str, offset: int, rng: random.Random) -> tuple[str, int]:
    """A text with lines changed, inserted or deleted near an offset, and the offset afterwards."""
    lines = text[:offset].split("\n")
    for _ in range(rng.randrange(1, 5)):
        row = max(0, len(lines) - 2 - rng.randrange(10))
        lines[row : row + rng.randrange(2)] = [rng.choice(["x = 1", "    while True:", ")", "some(text,"])]
    left = "\n".join(lines)
    return left + text[offset:], len(left)


def test_a_window_finds_its_file_and_gives_the_buffer() -> None:
    rng = random.Random(7)
    sources = [text for text in stdlib_sources(rng, 60, 60_000) if "\r" not in text and text.count("\n") > 60]
    files = [(Path(f"/nowhere/{number}.py"), text) for number, text in enumerate(sources)]
    wrong = []
    for path, text in files:
        for _ in range(4):
            place = rng.randrange(len("\n".join(text.split("\n")[:40])), len("\n".join(text.split("\n")[:-15])))
            buffer, offset = edited(text, place, rng)
            joined = join(window_of(buffer, offset, rng.choice([20, 64, ABOVE]), BELOW), files)
            if joined is None or (joined.path, joined.left, joined.right) != (path, buffer[:offset], buffer[offset:]):
                wrong.append((path, place))
    assert len(wrong) <= 0.01 * 4 * len(files), wrong


def test_edits_near_the_ends_of_a_window_are_found_by_the_rest() -> None:
    text = "\n".join(f"value_{row} = {row}" for row in range(400)) + "\n"
    window = Window(
        "\n".join(["changed = True", *text.split("\n")[101:150]]), "\n" + "\n".join(text.split("\n")[151:180])
    )
    joined = join(window, [(Path("/nowhere/a.py"), text)])
    assert joined is not None
    assert joined.left == "\n".join([*text.split("\n")[:100], "changed = True", *text.split("\n")[101:150]])
    assert joined.right == "\n" + "\n".join(text.split("\n")[151:])


def test_windows_of_characters_begin_and_end_within_lines() -> None:
    text = "\n".join(f"value_{row} = {row} * {row}" for row in range(400)) + "\n"
    begin, offset, end = text.index("ue_100 "), text.index("* 150"), text.index("e_170 ")
    joined = join(Window(text[begin:offset], text[offset:end]), [(Path("/nowhere/a.py"), text)])
    assert joined is not None and (joined.left, joined.right) == (text[:offset], text[offset:])


def test_files_that_begin_alike_are_told_apart() -> None:
    licence = "\n".join(f"# line {row} of a licence" for row in range(20)) + "\n"
    files = [
        (Path(f"/nowhere/{name}.py"), licence + "\n".join(f"{name}_{row}()" for row in range(40))) for name in "abc"
    ]
    text = files[1][1]
    joined = join(window_of(text, text.index("b_30")), files)
    assert joined is not None and joined.path == files[1][0]


def test_a_window_of_no_file_is_not_joined(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    window = Window("def other():\n    return ", "\n")
    assert Folder(tmp_path).search(window, math.inf) == Found(None, ".py")
    assert Folder(tmp_path / "none").search(window, math.inf) == Found(None, "")


def test_secrets_links_and_ignored_files_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(SHOP)
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".gitignore").write_text("ignored.py\n")
    (root / "ignored.py").write_text(SHOP)
    (root / "credentials.json").write_text("{}")
    (root / "link.py").symlink_to(outside)
    window = window_of(SHOP, SHOP.index("sum("))
    assert Folder(root).search(window, math.inf).joined is None
    (root / "shop.py").write_text(SHOP)
    folder = Folder(root)
    joined = folder.search(window, math.inf).joined
    assert joined == folder.known(window)
    assert joined is not None and joined.path == (root / "shop.py").resolve()


@pytest.mark.parametrize(
    "left, expected",
    [
        ("", ""),
        ("x = 1\n", ""),
        ("def f():\n", "    "),
        ("class A:\n  x = 1\n  def f():\n", "    "),
        ("if (a) {\n\tb()\n", "\t"),
    ],
)
def test_indentation_of_a_new_line(left: str, expected: str) -> None:
    assert indentation(left) == expected


def infill(prefix: str, line: str, suffix: str, **more: object) -> bytes:
    return json.dumps({"input_prefix": prefix, "prompt": line, "input_suffix": suffix, **more}).encode()


def test_the_first_line_of_llama_vim_has_no_line_above() -> None:
    assert wire.read("/infill", infill("\n", "import o", "\nx\n")).window == Window("import o", "\nx\n")
    assert wire.read("/infill", infill("a\n", "import o", "\nx\n")).window == Window("a\nimport o", "\nx\n")


def test_comments_of_minuet_are_no_part_of_the_window() -> None:
    for comments in ("# language: python\n# indentation: use 4 spaces for a tab\n", "// language: go\n\n"):
        body = json.dumps({"prompt": comments + "# language: my own\nx = ", "suffix": "\n"}).encode()
        assert wire.read("/v1/completions", body).window.left == "# language: my own\nx = "


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"prompt": 1}', b'{"prompt": "\\ud800"}', b"\xff", b"[" * 100_000]
)
def test_bodies_that_are_no_requests_are_refused(body: bytes) -> None:
    for route in set(wire.ROUTES.values()):
        with pytest.raises(wire.BadRequest):
            wire.read(route, body)


class Scripted:
    """Stands in for the language server: records the requests, and answers when the test lets it."""

    def __init__(self, *texts: str, holds: bool = False) -> None:
        self.written, self.holds = texts, holds
        self.bounds: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str, str, str]] = []
        self.futures: list[Future[Any]] = []
        self.cancelled: list[int] = []
        self.came, self.let_go = threading.Semaphore(0), threading.Event()

    def texts(self, uri: str, language: str, left: str, right: str, bounds: dict[str, Any]) -> tuple[int, Future[Any]]:
        future = Future[Any]()
        self.asked.append((uri, language, left, right))
        self.bounds.append(bounds)
        self.futures.append(future)
        if not self.holds:
            self.answer(future)
        self.came.release()
        return len(self.asked), future

    def answer(self, future: Future[Any]) -> None:
        texts = [{"text": text, "isCut": False, "tokens": 2, "promptTokens": 30} for text in self.written]
        future.set_result(
            {"texts": texts, "reason": "" if texts else "the model found no text that makes the file valid"}
        )

    def cancel(self, number: int) -> None:
        self.cancelled.append(number)
        self.let_go.set()


@contextmanager
def endpoint(folder: Path, server: Scripted, token: str | None = TOKEN) -> Iterator[int]:
    listening = listen_on("127.0.0.1", 0)
    running = serve_endpoint(listening, Service(folder, server), token)
    try:
        yield listening.getsockname()[1]
    finally:
        running.shutdown()
        running.server_close()


def post(port: int, path: str, body: bytes, token: str | None = TOKEN, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    authorization = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("POST", path, body, {"Content-Type": "application/json", **authorization, **headers})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


OFFSET = SHOP.index("item.price for")
LEFT, RIGHT = SHOP[:OFFSET], SHOP[OFFSET:]
INFILL = infill(LEFT[: LEFT.rindex("\n") + 1], LEFT[LEFT.rindex("\n") + 1 :], RIGHT)
OPENAI = json.dumps({"prompt": LEFT, "suffix": RIGHT, "max_tokens": 64}).encode()


def test_each_route_answers_in_its_form(shop: Path) -> None:
    server = Scripted("one", "two")
    with endpoint(shop, server) as port:
        status, text = post(port, "/infill", INFILL)
        assert status == 200 and '"content":"one"' in text  # the way llama.vim looks for it
        status, text = post(port, "/v1/completions", json.dumps({"prompt": LEFT, "suffix": RIGHT, "n": 2}).encode())
        assert [choice["text"] for choice in json.loads(text)["choices"]] == ["one", "two"]
        status, text = post(port, "/v1/fim/completions", OPENAI)
        assert [choice["message"]["content"] for choice in json.loads(text)["choices"]] == ["one"]
    uri, language, left, right = server.asked[0]
    assert (uri, language, left, right) == ((shop / "shop.py").resolve().as_uri(), "python", LEFT, RIGHT)
    assert json.loads(text)["guarantee"] == "exact"


def test_streams_are_events(shop: Path) -> None:
    with endpoint(shop, Scripted("one")) as port:
        streamed = json.dumps({"prompt": LEFT, "suffix": RIGHT, "stream": True}).encode()
        _, text = post(port, "/v1/completions", streamed)
        first, last = text.strip().split("\n\n")
        assert json.loads(first.removeprefix("data: "))["choices"][0]["text"] == "one" and last == "data: [DONE]"
        _, text = post(port, "/v1/fim/completions", streamed)
        assert json.loads(text.split("\n\n")[0].removeprefix("data: "))["choices"][0]["delta"]["content"] == "one"
        _, text = post(port, "/infill", infill(LEFT, "", RIGHT, stream=True))
        events = [json.loads(event.removeprefix("data: ")) for event in text.strip().split("\n\n")]
        assert "".join(event["content"] for event in events) == "one" and events[-1]["stop"] is True


def test_a_blank_line_gets_its_indentation(shop: Path) -> None:
    server = Scripted("return 1")
    above, below = SHOP.split("    return sum")[0], "\n" + SHOP.split("in items)\n", 1)[1]
    with endpoint(shop, server) as port:
        _, text = post(port, "/infill", infill(above, "", below, n_indent=0))
    assert json.loads(text)["content"] == "    return 1"
    assert server.asked[0][2].endswith(":\n    ")


def test_a_window_without_a_file_says_so(shop: Path) -> None:
    server = Scripted("1")
    with endpoint(shop, server) as port:
        _, text = post(port, "/infill", infill("def f():\n", "    return ", "\n"))
    assert json.loads(text)["guarantee"] == "window"
    assert server.asked[0][:2] == ("untitled:window.py", "python")


def test_reading_ahead_asks_nothing(shop: Path) -> None:
    server = Scripted("1")
    with endpoint(shop, server) as port:
        assert post(port, "/infill", infill("", "", "", n_predict=0))[0] == 200
    assert not server.asked


def test_the_same_window_is_asked_once(shop: Path) -> None:
    server = Scripted("one", holds=True)

    async def ask_thrice() -> list[list[wire.Texts]]:
        service, asked = Service(shop, server), wire.read("/v1/completions", OPENAI)
        answers = [asyncio.ensure_future(service.answer(asked)) for _ in range(3)]
        until_s = time.monotonic() + PATIENCE_S
        while service.waiting < 3 and time.monotonic() < until_s:
            await asyncio.sleep(0.01)
        server.answer(server.futures[0])
        return await asyncio.gather(*answers)

    answers = asyncio.run(ask_thrice())
    assert [answer[0].texts[0].text for answer in answers] == ["one"] * 3
    assert len(server.asked) == 1 and not server.cancelled


def test_a_client_that_goes_cancels_its_request(shop: Path) -> None:
    server = Scripted("one", holds=True)
    with endpoint(shop, server) as port:
        connected = socket.create_connection(("127.0.0.1", port))
        head = f"POST /infill HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {len(INFILL)}\r\n\r\n"
        connected.sendall(head.encode() + INFILL)
        assert server.came.acquire(timeout=PATIENCE_S)
        connected.close()
        assert server.let_go.wait(PATIENCE_S)
    assert server.cancelled == [1]


def test_a_late_answer_is_none_that_a_client_would_keep(shop: Path) -> None:
    server = Scripted("one", holds=True)
    with endpoint(shop, server) as port:
        body = infill(LEFT[: LEFT.rindex("\n") + 1], LEFT[LEFT.rindex("\n") + 1 :], RIGHT, t_max_predict_ms=1)
        status, text = post(port, "/infill", body)
    assert status == 503 and '"content":"' not in text and server.cancelled == [1]


def test_strangers_and_pages_are_refused(shop: Path) -> None:
    server = Scripted("one")
    with endpoint(shop, server) as port:
        assert post(port, "/infill", INFILL, token=None)[0] == 401
        assert post(port, "/infill", INFILL, token="wrong-token-of-this-test")[0] == 401
        assert post(port, "/infill", INFILL, Host="evil.example")[0] == 403
        assert post(port, "/infill", INFILL, Origin="http://127.0.0.1:8000")[0] == 403
        assert post(port, "/elsewhere", INFILL)[0] == 404
        assert post(port, "/infill", b"{")[0] == 400
        assert post(port, "/infill", b"", **{"Content-Length": "99999999999"})[0] == 413
    assert not server.asked


def test_health_and_models(shop: Path) -> None:
    with endpoint(shop, Scripted()) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", "/health")
        assert json.loads(connection.getresponse().read()) == {"status": "ok"}
        connection.request("HEAD", "/health")
        answer = connection.getresponse()
        assert (answer.status, answer.read(), answer.headers["Content-Length"]) == (200, b"", "15")
        connection.request("GET", "/v1/models")
        answer = connection.getresponse()
        assert answer.status == 401 and answer.read()
        connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {TOKEN}"})
        assert json.loads(connection.getresponse().read())["data"][0]["id"] == "suture"


def reference_span(lines: list[str], disk: list[str], size: int) -> tuple[int, int] | None:
    """The rows edited into some lines, by all pairs of their possible beginnings and ends."""
    begins = begins_of(lines, disk, size)
    ends = [len(disk) - row for row in begins_of(lines[::-1], disk[::-1], size)]
    pairs = [(begin, end) for begin in begins for end in ends if begin <= end]
    return min(pairs, key=lambda pair: abs(pair[1] - pair[0] - len(lines)), default=None)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from("ab c"), min_size=4, max_size=40), st.data())
def test_a_span_is_the_nearest_of_all_pairs(disk: list[str], data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(disk) - 2))
    lines = disk[begin : data.draw(st.integers(begin + 2, len(disk)))]
    lines[data.draw(st.integers(0, len(lines) - 1))] = data.draw(st.sampled_from("abx"))
    for size in (1, 2, 3):
        expected, found = reference_span(lines, disk, size), span_of(lines, disk, size)
        if expected is not None:
            assert found is not None
            assert abs(found[1] - found[0] - len(lines)) == abs(expected[1] - expected[0] - len(lines))


def test_a_window_of_a_table_of_equal_lines_takes_memory_by_its_size() -> None:
    table = "TABLE = [\n" + "    0,\n" * 2000 + "]\n"
    window = Window("    0,\n" * 200 + "    ", "\n" + "    0,\n" * 200)
    tracemalloc.start()
    try:
        joined = join(window, [(Path("/nowhere/table.py"), table)])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert joined is not None and (joined.left + joined.right).count("    0,") == 2000 - 1
    assert peak < 5_000_000


SECRETS = {
    ".env": "API_KEY=abc\nDATABASE_URL=postgres://me:hunter2@db/x\nDEBUG=1\n",
    "config/credentials.json": '{\n  "private_key": "abc",\n  "client_email": "me@example.com"\n}\n',
    "deploy/secrets.yml": "password: hunter2\nuser: me\nhost: db\n",
    ".aws/credentials": "[default]\naws_access_key_id = abc\naws_secret_access_key = def\n",
    "ignored/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\ndef\n-----END OPENSSH PRIVATE KEY-----\n",
}


@pytest.fixture
def guarded(shop: Path) -> Path:
    (shop / ".git").mkdir()
    (shop / ".gitignore").write_text(".env\nignored/\n")
    for name, text in SECRETS.items():
        (shop / name).parent.mkdir(exist_ok=True)
        (shop / name).write_text(text)
    return shop


@pytest.mark.parametrize("name", SECRETS)
def test_a_window_of_a_secret_file_is_answered_with_nothing(guarded: Path, name: str) -> None:
    text, server = SECRETS[name], Scripted("one")
    with endpoint(guarded, server) as port:
        for offset in range(len(text) // 2, len(text)):
            for left in (text[:offset], text[:offset].rpartition("\n")[0] + "\nNEW_TOKEN=x"):
                answer = json.loads(post(port, "/infill", infill(left, "", text[offset:]))[1])
                assert (answer["content"], answer["reason"]) == ("", "the file looks secret"), left
        assert json.loads(post(port, "/infill", infill("NEW=", "", "\n", filename=name))[1])["content"] == ""
        assert json.loads(post(port, "/infill", INFILL)[1])["content"] == "one"
    assert len(server.asked) == 1


def test_a_file_that_becomes_a_link_to_one_outside_is_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside.py"
    root.mkdir()
    (root / "shop.py").write_text(SHOP)
    outside.write_text(SHOP.replace("shop", "vault"))
    folder, window = Folder(root), window_of(SHOP, SHOP.index("sum("))
    assert folder.search(window, math.inf).joined is not None
    (root / "shop.py").unlink()
    (root / "shop.py").symlink_to(outside)
    assert folder.known(window) is None and folder.search(window, math.inf).joined is None
    named = folder.named(window, "shop.py")
    assert named is not None and "vault" not in named.left + named.right


def many(
    port: int, count: int, ask: Callable[[http.client.HTTPConnection], int], timeout_s: float = PATIENCE_S
) -> list[object]:
    """The answers to many clients asking at once."""
    ready, answers = threading.Barrier(count), list[object]()

    def one() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
        ready.wait()
        try:
            answers.append(ask(connection))
        except OSError as problem:
            answers.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    return answers


KEY = {"Authorization": f"Bearer {TOKEN}"}


def status_of(connection: http.client.HTTPConnection, path: str, body: bytes) -> int:
    connection.request("POST", path, body, KEY)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def test_many_clients_with_the_key_are_all_answered(shop: Path) -> None:
    def thrice(connection: http.client.HTTPConnection) -> int:
        return max(status_of(connection, "/infill", INFILL) for _ in range(3))

    with endpoint(shop, Scripted("one")) as port:
        assert many(port, 128, lambda connection: status_of(connection, "/infill", INFILL)) == [200] * 128
        assert many(port, 128, thrice) == [200] * 128


def test_a_client_with_the_key_is_no_stranger_however_long_it_stays(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suture.lsp_server.endpoint.http.REQUEST_S", 0.3)
    server = Scripted("one", holds=True)
    with endpoint(shop, server) as port, contextlib.ExitStack() as stack:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        silent = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S))
        connection.request("POST", "/infill", INFILL, KEY)
        assert silent.recv(1) == b""  # a stranger's time is over
        for _ in range(3 * MAX_STRANGERS):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S))
        server.answer(server.futures[0])
        assert connection.getresponse().read()
        server.holds = False
        assert status_of(connection, "/infill", INFILL) == 200
        connection.close()


def test_connections_that_have_ended_are_let_go(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for their time limit."""
    monkeypatch.setattr("suture.lsp_server.endpoint.http.REQUEST_S", 1e6)

    def kept() -> list[object]:
        gc.collect()
        return [each for each in gc.get_objects() if isinstance(each, asyncio.Transport)]

    before = len(kept())
    with endpoint(shop, Scripted("one")) as port:
        for _ in range(3):
            assert post(port, "/infill", INFILL)[0] == 200
            assert post(port, "/infill", INFILL, token=None)[0] == 401
        ends = time.monotonic() + PATIENCE_S
        while len(kept()) > before and time.monotonic() < ends:
            time.sleep(0.05)
        assert len(kept()) <= before


FEW_FILES = """
import resource, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from http import HTTPStatus
from suture.lsp_server.protocol.http import Server, enter, listen_on, respond

async def answer(scope, receive, send):
    enter(scope)
    await respond(send, HTTPStatus.OK, "text/plain", b"one")

listening = listen_on("127.0.0.1", 0)
server = Server(listening, answer, "few", 30.0, 3600.0)
print(listening.getsockname()[1], flush=True)
sys.stdin.read()
server.shutdown()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system bounds no files of a process")
def test_idle_connections_keep_nobody_out_where_few_files_may_be_open() -> None:
    piped: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-I", "-c", FEW_FILES], **piped) as process, contextlib.ExitStack() as stack:
        assert process.stdin is not None and process.stdout is not None
        stack.callback(process.stdin.close)
        port = int(process.stdout.readline())
        for _ in range(200):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
            stack.callback(connection.close)
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"one"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("close", [False, True])
def test_curl_with_64_connections_loses_no_answer(shop: Path, tmp_path: Path, close: bool) -> None:
    with endpoint(shop, Scripted("one")) as port:
        asked = f"""
            url = "http://127.0.0.1:{port}/infill"
            header = "Authorization: Bearer {TOKEN}"
            {'header = "Connection: close"' if close else ""}
            data-binary = "@{tmp_path / "body"}"
            output = "{os.devnull}"
            write-out = "%{{http_code}} %{{errormsg}}\\n"
        """
        (tmp_path / "body").write_bytes(INFILL)
        (tmp_path / "many").write_text("next\n".join([asked] * 640))
        curl = ["curl", "--silent", "--parallel", "--parallel-immediate", "--parallel-max", "64", "--config"]
        ran = subprocess.run([*curl, str(tmp_path / "many")], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ran.returncode, [line.strip() for line in ran.stdout.splitlines()]) == (0, ["200"] * 640)


def test_a_search_keeps_nobody_waiting_but_its_own_client(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searching, over = threading.Event(), threading.Event()

    def search(folder: Folder, window: Window, until_s: float) -> Found:
        searching.set()
        assert over.wait(PATIENCE_S)
        return Found(None, ".py")

    server, slow = Scripted("one"), infill("def other():\n", "    return ", "\n", t_max_predict_ms=400)
    with endpoint(shop, server) as port:
        assert post(port, "/infill", INFILL)[0] == 200  # its file is known from now on
        monkeypatch.setattr(Folder, "search", search)
        late = list[int]()
        waiting = threading.Thread(target=lambda: late.append(post(port, "/infill", slow)[0]))
        waiting.start()
        assert searching.wait(PATIENCE_S)
        assert post(port, "/infill", INFILL)[0] == 200
        waiting.join(PATIENCE_S)
        assert late == [503]  # the deadline counts while a search goes on
        over.set()


def test_the_newest_request_is_let_in_first() -> None:
    async def order() -> list[int]:
        turns, entered, begun = Turns(), list[int](), asyncio.Event()

        async def one(number: int) -> None:
            async with turns:
                entered.append(number)
                await begun.wait()

        tasks = [asyncio.ensure_future(one(number)) for number in range(5)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        begun.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return entered

    assert asyncio.run(order()) == [0, 4, 2, 1]


def test_bounds_reach_the_server(shop: Path) -> None:
    server = Scripted("one", "two")
    with endpoint(shop, server) as port:
        more = {"n_predict": 7, "stop": ["\n\n", ""], "t_max_predict_ms": 900, "t_max_prompt_ms": 9000}
        assert post(port, "/infill", infill(LEFT, "", RIGHT, **more))[0] == 200
        both = {"prompt": LEFT, "suffix": RIGHT, "max_tokens": 9, "stop": ";", "n": 2}
        assert post(port, "/v1/completions", json.dumps(both).encode())[0] == 200
        assert post(port, "/infill", infill(LEFT, "", RIGHT, n_predict=-1))[0] == 200
    assert server.bounds == [
        {"texts": 1, "maxTokens": 7, "textMs": 900, "stops": ("\n\n",)},
        {"texts": 2, "maxTokens": 9, "stops": (";",)},
        {"texts": 1},
    ]


@pytest.mark.parametrize("bounds", [{"n_predict": 0}, {"max_tokens": 0}])
def test_who_asks_for_no_tokens_gets_none_and_a_reason(shop: Path, bounds: dict[str, int]) -> None:
    server = Scripted("one")
    with endpoint(shop, server) as port:
        for path in ("/infill", "/v1/completions", "/v1/fim/completions"):
            body = {"prompt": LEFT, "suffix": RIGHT, "input_prefix": LEFT, "input_suffix": RIGHT, **bounds}
            answer = json.loads(post(port, path, json.dumps(body).encode())[1])
            assert answer["reason"] == "the request asks for no tokens" and '"one"' not in json.dumps(answer)
    assert not server.asked


@pytest.mark.parametrize(
    "more",
    [
        *({"stop": 7}, {"stop": [None]}, {"stop": ["x"] * 100}, {"max_tokens": "7"}, {"max_tokens": True}),
        *({"prompt": []}, {"prompt": [1, 2]}, {"prompt": ["x"] * 100}, {"filename": 7}, {"language": []}),
    ],
)
def test_fields_that_cannot_have_effect_are_refused(shop: Path, more: dict[str, object]) -> None:
    with endpoint(shop, Scripted("one")) as port:
        status, text = post(port, "/v1/completions", json.dumps({"prompt": LEFT, "suffix": RIGHT, **more}).encode())
    assert status == 400 and next(iter(more)) in json.loads(text)["error"]["message"]


def test_each_prompt_of_a_list_gets_its_texts(shop: Path) -> None:
    server = Scripted("one", "two")
    with endpoint(shop, server) as port:
        body = {"prompt": [LEFT, "def f():\n    return "], "suffix": RIGHT, "n": 2}
        answer = json.loads(post(port, "/v1/completions", json.dumps(body).encode())[1])
        one = json.loads(post(port, "/infill", infill(LEFT, "", RIGHT, prompt=["x"]))[1])
    assert [(each["index"], each["text"]) for each in answer["choices"]] == [*enumerate(["one", "two"] * 2)]
    assert answer["usage"] == {"prompt_tokens": 60, "completion_tokens": 8, "total_tokens": 68}
    assert one["content"] == "one" and server.asked[-1][2].endswith("x")


@pytest.mark.parametrize("stream", [False, True])
def test_an_index_tells_the_prompt_of_a_text(shop: Path, stream: bool) -> None:
    body = {"prompt": [LEFT, "", LEFT], "suffix": "", "n": 3, "stream": stream}
    with endpoint(shop, Scripted("one", "two")) as port:
        answer = post(port, "/v1/completions", json.dumps(body).encode())[1]
    events = [json.loads(line[6:]) for line in answer.split("\n\n")[:-2]] if stream else [json.loads(answer)]
    choices = [choice for event in events for choice in event["choices"]]
    assert [each["text"] for each in choices] == ["one", "two", "", "", "", "", "one", "two", ""]
    assert [each["index"] for each in choices] == [*range(9)]


def test_a_bound_that_is_null_is_none() -> None:
    assert wire.read("/v1/completions", b'{"prompt": "x", "n_predict": null, "max_tokens": 7}').max_tokens == 7
    assert wire.read("/infill", b'{"prompt": "x", "n_predict": 3, "max_tokens": 7}').max_tokens == 3


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"filename": "new.go"}, ("/new.go", "go")),
        ({"filename": "deep/er/../new.ts"}, ("/deep/new.ts", "typescript")),
        ({"filename": "/elsewhere/new.go"}, ("untitled:window.go", "go")),
        ({"filename": "../new.go"}, ("untitled:window.go", "go")),
        ({"language": "javascript"}, ("untitled:window", "javascript")),
    ],
)
def test_a_new_file_has_the_language_that_the_client_says(
    tmp_path: Path, more: dict[str, str], place: tuple[str, str]
) -> None:
    server = Scripted("one")
    with endpoint(tmp_path, server) as port:
        for path, body in (
            ("/infill", infill("func f", "", "\n", **more)),
            ("/v1/completions", json.dumps({"prompt": "func f", **more}).encode()),
        ):
            assert json.loads(post(port, path, body)[1])["guarantee"] == "window"
    inside = place[0].startswith("/")
    expected = (tmp_path.resolve() / place[0][1:]).as_uri() if inside else place[0]
    assert [asked[:2] for asked in server.asked] == [(expected, place[1])] * 2


def test_a_file_that_is_named_is_joined_though_others_are_more_like_the_window(shop: Path) -> None:
    (shop / "copy.py").write_text(SHOP + "extra = 1\n")
    server = Scripted("one")
    with endpoint(shop, server) as port:
        post(port, "/infill", infill(LEFT, "", RIGHT, filename="copy.py"))
    assert server.asked[0][0].endswith("/copy.py") and server.asked[0][3] == RIGHT + "extra = 1\n"


def test_an_empty_answer_says_why(tmp_path: Path, shop: Path) -> None:
    with endpoint(shop, Scripted()) as port:
        for path, body in (("/infill", INFILL), ("/v1/completions", OPENAI), ("/v1/fim/completions", OPENAI)):
            answer = json.loads(post(port, path, body)[1])
            assert (answer["reason"], answer["guarantee"]) == (
                "the model found no text that makes the file valid",
                "none",
            )
            *_, last = (
                post(port, path, body[:-1] + b', "stream": true}')[1]
                .removesuffix("data: [DONE]\n\n")
                .strip()
                .split("data: ")
            )
            assert json.loads(last)["reason"] == answer["reason"]
    empty = tmp_path / "empty"
    empty.mkdir()
    with endpoint(empty, Scripted("one")) as port:
        answer = json.loads(post(port, "/infill", infill("x = ", "", "\n"))[1])
    assert answer["content"] == "" and "`language`" in answer["reason"]


def test_a_body_that_is_too_large_is_read_to_its_end(shop: Path) -> None:
    large = infill("x" * 20_000_000, "", "")
    with endpoint(shop, Scripted("one")) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        assert status_of(connection, "/infill", large) == 413
        assert status_of(connection, "/infill", INFILL) == 200  # on the same connection
        connection.request("POST", "/infill", iter([large]), KEY, encode_chunked=True)
        assert connection.getresponse().status == 413
        connection.close()


def raw(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_requests_are_framed_by_their_lengths(shop: Path) -> None:
    head = f"Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\n".encode()
    hidden = b"GET /v1/models HTTP/1.1\r\n" + head + b"\r\n"
    body = (
        b"GET /health HTTP/1.1\r\n" + head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(hidden) + hidden
    )
    with endpoint(shop, Scripted("one")) as port:
        assert raw(port, body).count(b"HTTP/1.1") == 1
        for length in (b"9" * 5000, b"-1", b"1e3", b"7, 8"):
            asked = b"POST /infill HTTP/1.1\r\n" + head + b"Content-Length: " + length + b"\r\n\r\n" + INFILL
            assert raw(port, asked).startswith(b"HTTP/1.1 400 "), length


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return CompletionEngine(Settings())


BODIES = (
    ("def report(cart):\n    lines = []\n    for item in cart.items:\n        ", "\n    return lines\n", "item"),
    (
        "def total(prices):\n    result = 0\n    for price in prices:\n        result += ",
        "\n    return result\n",
        "price",
    ),
)


@pytest.mark.parametrize(("left", "right", "stop"), BODIES)
def test_texts_within_bounds_are_valid_and_within_them(
    engine: CompletionEngine, left: str, right: str, stop: str
) -> None:
    place = CursorContext("file:///a.py", "python", left + right, len(left))

    def texts(**bounds: Any) -> list[Suggestion]:
        made = engine.bounded(place, Bounds(**bounds), lambda: False)
        return made if isinstance(made, list) else []

    whole = texts()
    assert whole and whole[0].completion.tokens > 1 and whole[0].completion.prompt_tokens > 10
    for most in range(1, whole[0].completion.tokens + 1):
        for cut in texts(max_tokens=most, texts=3):
            assert cut.completion.tokens <= most
            compile(left + cut.text + right, "a.py", "exec")
            assert cut.completion.ended == "length" or cut.text == whole[0].text
    for cut in texts(stops=(stop,), texts=3):
        assert stop not in cut.text
        compile(left + cut.text + right, "a.py", "exec")
    assert engine.bounded(place, Bounds(stops=(whole[0].text[0],)), lambda: False) == Hidden(Reason.OUT_OF_BOUNDS)


def test_bounds_cut_at_tokens() -> None:
    pieces = ["é".encode()[:1], "é".encode()[1:], b"x", b" = 1"]
    assert next(Bounds().beginnings("éx = 1", pieces)) == "éx = 1"
    assert list(Bounds(max_tokens=3).beginnings("éx = 1", pieces)) == ["éx", "é", "", ""]
    assert list(Bounds(max_tokens=1).beginnings("éx = 1", pieces)) == [""]
    assert list(Bounds(stops=("=", "1")).beginnings("éx = 1", pieces)) == ["éx ", "éx", "é", "", ""]


def test_the_command_serves_with_the_embedded_model(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-I", "-m", "suture.lsp_server", "serve", "--http", "0", "--folder", str(shop)]
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home), "SUTURE_TOKEN": TOKEN}
    piped: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, env=environment, **piped) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert TOKEN in said and str(shop.resolve()) in said
        port = int(said.split("http://127.0.0.1:")[1].split()[0])
        left = SHOP[: SHOP.index("price for item in items)")]
        body = json.dumps({"prompt": left, "suffix": ")" + SHOP.split("in items)", 1)[1]}).encode()
        ends = time.monotonic() + PATIENCE_S
        text = ""
        while (
            not text and time.monotonic() < ends
        ):  # a late answer counts as none; the server keeps it for the next request
            status, answer = post(port, "/v1/completions", body)
            text = json.loads(answer)["choices"][0]["text"] if status == 200 else ""
        assert text
        compile(left + text + ")" + SHOP.split("in items)", 1)[1], "shop.py", "exec")
        process.terminate()
        assert process.wait(PATIENCE_S) != 0

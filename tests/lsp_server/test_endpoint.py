"""`suture serve --http`: windows find their file, routes keep their form, and the server behind is the one that editors have."""

import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from suture.lsp_server.endpoint import wire
from suture.lsp_server.endpoint.folder import Folder
from suture.lsp_server.endpoint.http import serve_endpoint
from suture.lsp_server.endpoint.service import Service, indentation
from suture.lsp_server.endpoint.window import Window, join
from suture.lsp_server.protocol.http import listen_on

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
    """The window that llama.vim sends."""
    left, right = buffer[:offset].split("\n"), buffer[offset:].split("\n")
    return Window("\n".join(left[-above - 1 :]), "\n".join(right[: below + 1]))


def edited(text: str, offset: int, rng: random.Random) -> tuple[str, int]:
    """A text with lines changed, inserted or deleted near an offset, and where that is then."""
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
            joined = join(window_of(buffer, offset, rng.choice([20, 64, ABOVE]), BELOW), lambda: files)
            if joined is None or (joined.path, joined.left, joined.right) != (path, buffer[:offset], buffer[offset:]):
                wrong.append((path, place))
    assert len(wrong) <= 0.01 * 4 * len(files), wrong


def test_edits_near_the_ends_of_a_window_are_found_by_the_rest() -> None:
    text = "\n".join(f"value_{row} = {row}" for row in range(400)) + "\n"
    window = Window(
        "\n".join(["changed = True", *text.split("\n")[101:150]]), "\n" + "\n".join(text.split("\n")[151:180])
    )
    joined = join(window, lambda: [(Path("/nowhere/a.py"), text)])
    assert joined is not None
    assert joined.left == "\n".join([*text.split("\n")[:100], "changed = True", *text.split("\n")[101:150]])
    assert joined.right == "\n" + "\n".join(text.split("\n")[151:])


def test_windows_of_characters_begin_and_end_within_lines() -> None:
    text = "\n".join(f"value_{row} = {row} * {row}" for row in range(400)) + "\n"
    begin, offset, end = text.index("ue_100 "), text.index("* 150"), text.index("e_170 ")
    joined = join(Window(text[begin:offset], text[offset:end]), lambda: [(Path("/nowhere/a.py"), text)])
    assert joined is not None and (joined.left, joined.right) == (text[:offset], text[offset:])


def test_files_that_begin_alike_are_told_apart() -> None:
    licence = "\n".join(f"# line {row} of a licence" for row in range(20)) + "\n"
    files = [
        (Path(f"/nowhere/{name}.py"), licence + "\n".join(f"{name}_{row}()" for row in range(40))) for name in "abc"
    ]
    text = files[1][1]
    joined = join(window_of(text, text.index("b_30")), lambda: files)
    assert joined is not None and joined.path == files[1][0]


def test_a_window_of_no_file_is_not_joined(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    assert Folder(tmp_path).join(Window("def other():\n    return ", "\n")) is None
    assert Folder(tmp_path).likely_suffix(Window("def other():\n    return ", "\n")) == ".py"
    assert Folder(tmp_path / "none").likely_suffix(Window("x", "")) == ""


def test_secrets_links_and_ignored_files_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(SHOP)
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".gitignore").write_text("ignored.py\n")
    (root / "ignored.py").write_text(SHOP)
    (root / "credentials.json").write_text(SHOP)
    (root / "link.py").symlink_to(outside)
    window = window_of(SHOP, SHOP.index("sum("))
    assert Folder(root).join(window) is None
    (root / "shop.py").write_text(SHOP)
    joined = Folder(root).join(window)
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
    """Stands in for the language server: says what was asked, and answers when the test lets it."""

    def __init__(self, *texts: str, holds: bool = False) -> None:
        self.texts, self.holds = texts, holds
        self.asked: list[tuple[str, str, str, str]] = []
        self.futures: list[Future[Any]] = []
        self.cancelled: list[int] = []
        self.came, self.let_go = threading.Semaphore(0), threading.Event()

    def suggestions(
        self, uri: str, language: str, left: str, right: str, *, invoked: bool = False
    ) -> tuple[int, Future[Any]]:
        future = Future[Any]()
        self.asked.append((uri, language, left, right))
        self.futures.append(future)
        if not self.holds:
            self.answer(future)
        self.came.release()
        return len(self.asked), future

    def answer(self, future: Future[Any]) -> None:
        future.set_result({"items": [{"insertText": text} for text in self.texts]})

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
    server, answers = Scripted("one", holds=True), list[Any]()
    service, asked = Service(shop, server), wire.read("/v1/completions", OPENAI)
    threads = [threading.Thread(target=lambda: answers.append(service.answer(asked, lambda: False))) for _ in range(3)]
    for thread in threads:
        thread.start()
    until_s = time.monotonic() + PATIENCE_S
    while service.waiting < 3 and time.monotonic() < until_s:
        time.sleep(0.01)
    server.answer(server.futures[0])
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(server.asked) == 1 and [answer.texts for answer in answers] == [("one",)] * 3 and not server.cancelled


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
        connection.request("GET", "/v1/models")
        answer = connection.getresponse()
        assert answer.status == 401 and answer.read()
        connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {TOKEN}"})
        assert json.loads(connection.getresponse().read())["data"][0]["id"] == "suture"


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
        ):  # what comes too late is none; the server has it for the next request
            status, answer = post(port, "/v1/completions", body)
            text = json.loads(answer)["choices"][0]["text"] if status == 200 else ""
        assert text
        compile(left + text + ")" + SHOP.split("in items)", 1)[1], "shop.py", "exec")
        process.terminate()
        assert process.wait(PATIENCE_S) != 0

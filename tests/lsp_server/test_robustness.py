"""Servers survive clients that die or send nonsense, huge documents and many of them, and read-only folders."""

import gc
import hashlib
import json
import logging
import os
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.context.cross_file import CrossFileContext
from suture.lsp_server.context.gitignore import is_ignored
from suture.lsp_server.protocol.pygls_fixes import CodeFreeFormatter
from suture.lsp_server.runtime import supervisor
from suture.lsp_server.runtime.backend import Backend
from suture.lsp_server.session.uris import file_path
from suture.lsp_server.settings.sources import workspace_layer
from suture.lsp_server.settings.spec import Settings
from suture.lsp_server.telemetry.feedback import Feedback
from suture.parser import language, renew_languages
from suture.parser.languages.python.workspace import version_for

from ..support.raw_client import SERVER, Raw, running, staged_command, staged_here
from ..support.staged_engine import said
from ..support.work import PATIENCE_S

posix = pytest.mark.skipif(os.name != "posix", reason="as POSIX has it")
A = "file:///a.py"


@pytest.fixture
def here(monkeypatch) -> Iterator[Raw]:
    with staged_here(monkeypatch) as raw:
        yield raw


@pytest.fixture(scope="module")
def real() -> Iterator[Raw]:
    """A server with the embedded model, shared by all tests."""
    with running(SERVER) as raw:
        raw.initialize(maxTokens=8)
        yield raw


def holds(raw: Raw, uri: str, text: str) -> None:
    """The server has this text."""
    digest = raw.command("suture.digest", uri)["result"]
    assert (digest["characters"], digest["sha256"]) == (len(text), hashlib.sha256(text.encode()).hexdigest())


def change(raw: Raw, uri: str, version: int, *changes: dict) -> None:
    raw.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})


def at(line: int, start: int, end: int, text: str) -> dict:
    """A change within a line."""
    span = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": span, "text": text}


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, **changes}


# Dying clients


@posix
def test_a_client_that_is_killed_takes_the_server_along():
    """Both have the pipe as standard error: it ends when both have ended."""
    client = f"import subprocess, time; subprocess.Popen({SERVER!r}, stdin=-1, stdout=-1); print('x', flush=True); time.sleep(60)"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", client], stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        time.sleep(0.3)
        process.kill()
        process.stderr.read()  # it does not end before the server has


def test_a_client_that_no_longer_reads_is_gone():
    with running(staged_command()) as raw:
        raw.initialize()
        assert raw.process.stdout is not None
        raw.process.stdout.close()
        raw.ask(A)
        assert raw.process.wait(PATIENCE_S) == 1


# Nonsense


def test_messages_that_are_none_change_nothing(here):
    here.initialize()
    here.open(A, "x = ")
    methods = [name for name in vars(types) if name.startswith(("TEXT_DOCUMENT_", "WORKSPACE_", "WINDOW_"))]
    for method in (getattr(types, name) for name in methods):
        for params in (None, {}, [], 7, {"textDocument": None}, {"textDocument": {"uri": 7}}):
            here.send(method, params)
    deep = b'{"jsonrpc": "2.0", "method": "x", "params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    for body in (
        b"",
        b"[]",
        b'[{"jsonrpc": "2.0", "method": "x", "id": 1}]',
        deep,
        b"\xff\xfe",
        b'{"jsonrpc": "2.0", "id": {}}',
    ):
        here.write(body)
    here.write(b'{"jsonrpc": "2.0", "id": 99, "result": null}')  # an answer to nothing
    here.write(b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": [1]}}')
    here.write(b'{"jsonrpc": "2.0", "method": "textDocument/inlineCompletion", "params": {"id": 1}}')
    holds(here, A, "x = ")
    assert here.items(A, character=4)
    assert here.end() == 0


@pytest.mark.parametrize(
    "method", ["textDocument/inlineCompletion", "textDocument/completion", "suture/explain", "suture/replay", "x/y"]
)
@pytest.mark.parametrize("params", [None, {}, [], "x", {"textDocument": {}, "position": {"line": -1}}])
def test_requests_that_are_none_are_refused(refusing, method, params):
    assert "error" in refusing.request(method, params)


@pytest.fixture(scope="module")
def refusing() -> Iterator[Raw]:
    with pytest.MonkeyPatch.context() as patch, staged_here(patch) as raw:
        raw.initialize()
        raw.open(A, "x = ")
        yield raw


def test_a_notification_with_an_identifier_is_answered_and_done(here):
    here.initialize()
    item = {"uri": A, "languageId": "python", "version": 1, "text": "x = "}
    assert here.request("textDocument/didOpen", {"textDocument": item})["result"] is None
    holds(here, A, "x = ")


def test_headers_that_are_none_are_skipped(here):
    here.initialize()
    for line in (b"\r\n", b"Content-Length: x\r\n\r\n", b"nonsense\r\n", b"Content-Type: a\r\n"):
        here.process.stdin.write(line)
    assert "error" in here.request("x/y")


def test_a_message_larger_than_any_ends_the_conversation():
    with running(staged_command()) as raw:
        raw.initialize()
        assert raw.process.stdin is not None
        raw.process.stdin.write(b"Content-Length: 999999999999\r\n\r\n{")
        raw.process.stdin.flush()
        assert raw.process.wait(PATIENCE_S) == 1


def test_positions_that_are_nowhere_are_the_nearest(here):
    here.initialize()
    here.open(A, "x\ny")
    for line, character in ((2**31 - 1, 0), (0, 2**31 - 1), (2**31 - 1, 2**31 - 1)):
        assert here.items(A, line, character)
    change(here, A, 2, at(0, 5, 1, "z"))  # backwards, and past the end
    change(here, A, 3, at(9, 9, 9, "!"))
    holds(here, A, "xz\ny!")


def test_changes_of_what_is_not_open_and_versions_that_go_backwards(here):
    here.initialize()
    change(here, "file:///never.py", 1, {"text": "x"})
    assert here.command("suture.digest", "file:///never.py")["result"] is None
    here.open(A, "x = ", version=5)
    change(here, A, 3, at(0, 4, 4, "1"))
    change(here, A, 3, at(0, 5, 5, "2"))
    holds(here, A, "x = 12")
    assert here.items(A, character=6)
    here.open(A, "anew", version=1)  # without having been closed
    holds(here, A, "anew")
    here.send("textDocument/didClose", {"textDocument": {"uri": A}})
    here.send("textDocument/didClose", {"textDocument": {"uri": A}})
    assert here.items(A) == []


def test_a_document_opened_again_gives_up_the_suggestion_for_the_text_before(here):
    here.initialize()
    here.open(A, "generate")
    number = here.ask(A)
    here.wait_for(b"started")
    here.open(A, "other")
    assert here.answer(number)["result"] == {"items": []}


def test_a_lone_surrogate_is_text(here):
    here.initialize()
    here.open(A, 's = "\ud800"\n')
    change(here, A, 2, at(0, 5, 6, "\udfff\ud83d"))
    assert here.command("suture.digest", A)["result"]["characters"] == 9
    assert here.items(A, character=2)


def test_snoozing_gives_up_what_is_in_the_making_and_nothing_else(here):
    here.initialize()
    here.open(A, "generate")
    number = here.ask(A)
    here.wait_for(b"started")
    here.command("suture.snooze", 5)
    assert here.answer(number)["result"] == {"items": []}
    here.wait_for(b"stopped")


def test_settings_hold_whatever_is_given_up():
    backend = Backend()
    try:
        backend.begin(Settings(max_tokens=7))
        backend.worker.cancel_all()
        assert backend.engine.keeper.settings.max_tokens == 7
    finally:
        backend.stop()


def test_offers_keep_no_texts():
    """Of each of the last suggestions something may still be heard: their documents would be hundreds of megabytes."""
    text = "x" * 100_000
    offer = Feedback().offer(CursorContext(A, "python", text, 50_000), said("good"))
    assert len(repr(offer)) < 2_000


def test_log_lines_that_were_put_together_quote_nothing():
    """asyncio's own lines quote the arguments of the failed call."""
    formatter = CodeFreeFormatter()
    for message in (
        "Exception in callback send('SECRET')",
        "Task exception was never retrieved\nfuture: <Task SECRET>",
    ):
        line = formatter.format(logging.LogRecord("asyncio", logging.ERROR, "", 1, message, None, None))
        assert "SECRET" not in line and ("callback" in line or "Task exception" in line)


ODD = [
    *(
        "file:///a%20b/%23c%25.py",
        "file:///c%3A/x/a.py",
        "file:///C:/x/a.py",
        "file://server/share/a.py",
        "file:////a.py",
    ),
    *("untitled:Untitled-1", "vscode-notebook-cell:/a/b.ipynb#W0sZmlsZQ%3D%3D", "git:/a.py?%7B%22ref%22%3A%22%22%7D"),
    *(
        "file:///%ff%fe.py",
        "file:///a\nb.py",
        "file:///é😀.py",
        "http://[",
        "%",
        "",
        "file:",
        "vscode-remote://ssh%2Bx/a.py",
    ),
    f"file:///{'x' * 5000}.py",
]


@pytest.mark.parametrize("name", ["x%00y/a.py", "a%00.py", "%2e%2e/%2e%2e/a.py", "x/" * 2000 + "a.py"])
def test_paths_that_no_file_has_are_documents(here, tmp_path, name):
    (tmp_path / ".git").mkdir()
    here.initialize(folders=[tmp_path.as_uri()])
    here.open(f"{tmp_path.as_uri()}/{name}", "x = ")
    assert here.items(f"{tmp_path.as_uri()}/{name}", character=4)


def test_documents_of_all_schemes(here):
    here.initialize()
    for uri in ODD:
        here.open(uri, "x = ")
        change(here, uri, 2, at(0, 4, 4, "1"))
    for uri in ODD:
        holds(here, uri, "x = 1")
        assert here.items(uri, character=5)


def test_a_workspace_that_is_not_there(here, tmp_path):
    here.initialize(folders=[(tmp_path / "gone").as_uri(), "untitled:x", "file:///%00"])
    uri = (tmp_path / "gone" / "a.py").as_uri()
    here.open(uri, "x = ")
    assert here.items(uri, character=4)


@posix
def test_a_workspace_behind_a_link_has_its_settings(here, tmp_path):
    (tmp_path / "true").mkdir()
    (tmp_path / "true" / "pyproject.toml").write_text("[tool.suture]\nenable = false\n")
    (tmp_path / "link").symlink_to(tmp_path / "true")
    here.initialize(folders=[(tmp_path / "link").as_uri()])
    uri = (tmp_path / "link" / "a.py").as_uri()
    here.open(uri, "x = ")
    assert here.items(uri, character=4) == []


@posix
@pytest.mark.parametrize("device", ["/dev/zero", "a pipe"])
def test_what_is_no_file_is_not_read(tmp_path, device):
    """A repository may hold links to endless files, or to silent ones."""
    (tmp_path / ".git").mkdir()
    for name in ("pyproject.toml", ".python-version", "setup.cfg", "setup.py", ".gitignore", "other.py"):
        if device == "a pipe":
            os.mkfifo(tmp_path / name)
        else:
            (tmp_path / name).symlink_to(device)
    layer = workspace_layer(tmp_path, trusted=False)
    assert layer is not None and not layer.values and "not a regular file" in layer.messages[0]
    assert version_for(tmp_path / "a.py", default="3.12") == "3.12"
    assert not is_ignored(tmp_path / "a.py")
    assert CrossFileContext().pieces(str(tmp_path / "a.py"), "from other import thing\n", 0, ()) == ()


def test_paths_with_a_zero_are_no_paths():
    assert file_path("file:///a%00b") is None
    assert file_path("file:///a%20b") == str(Path("/a b"))


def test_a_home_that_is_unknown_is_no_trouble(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.suture]\nmodel = "~nobody-at-all/x"\n')
    layer = workspace_layer(tmp_path, trusted=True)
    assert layer is not None and layer.values["model"] == "~nobody-at-all/x"


# Large documents, many documents, many keys


def large_python() -> str:
    return "".join(f"def f_{n}(a, b=({n}, [1])):\n    return {{'k': a + b[0]}}\n\n\n" for n in range(80_000))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", large_python()),
        ("b.py", "x = [" + ", ".join(map(str, range(150_000))) + "]\n"),
        ("c.json", json.dumps([{"a": [n, None]} for n in range(20_000)], indent=1)),
    ],
    ids=["5 MB", "a line of 1 MB", "100,000 lines of JSON"],
)
def test_a_giant_file_keeps_nobody_waiting(real, name, text):
    uri, small = f"file:///giant/{name}", f"file:///small/{name}"
    kind = "json" if name.endswith("json") else "python"
    real.open(uri, text, kind)
    number = real.ask(uri, 1, 0)
    for key in range(20):
        change(real, uri, key + 2, at(0, 0, 0, " "))
    holds(real, uri, " " * 20 + text)
    assert real.answer(number)["result"] == {"items": []}  # outdated
    number = real.ask(uri, 2, 0)
    real.send("$/cancelRequest", {"id": number})
    real.answer(number)
    real.open(small, "[1, \n" if kind == "json" else "def f(a):\n    return \n", kind)
    real.answer(real.ask(small, 0 if kind == "json" else 1, 3))
    for one in (uri, small):
        real.send("textDocument/didClose", {"textDocument": {"uri": one}})


def test_two_hundred_documents(real):
    uris = [f"file:///many/{number}.py" for number in range(200)]
    for number, uri in enumerate(uris):
        real.open(uri, f"def area_{number}(width, height):\n    return \n")
    for uri in uris[::40]:
        change(real, uri, 2, at(1, 11, 11, "width"))
    numbers = [real.ask(uri, 1, 11) for uri in uris[-3:]]
    for number in numbers:
        assert "result" in real.answer(number)
    for number, uri in enumerate(uris):
        if number % 40 == 0:
            holds(real, uri, f"def area_{number}(width, height):\n    return width\n")
        real.send("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_a_thousand_keys_at_once(real):
    """Quicker than anybody types, and each followed by a request: all are answered, the last one with a fitting text."""
    uri, text = "file:///keys.py", "def area(width, height):\n    return \n"
    real.open(uri, text)
    numbers = []
    typed = "width + height * (1, 2)[0] - " * 40
    for count, char in enumerate(typed[:1000]):
        change(real, uri, count + 2, at(1, 11 + count, 11 + count, char))
        numbers.append(real.ask(uri, 1, 12 + count, version=count + 2))
    text = text[:-1] + typed[:1000] + "\n"
    holds(real, uri, text)
    answers = [real.answer(number) for number in numbers]
    assert all("result" in answer for answer in answers)


# Shared state


def test_what_cannot_be_written_is_done_without(tmp_path):
    """Without a home, in another locale, in a folder that is gone, on a full disk (as for POSIX), with files in the place of folders."""
    (tmp_path / "file").touch()
    (tmp_path / "gone").mkdir()
    command, cache = SERVER, tmp_path / "file"
    if os.name == "posix":
        limit = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); os.execv(sys.argv[1], sys.argv[1:])"
        command, cache = [sys.executable, "-c", limit, *SERVER], tmp_path / "cache"
    folders = {"SUTURE_STATE_DIR": tmp_path / "file", "XDG_CONFIG_HOME": tmp_path / "file", "XDG_CACHE_HOME": cache}
    variables = {"LC_ALL": "C", **{name: str(folder) for name, folder in folders.items()}}
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
    with running(command, env=kept | variables, cwd=tmp_path / "gone") as raw:
        if os.name == "posix":  # before the model is loaded: while it is, MKL would end the process
            (tmp_path / "gone").rmdir()
        raw.initialize(maxTokens=4, certainty=0)
        raw.open("file:///é.py", "def area(width, height):\n    return \n")
        assert raw.items("file:///é.py", 1, 11)
        assert raw.end() == 0
        assert "ERROR" not in raw.error_output()


def test_two_servers_begin_with_one_empty_cache(tmp_path):
    shared = environment(XDG_CACHE_HOME=str(tmp_path))
    with running(SERVER, env=shared) as one, running(SERVER, env=shared) as other:
        for raw in (one, other):
            raw.initialize(maxTokens=4)
            raw.open(A, "def area(width, height):\n    return \n")
        numbers = [raw.ask(A, 1, 11) for raw in (one, other)]
        found = [raw.answer(number)["result"]["items"] for raw, number in zip((one, other), numbers, strict=True)]
        assert found[0] and found[1]  # not always the same: the number of compared texts depends on the time left
        assert one.end() == other.end() == 0
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize(("pause_s", "latest_s"), [(0.1, 1e6), (1e6, 0.1)])
def test_frozen_garbage_is_freed_in_a_pause_or_after_long(here, monkeypatch, pause_s, latest_s):
    monkeypatch.setattr(supervisor, "TICK_S", 0.02)
    monkeypatch.setattr(supervisor, "PAUSE_S", pause_s)
    monkeypatch.setattr(supervisor, "TIDY_EVERY_S", 0.0)
    monkeypatch.setattr(supervisor, "TIDY_LATEST_S", latest_s)
    monkeypatch.setattr(supervisor, "MOST_TIDIED", 1e9)  # this process may be larger than a server
    ring: list = []
    ring.append(frozenset((Knot(ring),)))
    knot = weakref.ref(next(iter(ring[0])))
    gc.freeze()
    try:
        del ring
        gc.collect()
        assert knot() is not None
        here.initialize()
        here.open(A, "x = ")
        assert here.items(A, character=4)
        end_s = time.monotonic() + 60
        while knot() is not None:
            assert time.monotonic() < end_s
            time.sleep(0.5)
            here.items(
                A, character=4
            )  # another thread may have frozen it again in between: then the next pause frees it
    finally:
        gc.unfreeze()


class Knot:
    """A part of a circle."""

    def __init__(self, other: object) -> None:
        self.other = other


def test_languages_are_new_after_they_were_renewed():
    """The successor of a hanging thread shares nothing with it."""
    before = language("python")
    renew_languages()
    assert language("python") is not before and language("python") is language("python")

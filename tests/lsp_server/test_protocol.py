"""The server's side of the protocol: nothing makes it wait, every request is answered, and nothing is logged."""

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
from lsprotocol import types
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.handlers.inline import question_of
from suture.lsp_server.protocol.abilities import Abilities
from suture.lsp_server.protocol.pygls_fixes import CodeFreeFormatter
from suture.lsp_server.session.documents import Document
from suture.lsp_server.session.session import language_of
from suture.lsp_server.session.snapshot import Snapshot
from suture.lsp_server.settings.spec import Settings
from suture.parser import language

from ..support.raw_client import SERVER, Raw, running, staged_command, staged_here
from ..support.work import PATIENCE_S


@pytest.fixture
def staged() -> Iterator[Raw]:
    with running(staged_command()) as raw:
        yield raw


@pytest.fixture
def here(monkeypatch) -> Iterator[Raw]:
    with staged_here(monkeypatch) as raw:
        yield raw


@pytest.fixture
def real() -> Iterator[Raw]:
    with running(SERVER) as raw:
        yield raw


def test_a_cancelled_request_stops_generating(here):
    here.initialize()
    here.open("file:///a.py", "generate")
    number = here.ask("file:///a.py")
    here.wait_for(b"started")
    here.send("$/cancelRequest", {"id": number})
    assert here.answer(number)["error"]["code"] == types.LSPErrorCodes.RequestCancelled
    here.wait_for(b"stopped")
    here.send("$/cancelRequest", {"id": 12345})
    assert here.end() == 0


def test_a_newer_request_supersedes_the_older(here):
    here.initialize()
    here.open("file:///a.py", "generate")
    numbers = [here.ask("file:///a.py") for _ in range(100)]
    here.wait_for(b"started")
    for number in numbers[:-1]:
        assert here.answer(number)["result"] == {"items": []}
    here.send("$/cancelRequest", {"id": numbers[-1]})
    assert "error" in here.answer(numbers[-1])
    assert here.end() == 0


def test_an_edit_gives_up_the_suggestion_for_the_text_before_it(here):
    here.initialize()
    here.open("file:///a.py", "generate")
    number = here.ask("file:///a.py")
    here.wait_for(b"started")
    change = {"textDocument": {"uri": "file:///a.py", "version": 2}, "contentChanges": [{"text": "quick"}]}
    here.send("textDocument/didChange", change)
    assert here.answer(number)["result"] == {"items": []}
    (item,) = here.answer(here.ask("file:///a.py", character=5))["result"]["items"]
    assert item["insertText"] == "good"
    assert item["range"] == {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 5}}


def test_the_reader_of_messages_does_not_wait_for_the_model(here):
    here.initialize()
    here.open("file:///hang.py", "hang")
    number = here.ask("file:///hang.py")
    here.wait_for(b"started")
    assert "error" in here.request("no/such/method")
    here.open("file:///other.txt", "x", "plaintext")
    assert here.answer(here.ask("file:///other.txt"))["result"] == {"items": []}
    assert all(message.get("id") != number for message in here.seen)


@pytest.mark.parametrize("text", ["generate", "hang"])
def test_shutdown_in_the_middle_of_a_generation_is_quick(staged, text):
    staged.initialize()
    staged.open("file:///a.py", text)
    number = staged.ask("file:///a.py")
    staged.wait_for(b"started")
    assert staged.end() == 0
    assert any(message.get("id") == number for message in staged.seen)  # no request stays unanswered


def test_the_end_of_the_client_ends_the_server(staged):
    staged.initialize()
    staged.open("file:///a.py", "hang")
    staged.ask("file:///a.py")
    staged.wait_for(b"started")
    staged.process.stdin.close()
    assert staged.process.wait(PATIENCE_S) == 1


def test_the_server_does_not_outlive_its_editor(staged):
    """Even if something else keeps the server's input open."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor:
        staged.request("initialize", {"capabilities": {}, "processId": editor.pid, "rootUri": None})
        staged.send("initialized", {})
        assert "error" in staged.request("no/such/method")
        editor.communicate(b"\n")
    assert staged.process.wait(PATIENCE_S) == 1


def test_exit_without_shutdown_is_an_error(staged):
    staged.initialize()
    staged.send("exit")
    assert staged.process.wait(PATIENCE_S) == 1


def test_a_failing_engine_means_no_suggestion_and_nobodys_code_in_the_log(staged):
    staged.initialize()
    staged.open("file:///a.py", "fail")
    assert staged.answer(staged.ask("file:///a.py"))["result"] == {"items": []}
    staged.open("file:///b.py", "fine")
    assert staged.answer(staged.ask("file:///b.py"))["result"]["items"]
    assert staged.end() == 0
    log = staged.error_output()
    assert "ValueError" in log
    assert "SECRET" not in log
    assert "a library prints" in log  # and not on standard output


def test_a_missing_model_is_reported_once(here):
    here.initialize()
    here.open("file:///a.py", "unavailable")
    for _ in range(3):
        assert here.answer(here.ask("file:///a.py"))["result"] == {"items": []}
    shown = [message["params"] for message in here.seen if message.get("method") == "window/showMessage"]
    assert shown == [{"type": 1, "message": "Suture: there is no model; make one"}]


def test_every_request_is_answered_in_every_state_of_the_session(staged):
    number = staged.ask("file:///a.py")
    assert staged.answer(number)["error"]["code"] == types.ErrorCodes.ServerNotInitialized
    staged.send("initialized", {})
    staged.initialize()
    assert staged.request("initialize", {"capabilities": {}})["error"]["code"] == types.ErrorCodes.InvalidRequest
    assert staged.request("no/such/method", {"text": "SECRET"})["error"]["code"] == types.ErrorCodes.MethodNotFound
    bad = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": "SECRET"}, "context": {"triggerKind": 1}}
    error = staged.request("textDocument/inlineCompletion", bad)["error"]
    assert error["code"] == types.ErrorCodes.InvalidParams
    for body in (b"{", b"[]", b"7", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "1.0", "method": "SECRET"}', b"\xff"):
        staged.write(body)
    staged.send("textDocument/didChange", {"textDocument": "SECRET"})
    staged.send("textDocument/didChange", {"textDocument": {"uri": "SECRET", "version": 1}, "contentChanges": []})
    staged.send("no/such/notification", {"text": "SECRET"})
    assert staged.answer(staged.ask("file:///none.py"))["result"] == {"items": []}
    assert staged.request("shutdown")["result"] is None
    assert staged.answer(staged.ask("file:///a.py"))["error"]["code"] == types.ErrorCodes.InvalidRequest
    staged.send("exit")
    assert staged.process.wait(PATIENCE_S) == 0
    assert "SECRET" not in staged.error_output()


def test_each_piece_can_still_become_a_valid_file_and_the_last_one_is_one(real):
    left, right = "def total(numbers):\n    result = 0\n    for number in numbers:\n        ", "\n    return result\n"
    real.initialize(maxTokens=16)
    real.open("file:///a.py", left + right)
    (item,) = real.items("file:///a.py", line=3, character=8, partialResultToken=1)
    pieces = real.said("suture/partialSuggestion")
    assert len(pieces) > 2 and [piece["done"] for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    state = language("python").hole(left, right).state
    assert state is not None
    reached = [state.advance(piece["text"]) for piece in pieces]
    last = reached[-1]
    assert None not in reached and last is not None and last.complete
    assert pieces[-1]["text"] == item["insertText"]


def test_shutdown_while_the_model_is_loading_is_quick(real):
    real.initialize()
    real.open("file:///a.py", "x = ")
    number = real.ask("file:///a.py", character=4)
    assert real.end() == 0
    assert any(message.get("id") == number for message in real.seen)


@pytest.mark.parametrize("content", [None, {}, {"config.json": "{"}, {"config.json": "{}", "model.safetensors": "x"}])
def test_for_a_broken_model_folder_the_embedded_model_stands_in(real, tmp_path, content):
    folder = tmp_path / "none"
    for name, text in (content or {}).items():
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    if content == {}:
        folder.mkdir()
    real.initialize(model=str(folder), maxTokens=0, bogus=1)
    real.open("file:///a.py", "def area(width, height):\n    return width * \n")
    assert real.items("file:///a.py", line=1, character=19)
    status = real.command("suture.status")["result"]
    assert status["model"] == "embedded" and "embedded model suggests instead" in status["message"]
    shown = [message["params"] for message in real.seen if message.get("method") == "window/showMessage"]
    assert len([params for params in shown if params["type"] == 1 and "none" in params["message"]]) == 1
    assert any("maxTokens" in params["message"] for params in shown)
    assert any("bogus" in params["message"] for params in shown)
    assert real.end() == 0


# The parts alone


@pytest.mark.parametrize(
    ("language_id", "uri", "language"),
    [
        ("python", "file:///a.txt", "python"),
        ("", "file:///a%20b/c.py", "python"),
        ("plaintext", "file:///a.pyi?x#y", "python"),
        ("klingon", "untitled:Untitled-1", None),
        ("", "file:///py", None),
        ("json", "file:///a.txt", "json"),
        ("jsonc", "file:///settings.json", None),  # with comments it is not JSON
        ("", "file:///a.json", "json"),
        ("python", "vscode-notebook-cell:/a/b.ipynb#W0", "python"),
        ("plaintext", "vscode-notebook-cell:/a/b.ipynb#W0", None),
        ("", "http://[", None),
    ],
)
def test_the_language_of_a_document(language_id, uri, language):
    assert language_of(Document(uri, language_id, 1, "")) == language


def test_a_selected_completion_is_part_of_the_text_to_complete():
    document = Document("file:///a.py", "python", 1, "😀\nos.pa)\n", "utf-16")
    selected = types.SelectedCompletionInfo(types.Range(types.Position(1, 3), types.Position(1, 5)), "path")
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic, selected)
    identifier = types.TextDocumentIdentifier(document.uri)
    params = types.InlineCompletionParams(text_document=identifier, position=types.Position(1, 5), context=context)
    place = CursorContext(document.uri, "python", document.text, 0)
    question = question_of(Snapshot(place, document.lines, Settings()), params)
    assert question.asked.place.text == "😀\nos.path)\n"
    assert question.asked.place.text[question.asked.place.offset :] == ")\n"
    assert (question.range, question.kept) == (selected.range, "path")


@pytest.mark.parametrize("selected", ["", "scale"])
def test_brackets_that_are_closed_in_a_header_are_replaced_where_the_client_can(selected: str):
    written = "" if selected else "scale("
    document = Document("file:///a.py", "python", 1, f"é = 1\ndef {written or 'sc'})\nx = 1\n", "utf-16")
    end = types.Position(1, 4 + len(written or "sc"))
    info = types.SelectedCompletionInfo(types.Range(types.Position(1, 4), end), "scale(") if selected else None
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic, info)
    identifier = types.TextDocumentIdentifier(document.uri)
    params = types.InlineCompletionParams(text_document=identifier, position=end, context=context)
    snapshot = Snapshot(CursorContext(document.uri, "python", document.text, 0), document.lines, Settings())
    question = question_of(snapshot, params, Abilities(replaces_closers=True))
    place = question.asked.place
    assert (place.text, place.text[place.offset :]) == ("é = 1\ndef scale(\nx = 1\n", "\nx = 1\n")
    assert question.range.end == types.Position(1, end.character + 1)
    assert question.range.start == (types.Position(1, 4) if selected else end)
    assert ")\n" in question_of(snapshot, params).asked.place.text


def test_foreign_log_records_lose_what_they_quote():
    def line(name: str, message: str, *args: object) -> str:
        return CodeFreeFormatter().format(logging.LogRecord(name, logging.ERROR, "", 1, message, args, None))

    assert (
        line("pygls.server", 'Unknown message "%s" %r', "SECRET", "SECRET")
        == 'ERROR pygls.server: Unknown message "..." ...'
    )
    assert line("suture.server", "took %.1f s", 1.25) == "ERROR suture.server: took 1.2 s"


def test_a_refused_message_without_an_identifier_does_not_end_the_session(staged):
    staged.initialize()
    staged.write(b'{"jsonrpc": "2.0", "method": "", "params": {}, "id": null}')
    assert "result" in staged.command("suture.snooze", 0)

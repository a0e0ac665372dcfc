"""The protocol's freedoms for a server: settings at run time, status, pieces, feedback, commands, lists for other editors."""

import itertools
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import suture.parser  # noqa: F401
from suture.lsp_server.protocol import client
from suture.lsp_server.runtime import worker
from suture.lsp_server.session import status
from suture.lsp_server.settings.user_file import user_file

from ..support import staged_engine
from ..support.raw_client import Raw, staged_here
from ..support.work import PATIENCE_S

A = "file:///a.py"
PROGRESS = {"window": {"workDoneProgress": True}}
PULL = {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}}


@pytest.fixture
def staged(monkeypatch) -> Iterator[Raw]:
    with staged_here(monkeypatch) as raw:
        yield raw


@pytest.fixture
def quick(monkeypatch) -> Iterator[Raw]:
    """A server that checks its model often."""
    monkeypatch.setattr("suture.lsp_server.runtime.supervisor.TICK_S", 0.02)
    with staged_here(monkeypatch) as raw:
        yield raw


def states(raw: Raw) -> list[str]:
    return [status["state"] for status in raw.said("suture/status")]


def wait_for_state(raw: Raw, state: str) -> dict:
    while (said := raw.said("suture/status")) == [] or said[-1]["state"] != state:
        raw.read()
    return said[-1]


def change_settings(raw: Raw, **settings: object) -> None:
    raw.send("workspace/didChangeConfiguration", {"settings": {"suture": settings}})


# Status and commands


def test_the_status_is_told_to_those_who_ask(staged):
    staged.initialize(statusNotification=True)
    assert wait_for_state(staged, "ready")["model"] == "staged"
    assert "loading" in states(staged)
    staged.open(A, "generate")
    number = staged.ask(A)
    wait_for_state(staged, "generating")
    staged.send("$/cancelRequest", {"id": number})
    wait_for_state(staged, "ready")
    staged.open(A, "x")
    assert staged.items(A)
    staged.open("file:///b.py", "fail")
    assert staged.items("file:///b.py") == []
    error = wait_for_state(staged, "error")
    assert "ValueError" in error["message"] and error["what_to_do"] and "SECRET" not in str(error)
    assert staged.items(A)
    wait_for_state(staged, "ready")  # it works again
    change_settings(staged, enable=False)
    assert wait_for_state(staged, "off")["what_to_do"]
    assert staged.items(A) == []
    change_settings(staged, enable=True)
    wait_for_state(staged, "ready")
    assert staged.items(A)


def test_the_status_is_told_to_nobody_else(staged):
    staged.initialize()
    staged.open(A, "x")
    assert staged.items(A)
    assert staged.end() == 0
    assert staged.said("suture/status") == []


def test_a_missing_model_is_an_error_with_what_to_do(staged):
    staged.initialize(statusNotification=True, model="missing")
    error = wait_for_state(staged, "error")
    assert (error["message"], error["what_to_do"], error["model"]) == ("there is no model", "make one", None)
    assert staged.command("suture.status")["result"] == error
    change_settings(staged, model="found")
    assert wait_for_state(staged, "ready")["model"] == "found"


def test_snoozing(staged, monkeypatch):
    staged.initialize(statusNotification=True)
    staged.open(A, "x")
    for argument in (5, {"minutes": 5}, None):
        said = staged.command("suture.snooze", *([] if argument is None else [argument]))["result"]
        assert said["state"] == "snoozed" and ":" in said["message"]
        assert staged.items(A) == []
        assert staged.command("suture.snooze", 0)["result"]["state"] != "snoozed"
        assert staged.items(A)
    assert staged.command("suture.snooze", 5)["result"]["state"] == "snoozed"
    clock = time.monotonic
    monkeypatch.setattr(status, "time", SimpleNamespace(monotonic=lambda: clock() + 5 * 60))
    assert staged.items(A)  # awake again by itself


def test_commands(staged):
    advertised = staged.initialize()["result"]["capabilities"]["executeCommandProvider"]["commands"]
    assert advertised == ["suture.accepted"]  # VS Code's client would make commands of the editor of all others
    staged.wait("window/logMessage")
    assert staged.command("suture.reload")["result"]["state"] == "ready"
    assert staged.command("suture.accepted", "1")["result"] is None
    assert staged.command("suture.accepted")["result"] is None
    assert "error" in staged.command("suture.nothing")
    assert staged.end() == 0


# Brackets closed by an editor


def test_typing_what_a_generation_writes_before_a_bracket_that_is_replaced_keeps_it(staged, monkeypatch):
    monkeypatch.setattr(staged_engine, "header_may_end", threading.Event())
    staged.initialize(replaceClosers=True, ahead=False, trace="verbose")
    staged.open(A, "def area()\n")
    first = staged.ask(A, character=9)
    staged.wait_for(b"started")
    at = {"line": 0, "character": 9}
    change = {"range": {"start": at, "end": at}, "text": "s"}
    staged.send("textDocument/didChange", {"textDocument": {"uri": A, "version": 2}, "contentChanges": [change]})
    second = staged.ask(A, character=10)
    assert staged.answer(first)["result"]["items"] == []
    staged.command("suture.accepted", "none")  # once it is answered, the second request has been read
    staged_engine.header_may_end.set()
    (item,) = staged.answer(second)["result"]["items"]
    assert item["insertText"] == "elf):\n    return 1"
    assert item["range"] == {"start": {"line": 0, "character": 10}, "end": {"line": 0, "character": 11}}
    assert "1 suggestion from foreseen" in staged.wait("$/logTrace", 2)[1]["message"]


# Traces


def test_traces_have_times_and_no_code(staged):
    staged.initialize(trace="verbose")
    staged.open(A, "SECRET")
    assert staged.items(A, kind=1)
    (trace,) = staged.wait("$/logTrace")
    assert trace["message"].startswith("invoked python: 3 suggestions from ")
    for part in ("queue", "context", "engine", "prefill", "tokens 2", "constraint 0.5 ms"):
        assert part in trace["verbose"]
    staged.send("$/setTrace", {"value": "messages"})
    staged.open("file:///b.py", "fail")
    assert staged.items("file:///b.py") == []
    trace = staged.wait("$/logTrace", 2)[1]
    assert "failed: ValueError" in trace["message"] and trace.get("verbose") is None
    staged.send("$/setTrace", {"value": "off"})
    staged.items(A)
    assert staged.end() == 0
    assert len(staged.said("$/logTrace")) == 2
    assert "SECRET" not in str(staged.said("$/logTrace"))


# Pieces


def test_pieces_come_to_those_who_ask(staged):
    staged.initialize(streaming=True)
    staged.open(A, "pieces\r\n", version=7)
    number = staged.ask(A, line=1)
    (item,) = staged.answer(number)["result"]["items"]
    about = {"id": number, "uri": A, "version": 7, "position": {"line": 1, "character": 0}}
    assert staged.said("suture/partialSuggestion") == [
        {**about, "text": "go", "done": False},
        {**about, "text": "good\r\n", "done": False},
        {**about, "text": "good\r\nbut", "done": False},
        {**about, "text": item["insertText"], "done": True},
    ]


def test_pieces_for_one_request_and_their_end_without_a_suggestion(staged):
    staged.initialize()
    staged.open(A, "pieces")
    staged.answer(staged.ask(A, partialResultToken="t"))
    assert {said["token"] for said in staged.said("suture/partialSuggestion")} == {"t"}
    count = len(staged.said("suture/partialSuggestion"))
    staged.answer(staged.ask(A))
    assert len(staged.said("suture/partialSuggestion")) == count
    staged.open(A, "generate")
    number = staged.ask(A, partialResultToken="u")
    staged.wait_for(b"started")
    staged.send("$/cancelRequest", {"id": number})
    assert "error" in staged.answer(number)
    last = staged.wait("suture/partialSuggestion", count + 1)[-1]
    assert (last["token"], last["text"], last["done"]) == ("u", "", True)


def test_what_may_turn_out_uncertain_comes_whole(staged):
    staged.initialize(streaming=True, certainty=0.5)
    staged.open(A, "pieces\r\n", version=7)
    (item,) = staged.answer(staged.ask(A, line=1))["result"]["items"]
    assert [(said["text"], said["done"]) for said in staged.said("suture/partialSuggestion")] == [
        (item["insertText"], True)
    ]


# Versions of documents


def test_a_request_for_an_older_version_gets_nothing(staged):
    staged.initialize()
    staged.open(A, "x", version=3)
    assert staged.items(A, textDocument={"uri": A, "version": 2}) == []
    assert staged.items(A, textDocument={"uri": A, "version": 3})


def test_a_text_of_a_model_that_stands_in_is_marked_and_the_status_says_whose_it_is(staged):
    staged.initialize(statusNotification=True)
    staged.open(A, "stand in")
    (item,) = staged.items(A)
    assert item["command"]["tooltip"] == "written by the model embedded, which stands in for yours"
    while staged.said("suture/status")[-1]["wrote"] != "embedded":
        staged.read()
    staged.open("file:///b.py", "x")
    (item,) = staged.items("file:///b.py")
    assert item["command"].get("tooltip") is None
    while staged.said("suture/status")[-1]["wrote"]:
        staged.read()
    assert staged.end() == 0


def test_the_status_says_where_asking_has_a_text_that_is_less_certain(staged):
    staged.initialize(statusNotification=True)
    for number, (text, more) in enumerate((("uncertain body", True), ("x", False), ("uncertain", False))):
        uri = f"file:///{number}.py"
        staged.open(uri, text)
        assert bool(staged.items(uri)) is (text == "x")
        while staged.said("suture/status")[-1]["state"] != "ready":
            staged.read()
        assert staged.said("suture/status")[-1]["more"] is more, text
    assert staged.end() == 0


# The fate of suggestions


def test_feedback_of_all_kinds_is_taken_and_nonsense_is_not_minded(staged, caplog):
    staged.initialize()
    staged.open(A, "x")
    (item,) = staged.items(A)
    assert item["command"]["command"] == "suture.accepted"
    staged.send("textDocument/didShowCompletion", {"item": item})
    staged.send("textDocument/didPartiallyAcceptCompletion", {"item": item, "acceptedLength": 2})
    staged.send("textDocument/didRejectCompletion", {"item": item})
    for method in ("didShowCompletion", "didPartiallyAcceptCompletion", "didRejectCompletion"):
        for params in (None, {}, {"item": None}, {"item": {"command": {"arguments": []}}}, {"item": "SECRET"}, []):
            staged.send(f"textDocument/{method}", params)
    assert staged.command("suture.accepted", *item["command"]["arguments"])["result"] is None
    assert staged.end() == 0
    assert "SECRET" not in caplog.text


# Registration


def test_a_client_that_registers_when_asked_is_asked(staged):
    dynamic = {"textDocument": {"inlineCompletion": {"dynamicRegistration": True}}}
    assert "inlineCompletionProvider" not in staged.initialize(dynamic)["result"]["capabilities"]
    (params,) = staged.wait("client/registerCapability")
    (registration,) = params["registrations"]
    assert registration["method"] == "textDocument/inlineCompletion"
    languages = {one["language"] for one in registration["registerOptions"]["documentSelector"]}
    assert {"python", "json"} <= languages
    staged.open(A, "x")
    assert staged.items(A)


def test_a_language_of_ones_own_is_registered_too(staged, tmp_path, monkeypatch):
    for name in ("_PATTERNS", "_OWN"):  # the other tests shall not know it
        module = sys.modules["suture.parser.language"]
        monkeypatch.setattr(module, name, dict(getattr(module, name)))
    grammar = tmp_path / "toy.lark"
    grammar.write_text('start: "a"+\n')
    dynamic = {"textDocument": {"inlineCompletion": {"dynamicRegistration": True}}}
    staged.initialize(dynamic)
    staged.wait("client/registerCapability")
    toy = {"name": "toy", "path": str(grammar), "patterns": ["*.toy"]}
    change_settings(staged, grammars=[toy, {"name": "python", "path": str(grammar)}, {"name": "x", "path": "/none"}])
    selector = staged.wait("client/registerCapability", 2)[1]["registrations"][0]["registerOptions"]["documentSelector"]
    assert {"language": "toy"} in selector and {"pattern": "**/*.toy"} in selector
    assert len(staged.said("client/unregisterCapability")) == 1
    shown = " ".join(message["message"] for message in staged.said("window/showMessage"))
    assert "python is built in" in shown and "/none is not a file" in shown
    staged.open("file:///b.toy", "a", "plaintext")
    assert staged.items("file:///b.toy")


# Settings at run time


def test_settings_are_asked_for_and_asked_for_again(staged):
    settings: dict = {"model": "chosen", "path": ["suture"]}
    staged.replies["workspace/configuration"] = lambda params: [settings for _ in params["items"]]
    staged.initialize(PULL, folders=["file:///w"], statusNotification=True, model="first")
    assert wait_for_state(staged, "ready")["model"] == "chosen"
    (asked,) = staged.said("workspace/configuration")
    assert asked["items"] == [{"section": "suture"}, {"scopeUri": "file:///w", "section": "suture"}]
    registered = [one["method"] for each in staged.said("client/registerCapability") for one in each["registrations"]]
    assert "workspace/didChangeConfiguration" in registered
    settings["languages"] = {"python": False}
    staged.send("workspace/didChangeConfiguration", {"settings": None})
    staged.wait("workspace/configuration", 2)
    staged.open("file:///w/a.py", "x")
    while staged.items("file:///w/a.py") != []:  # the answer is read a moment before it holds
        pass
    assert staged.said("window/showMessage") == []
    assert staged.end() == 0


def test_a_client_that_refuses_to_say_its_settings_is_served(staged):
    staged.refused |= {"workspace/configuration", "client/registerCapability", "window/workDoneProgress/create"}
    staged.initialize({**PULL, **PROGRESS})
    staged.open(A, "x")
    assert staged.items(A)


def test_another_model_is_loaded_beside_the_present_one(staged):
    staged.initialize(statusNotification=True, model="one")
    wait_for_state(staged, "ready")
    staged.open(A, "x")
    change_settings(staged, model="slow")
    wait_for_state(staged, "loading")
    assert staged.items(A)  # by the present one
    assert staged.said("suture/status")[-1]["model"] == "one"
    staged_engine.may_come_back.set()
    while staged.said("suture/status")[-1]["model"] != "slow":
        staged.read()
    assert staged.items(A)


def test_the_present_model_stays_when_another_cannot_be_loaded(staged):
    staged.initialize(statusNotification=True, model="one")
    wait_for_state(staged, "ready")
    change_settings(staged, model="missing", maxLines=2)
    (message,) = staged.wait("window/showMessage")
    assert message["message"] == "Suture: there is no model; make one; one stays in use"
    assert staged.command("suture.status")["result"]["model"] == "one"
    staged.open(A, "x")
    assert staged.items(A)


def test_files_of_settings_are_followed_though_nobody_tells_of_a_change(quick, tmp_path):
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text("[project]\n")
    uri = f"{tmp_path.as_uri()}/a.py"
    quick.initialize(folders=[tmp_path.as_uri()], statusNotification=True)
    quick.open(uri, "x")
    assert quick.items(uri)
    pyproject.write_text("[tool.suture]\nenable = false\n")
    wait_for_state(quick, "off")
    assert quick.items(uri) == []
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text('model = "mine"\n')
    pyproject.unlink()
    try:
        while (quick.said("suture/status") or [{}])[-1].get("model") != "mine":
            quick.read()
    finally:
        user_file().unlink()


@pytest.mark.parametrize("wrong", [{"maxTokens": 0}, {"colour": "red"}, 3, [3], {"suture": {"enable": "yes"}}])
def test_wrong_settings_are_told_once_and_change_nothing(staged, wrong):
    staged.initialize()
    for _ in range(2):
        staged.send("workspace/didChangeConfiguration", {"settings": {"suture": wrong}})
    staged.open(A, "x")
    assert staged.items(A)
    assert staged.end() == 0
    assert len(staged.said("window/showMessage")) <= 1


def test_files_and_folders_may_be_off(staged):
    staged.initialize(folders=["file:///w"], disabledGlobs=["generated/", "*_pb2.py"], languages={"json": False})
    for path, language, on in (
        ("a.py", "python", True),
        ("generated/a.py", "python", False),
        ("a_pb2.py", "python", False),
        ("a.json", "json", False),
        (".env", "python", False),
        ("a.rs", "rust", False),
    ):
        staged.open(f"file:///w/{path}", "x", language)
        assert bool(staged.items(f"file:///w/{path}")) == on, path
    change_settings(staged, languages={"rust": True})
    assert staged.items("file:///w/a.rs")  # without a grammar, but asked for


def test_the_cells_of_a_notebook_are_documents_of_their_language(staged):
    staged.initialize()
    for number, (language, on) in enumerate((("python", True), ("markdown", False))):
        uri = f"vscode-notebook-cell:/w/n.ipynb#W{number}"
        staged.open(uri, "x", language)
        assert bool(staged.items(uri)) == on


def test_the_version_of_python_is_that_of_the_workspace_or_of_the_file(staged, tmp_path):
    (tmp_path / ".python-version").write_text("3.9\n")
    staged.initialize(folders=[tmp_path.as_uri()])
    old, new = f"{tmp_path.as_uri()}/old.py", f"{tmp_path.as_uri()}/new.py"
    staged.open(old, "version = 1\n")
    staged.open(new, "type version = int\n")
    assert staged.items(old)[0]["insertText"] == "3.9"
    seen = set()
    # The file is examined beside other work. Each place is another, so that nothing comes from the cache.
    until_s = time.monotonic() + PATIENCE_S
    for line in itertools.count():
        change = {"text": f"type version = int\n{'#' * line}"}
        staged.send(
            "textDocument/didChange", {"textDocument": {"uri": new, "version": line}, "contentChanges": [change]}
        )
        items = staged.items(new, line=1, character=line)
        seen |= {item["insertText"] for item in items}
        if "3.12" in seen or time.monotonic() > until_s:
            break
        time.sleep(0.02)
    assert "3.12" in seen
    change_settings(staged, pythonVersion="3.13")
    while staged.items(old)[0]["insertText"] != "3.13":
        pass


# Progress


def test_progress_is_shown_where_loading_takes_a_while(staged, monkeypatch):
    monkeypatch.setattr(client, "QUIET_S", 0.0)
    staged.initialize(PROGRESS, model="slow")
    staged.wait("$/progress")
    monkeypatch.setattr(client, "QUIET_S", 1e6)
    staged_engine.may_come_back.set()
    begin, end = staged.wait("$/progress", 2)
    (created,) = staged.said("window/workDoneProgress/create")
    assert begin["token"] == end["token"] == created["token"]
    assert (begin["value"]["kind"], begin["value"]["title"]) == ("begin", "Suture: loading the model")
    assert end["value"]["kind"] == "end"
    staged.wait("window/logMessage")
    staged.open(A, "x")
    assert staged.items(A)
    assert staged.end() == 0
    assert len(staged.said("window/workDoneProgress/create")) == 1  # nothing else took long


# A hanging model, and an unused one


def test_a_model_that_hangs_is_replaced(quick, monkeypatch):
    quick.initialize(statusNotification=True)
    quick.open(A, "hang")
    quick.command("suture.status")  # the work after the opening is handed in: only hanging work shall have little time
    with monkeypatch.context() as little:
        little.setattr(worker, "SILENT_S", 0.2)
        number = quick.ask(A)
        quick.wait_for(b"started")
    quick.open("file:///b.py", "x")
    waiting = quick.ask("file:///b.py")
    assert quick.answer(number)["result"] == {"items": []}
    assert len(quick.answer(waiting)["result"]["items"]) == 1
    assert "error" in states(quick)
    shown = [message["message"] for message in quick.said("window/showMessage")]
    assert len(shown) == 1 and "did not answer" in shown[0]
    assert quick.end() == 0


def test_the_memory_of_an_idle_model_is_given_back_and_taken_again(quick):
    staged_engine.may_come_back.set()
    quick.initialize(statusNotification=True, idleMinutes=0.3 / 60, model="slow")
    quick.wait_for(b"unloaded")
    while "next request" not in (idle := wait_for_state(quick, "idle"))["message"]:
        quick.read()
    assert idle["model"] is None
    staged_engine.may_come_back.clear()
    quick.open(A, "x")
    number = quick.ask(A)
    wait_for_state(quick, "loading")
    staged_engine.may_come_back.set()
    assert quick.answer(number)["result"]["items"]


# Editors without inline completion


def test_editors_without_inline_completion_get_an_entry_in_their_list(staged):
    capabilities = staged.initialize({"textDocument": {"completion": {}}})["result"]["capabilities"]
    assert "completionProvider" in capabilities
    staged.open(A, "é.na\n")
    params = {"textDocument": {"uri": A}, "position": {"line": 0, "character": 4}, "context": {"triggerKind": 1}}
    result = staged.request("textDocument/completion", params)["result"]
    (item,) = result["items"]
    assert result["isIncomplete"]
    assert item["textEdit"] == {
        "range": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 4}},
        "newText": "nagood",
    }
    assert item["filterText"].startswith("na") and "insertTextMode" not in item
    staged.open("file:///b.py", "fail")
    assert staged.request("textDocument/completion", {**params, "textDocument": {"uri": "file:///b.py"}})["result"] == {
        "isIncomplete": True,
        "items": [],
    }


def test_an_entry_replaces_a_name_in_any_script_as_a_whole(staged):
    staged.initialize({"textDocument": {"completion": {}}})
    staged.open(A, "x.नाम\n")
    params = {"textDocument": {"uri": A}, "position": {"line": 0, "character": 5}, "context": {"triggerKind": 1}}
    (item,) = staged.request("textDocument/completion", params)["result"]["items"]
    assert item["textEdit"]["range"]["start"]["character"] == 2 and item["filterText"].startswith("नाम")


def test_editors_with_inline_completion_get_no_entries(staged):
    capabilities = staged.initialize({"textDocument": {"completion": {}, "inlineCompletion": {}}})["result"][
        "capabilities"
    ]
    assert "completionProvider" not in capabilities and capabilities["inlineCompletionProvider"] == {}
    assert "error" in staged.request("textDocument/completion", {})

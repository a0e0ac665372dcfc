"""The VS Code extension in a real VS Code: the drawings and their places, the effects of keys, the messages to the server."""

import ast
import json
import re
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scripted import EDITORS, Script
from suture.lsp_server.runtime.offer import in_words
from suture.model.loading import installed
from suture.model.loading.recommend import TYPICAL, recommend
from vscode_driver import CodeServer, wait_for

if TYPE_CHECKING:
    from vscode_driver import Browser, VSCode

Start = Callable[..., "VSCode"]

PRINT = {"before": " *pri", "items": ["nt('ä', x)"]}


def wait_until_ready(window: "VSCode") -> None:
    wait_for(lambda: "ready" in window.status(), "the status bar to say that the server is ready")


def wait_for_choice(window: "VSCode", label: str) -> None:
    """Waits until a list to choose from has this entry; the command palette's own may still be there."""
    row = ".quick-input-list .monaco-list-row"
    wait_for(lambda: any(label in text for text in window.browser.send("text", selector=row)), f"the choice {label!r}")


def wait_for_start(script: Script, number: int) -> None:
    """Waits until the server runs for the nth time; the status bar alone may still be from the time before."""
    wait_for(lambda: len(script.seen("textDocument/didOpen")) == number, f"start {number}")


def test_type_see_and_accept_by_tab(vscode: Start, script: Script) -> None:
    script.rules(PRINT)
    window = vscode("def f(x):\n    |\n    y = 2\n", path=script.command)
    wait_until_ready(window)
    window.type("pri")
    window.wait_for_rows(["def f(x):", "    pri[nt('ä', x)]", "    y = 2", ""])
    window.press("Tab")
    window.wait_for_rows(["def f(x):", "    print('ä', x)", "    y = 2", ""])
    assert window.saved() == "def f(x):\n    print('ä', x)\n    y = 2\n"


def test_a_suggestion_stands_before_the_rest_of_the_line(vscode: Start, script: Script) -> None:
    script.rules({"before": r"f\(a", "after": r"\)", "items": [", b"]})
    window = vscode("f(|)\nw = 3\n", path=script.command)
    wait_until_ready(window)
    window.type("a")
    window.wait_for_rows(["f(a[, b])", "w = 3", ""])
    window.press("Tab")
    assert window.saved() == "f(a, b)\nw = 3\n"


def test_the_rest_of_the_line_stands_after_several_lines(vscode: Start, script: Script) -> None:
    script.rules({"before": r"f\(\[", "after": r", 9\)", "items": ["\n    1,\n    2,\n]"]})
    window = vscode("f(|, 9)\nw = 3\n", path=script.command)
    wait_until_ready(window)
    window.type("[")
    window.wait_for_rows(["f([", "[    1,]", "[    2,]", "[]], 9)", "w = 3", ""])
    window.press("Tab")
    assert window.saved() == "f([\n    1,\n    2,\n], 9)\nw = 3\n"


def test_a_header_takes_the_place_of_the_bracket_that_is_closed(vscode: Start, script: Script) -> None:
    script.rules({"before": r"def f\(a", "after": r"\)", "items": [", b):\n    return a"], "replaces": 1})
    window = vscode("def f(|)\nw = 3\n", path=script.command)
    wait_until_ready(window)
    window.type("a")
    window.wait_for_rows(["def f(a[, b])[:]", "[    return a]", "w = 3", ""])
    window.press("Tab")
    assert window.saved() == "def f(a, b):\n    return a\nw = 3\n"


def test_the_cursor_stays_inside_of_a_call_that_goes_on(vscode: Start, script: Script) -> None:
    goes_on = {"before": r"x = area\(width", "after": r"\)", "items": [", height"]}
    script.rules({"before": "x =", "items": [" area(width)"], "behind": 1}, goes_on)
    window = vscode("x |\n", path=script.command)
    wait_until_ready(window)
    window.type("=")
    window.wait_for_rows(["x =[ area(width)]", ""])
    window.press("Tab")
    window.wait_for_rows(["x = area(width[, height])", ""])
    window.press("Tab")
    window.wait_for_rows(["x = area(width, height)", ""])
    assert window.saved() == "x = area(width, height)\n"


def test_a_call_that_goes_on_in_a_block_keeps_its_indentation(vscode: Start, script: Script) -> None:
    script.rules({"before": "    if x:", "items": ["\n        area({1: $x})"], "behind": 2})
    window = vscode("def f(x):\n    if x|\nw = 3\n", path=script.command)
    wait_until_ready(window)
    window.type(":")
    window.wait_for_rows(["def f(x):", "    if x:", "[        area({1: $x})]", "w = 3", ""])
    window.press("Tab")
    wait_for(lambda: script.seen("workspace/executeCommand"), "the server to hear of it")
    assert script.seen("workspace/executeCommand")[0]["params"]["command"] == "suture.accepted"
    window.type("y")
    window.wait_for_rows(["def f(x):", "    if x:", "        area({1: $xy})", "w = 3", ""])


def test_the_cursor_stays_before_the_lines_that_close_a_block(vscode: Start, script: Script) -> None:
    script.rules({"before": "  if x", "items": [" {\n    a();\n  }"], "behind": 4})
    window = vscode("{\n  if |\n}\n", path=script.command)
    wait_until_ready(window)
    window.type("x")
    window.wait_for_rows(["{", "  if x[ {]", "[    a();]", "[  }]", "}", ""])
    window.press("Tab")
    wait_for(lambda: script.seen("workspace/executeCommand"), "the server to hear of it")
    window.wait_for_cursor(3, 9)
    window.type(" b")
    window.wait_for_rows(["{", "  if x {", "    a(); b", "  }", "}", ""])


def test_the_bracket_of_a_call_is_typed_over(vscode: Start, script: Script) -> None:
    script.rules({"before": "x =", "items": [" area(width)"], "behind": 1})
    window = vscode("x |\n", path=script.command)
    wait_until_ready(window)
    window.type("=")
    window.wait_for_rows(["x =[ area(width)]", ""])
    window.press("Tab")
    window.wait_for_rows(["x = area(width)", ""])
    window.type(") + 1")
    window.wait_for_rows(["x = area(width) + 1", ""])


IMPORTS = [
    {"before": "x = js", "items": ["on.loads(y)"], "imports": ["import json"]},
    {"before": "x = jso", "items": ["n.loads(y)"], "imports": ["import json"]},
]


def wait_for_note(window: "VSCode", line: str, text: str) -> None:
    """Waits until a note stands behind the ghost text of a line, and looks whether it stays there."""

    def drawn() -> list[tuple[str, str]]:
        notes = window.browser.send("notes")
        assert all(note["left"] >= note["ghost"] > 0 for note in notes)
        return [(note["line"], note["text"]) for note in notes]

    wait_for(lambda: drawn() == [(line, text)], "the note")
    time.sleep(1)
    assert drawn() == [(line, text)]


def test_an_import_is_named_behind_the_text_and_added_with_it(vscode: Start, script: Script) -> None:
    script.rules(*IMPORTS)
    window = vscode("x = j|\nz = 2\n", path=script.command)
    wait_until_ready(window)
    window.type("s")
    window.wait_for_rows(["x = js[on.loads(y)]", "z = 2", ""])
    wait_for_note(window, "x = json.loads(y)", "+ import json")
    window.type("o")
    window.wait_for_rows(["x = jso[n.loads(y)]", "z = 2", ""])
    wait_for_note(window, "x = json.loads(y)", "+ import json")
    window.picture("import")
    window.press("Tab")
    window.wait_for_rows(["import json", "x = json.loads(y)", "z = 2", ""])
    wait_for(lambda: not window.browser.send("notes"), "the note to be gone")
    assert window.saved() == "import json\nx = json.loads(y)\nz = 2\n"
    window.press("Control+z", "Control+z")
    window.wait_for_rows(["x = jso", "z = 2", ""])


@pytest.mark.parametrize("key", ["Escape", "ArrowLeft"])
def test_the_note_of_an_import_goes_with_the_text(vscode: Start, script: Script, key: str) -> None:
    script.rules(*IMPORTS)
    window = vscode("x = j|\nz = 2\n", path=script.command)
    wait_until_ready(window)
    window.type("s")
    wait_for_note(window, "x = json.loads(y)", "+ import json")
    window.press(key)
    window.wait_for_rows(["x = js", "z = 2", ""])
    wait_for(lambda: not window.browser.send("notes"), "the note to be gone")
    assert window.saved() == "x = js\nz = 2\n"


def test_a_block_stands_below_its_head(vscode: Start, script: Script) -> None:
    script.rules({"before": "if x:", "items": ["\n    y = 1\n    z = 2"]})
    window = vscode("if x|\nw = 3\n", path=script.command)
    wait_until_ready(window)
    window.type(":")
    window.wait_for_rows(["if x:", "[    y = 1]", "[    z = 2]", "w = 3", ""])
    window.press("Tab")
    assert window.saved() == "if x:\n    y = 1\n    z = 2\nw = 3\n"


def test_columns_are_counted_in_utf_16(vscode: Start, script: Script) -> None:
    script.rules({"before": "s = 'ä😀€' \\+", "after": " # 😀", "items": [" t"]})
    window = vscode("s = 'ä😀€' | # 😀\n", path=script.command)
    wait_until_ready(window)
    window.press("Home")
    window.press(*["ArrowRight"] * len("s = 'ä😀€' "))
    window.type("+")
    wait_for(lambda: window.ghost() == " t", "the suggestion")
    window.press("Tab")
    assert window.saved() == "s = 'ä😀€' + t # 😀\n"


def test_typing_along_keeps_the_suggestion(vscode: Start, script: Script) -> None:
    whole = "print(x)"  # asked again at a letter, the server has the rest of it
    script.rules(*({"before": whole[:typed], "items": [whole[typed:]]} for typed in range(1, 5)))
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("p")
    window.wait_for_rows(["p[rint(x)]", ""])
    window.type("rin")
    window.wait_for_rows(["prin[t(x)]", ""])


def test_typing_something_else_clears_it(vscode: Start, script: Script) -> None:
    script.rules({"before": "p", "items": ["rint(x)"]})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("p")
    window.wait_for_rows(["p[rint(x)]", ""])
    window.type("q")
    window.wait_for_rows(["pq", ""])


def test_escape_dismisses(vscode: Start, script: Script) -> None:
    script.rules({"before": "p", "items": ["rint(x)"]})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("p")
    window.wait_for_rows(["p[rint(x)]", ""])
    window.press("Escape")
    window.wait_for_rows(["p", ""])


def test_a_word_can_be_accepted(vscode: Start, script: Script) -> None:
    script.rules({"before": "return ", "items": ["foo(a)"]}, {"before": "return foo", "items": ["(a)"]})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("return ")
    window.wait_for_rows(["return [foo(a)]", ""])
    window.press("Control+ArrowRight")
    window.wait_for_rows(["return foo[(a)]", ""])
    window.press("Tab")
    assert window.saved() == "return foo(a)\n"


def test_a_line_can_be_accepted(vscode: Start, script: Script) -> None:
    script.rules({"before": "if x:", "items": ["\n    y = 1\n    z = 2"]}, {"before": "", "items": ["    z = 2"]})
    window = vscode("if x|\nw = 3\n", path=script.command)
    wait_until_ready(window)
    window.type(":")
    window.wait_for_rows(["if x:", "[    y = 1]", "[    z = 2]", "w = 3", ""])
    window.press("Control+End")
    window.wait_for_rows(["if x:", "    y = 1", "[    z = 2]", "w = 3", ""])
    window.press("Control+End")
    window.wait_for_rows(["if x:", "    y = 1", "    z = 2", "w = 3", ""])
    window.press("Control+End")  # does the same as before
    window.type("v")
    window.wait_for_rows(["if x:", "    y = 1", "    z = 2", "w = 3", "v"])


def test_one_can_be_asked_for_by_a_key(vscode: Start, script: Script) -> None:
    script.rules({"before": "x =", "items": [" 1"]})
    window = vscode("x =|\n", path=script.command)
    wait_until_ready(window)
    window.press("Alt+\\")
    window.wait_for_rows(["x =[ 1]", ""])
    asked = script.seen("textDocument/inlineCompletion")[-1]["params"]["context"]["triggerKind"]
    assert asked == 1


def test_others_can_be_shown(vscode: Start, script: Script) -> None:
    script.rules({"before": "x =", "items": [" 1", " 22", " 333"]})
    window = vscode("x |\n", path=script.command)
    wait_until_ready(window)
    window.type("=")
    window.wait_for_rows(["x =[ 1]", ""])
    window.press("Alt+]")
    window.wait_for_rows(["x =[ 22]", ""])
    window.press("Alt+]")
    window.wait_for_rows(["x =[ 333]", ""])
    window.press("Alt+[")
    window.wait_for_rows(["x =[ 22]", ""])
    window.press("Tab")
    assert window.saved() == "x = 22\n"


def test_a_superseded_request_is_cancelled(vscode: Start, script: Script) -> None:
    script.rules({"before": "x", "items": ["late"], "delay_ms": 8000}, {"before": "xy", "items": ["soon"]})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("x")
    wait_for(lambda: script.seen("textDocument/inlineCompletion"), "the request")
    window.type("y")
    window.wait_for_rows(["xy[soon]", ""])
    assert script.seen("$/cancelRequest")


def test_it_can_be_turned_off_and_on(vscode: Start, script: Script) -> None:
    script.rules({"before": "x+", "items": ["yes"]})
    window = vscode("|\n", path=script.command, enable=True)
    wait_until_ready(window)
    window.type("x")
    window.wait_for_rows(["x[yes]", ""])
    window.press("Escape")
    window.command("Suture: Turn Suggestions On or Off")
    # Off in the only language: no server is needed.
    wait_for(lambda: "suggestions are off" in window.status(), "the status bar to say that suggestions are off")
    wait_for(lambda: script.seen("exit"), "the server to end")
    settings = json.loads((window.folder / ".vscode" / "settings.json").read_text(encoding="utf-8"))
    assert settings["suture.enable"] is False
    window.focus_editor()
    window.type("x")
    time.sleep(1)
    assert window.rows() == ["xx", ""]
    window.command("Suture: Turn Suggestions On or Off")
    wait_until_ready(window)
    window.focus_editor()
    window.type("x")
    window.wait_for_rows(["xxx[yes]", ""])


def test_a_crashed_server_is_started_again(vscode: Start, script: Script) -> None:
    script.rules({"before": "boom", "items": [], "crash": True}, {"before": "boomx", "items": ["yes"]})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("boom")
    wait_for_start(script, 2)
    wait_until_ready(window)
    window.type("x")
    window.wait_for_rows(["boomx[yes]", ""])


def test_a_server_that_keeps_crashing_is_given_up_and_can_be_restarted(vscode: Start, script: Script) -> None:
    script.rules({"before": "b+", "items": [], "crash": True})
    window = vscode("|\n", path=script.command)
    for number in range(1, 6):
        wait_for_start(script, number)
        wait_until_ready(window)
        window.type("b")
    wait_for(lambda: "does not run" in window.status(), "the status bar to say that the server does not run")
    script.rules({"before": "bbbbbx", "items": ["yes"]})
    window.command("Suture: Restart Server")
    wait_for_start(script, 6)
    wait_until_ready(window)
    window.focus_editor()
    window.type("x")
    window.wait_for_rows(["bbbbbx[yes]", ""])


def test_a_new_setting_restarts_the_server(vscode: Start, script: Script) -> None:
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    told = dict.fromkeys(
        ("statusNotification", "replaceClosers", "snippets", "imports", "workspaceTrusted", "modelOffer"), True
    )
    assert script.seen("initialize")[0]["params"]["initializationOptions"] == told
    settings = {"suture.path": script.command, "suture.model": "/models/mine"}
    (window.folder / ".vscode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    wait_for(lambda: len(script.seen("initialize")) == 2, "the second start")
    assert script.seen("initialize")[1]["params"]["initializationOptions"] == {**told, "model": "/models/mine"}
    assert len(script.seen("exit")) == 1


def test_a_missing_server_is_said(vscode: Start) -> None:
    window = vscode("|\n", path=["/nowhere/suture"])
    wait_for(lambda: "does not run" in window.status(), "the status bar to say that the server does not run")
    messages = wait_for(
        lambda: window.browser.send("text", selector=".notification-list-item-message"), "a message about it"
    )
    assert "server did not start" in messages[0]


def test_the_menu_and_the_debug_information_open(vscode: Start, script: Script) -> None:
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.browser.send("click", selector='[id="suture-completion.suture.status"] a')
    labels = wait_for(
        lambda: window.browser.send("text", selector=".quick-input-list .monaco-list-row"), "the menu's entries"
    )
    assert any("Turn suggestions off for python" in label for label in labels)
    window.press("Escape")
    window.command("Suture: Show Debug Information")
    wait_for(lambda: any('"state": "running"' in row for row in window.rows()), "the debug information")


def palette(window: "VSCode", typed: str) -> list[str]:
    """The command palette's entries for some letters."""
    window.press("F1")
    wait_for(lambda: window.browser.send("text", selector=".quick-input-widget input"), "the palette")
    window.type(typed)
    row = ".quick-input-list .monaco-list-row"
    wait_for_choice(window, "Suture: Show Menu")
    listed: set[str] = set()
    while not listed.issuperset(shown := window.browser.send("attribute", selector=row, name="aria-label")):
        listed.update(shown)
        window.press("PageDown", "PageDown")  # no more rows are drawn than are seen
        time.sleep(0.5)
    window.press("Escape")
    return [label.split(",")[0].removeprefix("Suture: ") for label in listed if label.startswith("Suture: ")]


def test_only_commands_with_something_to_do_are_offered(vscode: Start, script: Script) -> None:
    script.rules(status={"state": "snoozed", "message": "snoozed until 12:00"})
    window = vscode("|\n", path=script.command)
    wait_for(lambda: "snoozed" in window.status(), "the snooze in the status bar")
    listed = palette(window, "Suture: ")
    assert {"Restart Server", "Show Statistics", "End the Snooze"} <= set(listed)
    assert not {"Snooze", "Stop the Download of a Model"} & set(listed)
    settings = {"suture.path": ["/nowhere/suture"], "suture.enable": False}
    (window.folder / ".vscode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    wait_for(lambda: "suggestions are off" in window.status(), "the server to be stopped")
    listed = palette(window, "Suture: ")
    assert not {"Restart Server", "Snooze", "End the Snooze"} & set(listed)
    assert "Install Server" in listed


def test_the_status_tells_keys_and_the_last_wait(vscode: Start, script: Script) -> None:
    script.rules({**PRINT, "delay_ms": 600})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("pri")
    wait_for(window.ghost, "the suggestion")
    window.browser.send("hover", selector='[id="suture-completion.suture.status"] a')
    said = wait_for(lambda: " ".join(window.browser.send("text", selector=".workbench-hover")), "the hover")
    window.picture("the-status")
    assert re.search(r"The last suggestion took (0\.[6-9]\d|[1-9]\.\d) s", said), said
    assert "Tab accepts" in said and "Alt+\\ asks" in said


def test_the_status_bar_says_what_the_server_says(vscode: Start, script: Script) -> None:
    script.rules(status={"state": "error", "message": "the model is gone", "what_to_do": "choose another"})
    window = vscode("|\n", path=script.command)
    wait_for(lambda: "the model is gone" in window.status(), "the server's problem in the status bar")


def test_snoozing(vscode: Start, script: Script) -> None:
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.command("Suture: Snooze")
    wait_for_choice(window, "5 minutes")
    window.press("Enter")
    wait_for(lambda: "snoozed until" in window.status(), "the status bar to say so")
    asked = script.seen("workspace/executeCommand")[0]["params"]
    assert (asked["command"], asked["arguments"]) == ("suture.snooze", [5])
    window.command("Suture: End the Snooze")
    wait_until_ready(window)
    assert script.seen("workspace/executeCommand")[1]["params"]["arguments"] == [0]


def test_choosing_a_model(vscode: Start, real_server: list[str]) -> None:
    window = vscode("|\n", interpreter=[real_server[0]])
    wait_until_ready(window)
    window.command("Suture: Choose Model")

    def rows() -> list[str]:
        return window.browser.send("text", selector=".quick-input-list .monaco-list-row")

    listed = wait_for(lambda: [row for row in rows() if "MB" in row], "the list of models")
    assert any("embedded" in row and "in use" in row for row in listed)
    window.picture("choosing-a-model")
    assert not any(row.count(said) > 1 for row in rows() for said in ("suits this machine", "to be downloaded"))
    for typed in ("GGUF file", "Server address"):
        window.type(typed)
        wait_for(lambda typed=typed: any(typed in row for row in rows()), typed)
        window.press(*["Backspace"] * len(typed))
    window.type("qwen2.5-coder-0.5b")
    wait_for(lambda: any("qwen2.5-coder-0.5b" in row for row in rows()), "a preset")
    window.press("Escape")


@pytest.mark.skipif(not installed.has("gguf"), reason="llama.cpp is not installed")
def test_a_failed_download_can_be_tried_again(vscode: Start, real_server: list[str], tmp_path: Path) -> None:
    program = tmp_path / "suture"
    offline = "HF_ENDPOINT=http://no-hub.invalid HF_HUB_CACHE=" + shlex.quote(str(tmp_path / "hub"))
    program.write_text(f'#!/bin/sh\nexport {offline}\nexec {shlex.join(real_server[:-1])} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    window = vscode("|\n", path=[str(program)])
    wait_until_ready(window)
    window.command("Suture: Choose Model")
    wait_for_choice(window, "qwen2.5-coder-0.5b-q4")
    window.type("qwen2.5-coder-0.5b-q4")
    window.press("Enter")
    box = ".monaco-dialog-box"
    wait_for(lambda: any("Download qwen" in text for text in window.browser.send("text", selector=box)), "the question")
    window.press("Enter")
    said = wait_for(lambda: "Try Again" in notifications(window) and notifications(window), "the failure")
    window.picture("a-failed-download")
    assert "Errno" not in said and "its host is not found" in said
    window.browser.send("click", selector='.notification-toast a.monaco-button:has-text("Choose Another Model")')
    wait_for_choice(window, "embedded")


def notifications(window: "VSCode") -> str:
    return " ".join(window.browser.send("text", selector=".notification-toast"))


def test_the_offer_of_a_model_is_answered_by_its_buttons(vscode: Start, script: Script) -> None:
    offered = in_words(recommend(dict(TYPICAL)["two cores"]))
    script.rules(asks=[{"message": f"Suture: {offered}", "titles": ["Download", "Later", "Never"]}])
    window = vscode("|\n", path=script.command)
    wait_for(lambda: "Download" in notifications(window) and "Never" in notifications(window), "the offer")
    window.picture("the-offer")
    assert offered in " ".join(notifications(window).split())  # nothing is cut off
    told = script.seen("initialize")[0]["params"]["initializationOptions"]
    assert told["modelOffer"] is True
    window.browser.send("click", selector=".notification-toast a.monaco-button")
    answered = wait_for(lambda: [one for one in script.seen(None) if one["id"] == "ask"], "the answer")
    assert answered[0]["result"] == {"title": "Download"}


def test_an_error_has_buttons_that_mend_it(vscode: Start, script: Script) -> None:
    status = {"state": "error", "message": "it needs llama.cpp", "install": "echo installed-by-the-button"}
    script.rules(status=status, says=[{"type": 1, "message": "Suture: it needs llama.cpp: install it with: evil"}])
    window = vscode("|\n", path=script.command)
    wait_for(lambda: "Install What Is Missing" in notifications(window), "the message")
    assert "Open Log" in notifications(window)
    window.picture("an-error")
    window.browser.send("click", selector=".notification-toast a.monaco-button")
    terminal = ".terminal-wrapper .xterm-accessibility, .terminal-wrapper"
    wait_for(lambda: window.browser.send("text", selector=terminal), "the terminal")
    wait_for(lambda: len(script.seen("initialize")) == 2, "the server, started again")


def test_the_status_bar_says_how_far_a_download_is(vscode: Start, script: Script) -> None:
    details = "384 tokens of context; llama.cpp takes 162 MB for itself"
    script.rules(
        status={"state": "ready", "model": "embedded", "download": "downloading big: 45 %", "details": details}
    )
    window = vscode("|\n", path=script.command)
    wait_for(lambda: "45 %" in window.status(), "how far it is")
    window.picture("a-download")


FAKE_PYTHON = """#!/bin/sh
# Python for the installation of the server: makes an environment of itself, and notes what would be installed.
case "$*" in
"-I -c "*) exit 0 ;;
"-I "*"/setup_environment.py "*" --plan "*) exec {python} "$@" ;;
"-I "*"/setup_environment.py "*)
    echo "$*" >>{log}
    mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
    echo '{{"step": "installing the packages", "detail": "numpy", "done": 8000000, "total": 16000000}}'
    sleep 3 ;;
"-I -m suture.lsp_server "*) shift 3; exec {server} "$@" ;;
*) exit 9 ;;
esac
"""


def test_the_server_is_installed_when_asked(
    vscode_on: Callable[..., "VSCode"], browser: "Browser", vsix: Path, tmp_path: Path, script: Script
) -> None:
    script.rules(PRINT)
    home, log = tmp_path / "code-server", tmp_path / "pip.log"
    python = home / ".local" / "bin" / "python3.13"
    python.parent.mkdir(parents=True)
    python.write_text(
        FAKE_PYTHON.format(
            log=shlex.quote(str(log)), python=shlex.quote(sys.executable), server=shlex.join(script.command)
        ),
        encoding="utf-8",
    )
    python.chmod(0o755)
    server = CodeServer(EDITORS / "vscode", home, vsix)
    try:
        window = vscode_on(server, "|\n", importStrategy="useBundled")
        message = ".notification-list-item-message"
        wait_for(lambda: window.browser.send("text", selector=message), "the message that there is no server")
        window.browser.send("click", selector='[id="suture-completion.suture.status"] a')
        wait_for_choice(window, "Install server")
        window.press("Enter")
        box = ".monaco-dialog-box"
        wait_for(lambda: any("MB of packages" in text for text in window.browser.send("text", selector=box)), "sizes")
        window.press("Enter")
        wait_for(
            lambda: "is being installed" in window.status(), "the status bar to say that the server is being installed"
        )
        wait_for(
            lambda: any("50 % of 16 MB" in text for text in window.browser.send("text", selector=message)),
            "how far the download is",
        )
        wait_until_ready(window)
        window.focus_editor()
        window.type("pri")
        window.wait_for_rows(["pri[nt('ä', x)]", ""])
        (installed,) = log.read_text(encoding="utf-8").splitlines()
        assert "--llama-cpp" in installed and "--torch" not in installed and "/bundled/constraints.txt" in installed
        assert installed.endswith(".whl") and "/bundled/suture-" in installed
    finally:
        server.close()


def test_the_walkthrough_opens(vscode: Start, script: Script) -> None:
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.command("Welcome: Open Walkthrough")
    wait_for_choice(window, "Get started with Suture")
    window.type("Suture")
    window.press("Enter")
    steps = wait_for(lambda: window.browser.send("text", selector=".step-title"), "the steps")
    assert "Choose a model" in steps
    ticked = '.codicon.complete[data-done-step-id$="#server"]'
    wait_for(lambda: window.browser.send("text", selector=ticked), "the step of the server to be ticked")


def test_an_untrusted_folder_cannot_choose_the_program(
    vscode_on: Callable[..., "VSCode"], browser: "Browser", vsix: Path, tmp_path: Path
) -> None:
    evil, good = Script(tmp_path / "evil"), Script(tmp_path / "good")
    good.rules(PRINT)
    home = tmp_path / "code-server"
    program = home / ".local" / "bin" / "suture"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.join(good.command)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    server = CodeServer(EDITORS / "vscode", home, vsix, trust=False)
    try:
        window = vscode_on(server, "|\n", path=evil.command, interpreter=evil.command, model="/evil", args=["--evil"])
        wait_until_ready(window)
        window.type("pri")
        window.wait_for_rows(["pri[nt('ä', x)]", ""])
        assert not evil.seen("initialize")
        assert good.seen("initialize")[0]["arguments"] == ["serve"]
        options = good.seen("initialize")[0]["params"]["initializationOptions"]
        assert options == {
            "statusNotification": True,
            "replaceClosers": True,
            "snippets": True,
            "imports": True,
            "workspaceTrusted": False,
            "modelOffer": False,
        }
    finally:
        server.close()


CONFLICT = """\
<<<<<<< HEAD
def area(width, height):
    return width * height
=======
def area(w, h):
    return w * h
>>>>>>> other


def main(rooms):
    for width, height in rooms:
        print(area(|))
"""


def test_the_real_server_is_asked_by_a_key_below_a_conflict(vscode: Start, real_server: list[str]) -> None:
    window = vscode(CONFLICT, interpreter=[real_server[0]])
    wait_until_ready(window)
    window.press("Alt+\\")
    wait_for(window.ghost, "a suggestion")
    window.picture("a-conflict")


# Each of these needs some text to be a valid file, so there is a suggestion with any model.
@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("def f(x):\n    y |\n    return y\n", "="),
        ("def add(a, b):\n    return (a |)\n", "+"),
        ("for i in range(10)|\n\nprint(i)\n", ":"),
    ],
)
def test_the_real_server_suggests_what_fits(vscode: Start, real_server: list[str], text: str, typed: str) -> None:
    window = vscode(text, interpreter=[real_server[0]])
    wait_until_ready(window)
    window.type(typed)
    wait_for(window.ghost, "a suggestion of the embedded model")
    window.press("Tab")
    wait_for(lambda: window.ghost() is None, "the suggestion to be accepted")
    saved = window.saved()
    assert len(saved) > len(text)
    ast.parse(saved)

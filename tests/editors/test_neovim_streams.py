"""Suggestions drawn while they are being made, and the messages to the server about them."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from scripted import Script

if TYPE_CHECKING:
    from neovim_driver import Neovim

Start = Callable[..., "Neovim"]
OURS = pytest.mark.parametrize(
    "neovim", ["nvim-0.10", "nvim-0.12"], indirect=True
)  # Neovim's own drawing knows no pieces

SLOW = {"before": "x", "pieces": [" =", " = f", " = fo", " = foo("], "items": [" = foo(1)"], "delay_ms": 150}
SLOWER = {**SLOW, "delay_ms": 500}  # so that even a busy machine sees each piece


def seen_items(script: Script, method: str) -> list[str]:
    return [entry["params"]["item"]["insertText"] for entry in script.seen(method)]


@OURS
def test_a_text_grows_as_it_comes(neovim: Start, script: Script) -> None:
    script.rules(SLOW)
    editor = neovim("|\n", cmd=script.command)
    editor.frames(0)
    editor.type("x")
    editor.wait_for_ghost(" = foo(1)")
    assert editor.frames(0) == ["x", "x =", "x = f", "x = fo", "x = foo(", "x = foo(1)"]
    assert editor.wait(lambda: seen_items(script, "textDocument/didShowCompletion"), "the word of it") == [" = foo(1)"]


@OURS
def test_streaming_can_be_turned_off(neovim: Start, script: Script) -> None:
    script.rules({**SLOW, "delay_ms": 20})
    editor = neovim("|\n", cmd=script.command, streaming=False)
    editor.frames(0)
    editor.type("x")
    editor.wait_for_ghost(" = foo(1)")
    assert editor.frames(0) == ["x", "x = foo(1)"]


@OURS
def test_typing_along_goes_on_with_a_text_that_is_coming(neovim: Start, script: Script) -> None:
    # After " =" the same text comes from its beginning again, as for every request.
    again = {"before": "x =", "pieces": [" f", " fo", " foo("], "items": [" foo(1)"], "delay_ms": 300}
    script.rules(SLOWER, again)
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost(" = f")
    editor.frames(0)
    editor.type(" =")
    assert editor.ghost() == " f"
    editor.wait_for_ghost(" foo(1)")
    # Nothing on the screen is taken back, and each frame has the text after the cursor once.
    assert editor.frames(0) == ["x = f", "x = fo", "x = foo(", "x = foo(1)"]
    # The server decides by the typed text whether it continues; a cancelled request would make it start anew.
    assert script.seen("$/cancelRequest") == []


@OURS
def test_typing_something_else_ends_a_text_that_is_coming(neovim: Start, script: Script) -> None:
    # A deaf server: pieces of the old request keep coming.
    script.rules({**SLOWER, "deaf": True}, {"before": "x1", "items": ["+2"], "delay_ms": 500})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost(" =")
    editor.frames(0)
    editor.type("1")
    assert editor.ghost() is None
    editor.wait(lambda: script.seen("$/cancelRequest"), "the end of the old request")
    editor.wait_for_ghost("+2")
    assert editor.frames(0) == ["x1", "x1+2"]


@OURS
def test_what_is_accepted_of_a_coming_text_waits_for_its_end(neovim: Start, script: Script) -> None:
    script.rules(SLOWER)
    editor = neovim("|\n", cmd=script.command, keys={"accept": "<Tab>"})
    editor.type("x")
    editor.wait_for_ghost(" = fo")
    editor.type("<Tab>")
    assert editor.text() == "x|"  # not "x = fo", an incomplete suggestion, and no tabulator
    editor.wait_for_text("x = foo(1)|")
    entry = editor.wait(lambda: script.seen("workspace/executeCommand"), "the command")[0]
    assert entry["params"]["arguments"] == ["offer of  = foo(1)"]


@OURS
def test_typing_revokes_what_was_accepted_of_a_coming_text(neovim: Start, script: Script) -> None:
    script.rules(SLOWER, {"before": "x ", "items": ["= foo(1)"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost(" = f")
    editor.lua("require('suture').accept()")
    editor.type(" ")
    editor.wait_for_ghost("= foo(1)")
    time.sleep(0.5)
    assert editor.text() == "x |"


@OURS
def test_a_whole_word_of_a_coming_text_can_be_accepted_at_once(neovim: Start, script: Script) -> None:
    script.rules(SLOWER)
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost(" = f")
    editor.lua("require('suture').accept_word()")
    editor.wait_for_text("x =|")
    assert editor.ghost() == " f"


@OURS
def test_a_coming_text_that_fails_is_cleared(neovim: Start, script: Script) -> None:
    script.rules({**SLOWER, "crash_after": True}, {"before": "xy", "items": ["z"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost(" = foo(")
    editor.wait_for_ghost(None)
    editor.type("y")
    editor.wait_for_ghost("z")  # from the restarted server


def accepted_lengths(script: Script) -> list[int]:
    return [entry["params"]["acceptedLength"] for entry in script.seen("textDocument/didPartiallyAcceptCompletion")]


@OURS
def test_the_server_hears_what_became_of_a_suggestion(neovim: Start, script: Script) -> None:
    text = "'😀' + foo(\n    1)"
    script.rules({"before": "x = ", "items": [text]}, {"before": r"x = '😀'", "items": [text[3:]]})
    editor = neovim("x = |\n", cmd=script.command)
    editor.wait_for_ghost(text)
    editor.lua("require('suture').accept_word()")
    editor.wait_for_text("x = '|")
    editor.lua("require('suture').accept_word()")
    editor.wait_for_text("x = '😀|")
    editor.lua("require('suture').accept_line()")
    editor.wait_for_text("x = '😀' + foo(|")
    editor.wait(lambda: len(accepted_lengths(script)) == 3, "the third part")
    assert accepted_lengths(script) == [1, 3, len(text.partition("\n")[0]) + 1]  # in utf-16, counted from the start


def test_a_dismissed_suggestion_is_rejected(neovim: Start, script: Script) -> None:
    script.rules({"before": "x", "items": [" = 1"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost(" = 1")
    editor.lua("require('suture').dismiss()")
    editor.wait_for_ghost(None)
    rejected: list[dict[str, Any]] = editor.wait(
        lambda: script.seen("textDocument/didRejectCompletion"), "the rejection"
    )
    assert rejected[0]["params"]["item"]["command"]["arguments"] == ["offer of  = 1"]
    assert editor.lua("return require('suture').dismiss()") is False


@OURS
def test_what_is_shown_is_said_once(neovim: Start, script: Script) -> None:
    script.rules({"before": "x", "items": [" = 1", " = 22"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost(" = 1")
    editor.api.command("redraw!")
    editor.lua("require('suture').next()")
    editor.wait_for_ghost(" = 22")
    editor.type("<Esc>")
    editor.wait(lambda: len(seen_items(script, "textDocument/didShowCompletion")) > 1, "the word of the second")
    assert seen_items(script, "textDocument/didShowCompletion") == [" = 1", " = 22"]

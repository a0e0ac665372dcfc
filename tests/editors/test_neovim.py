"""The Neovim plugin in real Neovims: the drawings and their places, the effects of keys, the messages to the server."""

import ast
import shlex
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from neovim_driver import PLUGIN
from scripted import Script
from suture import parser

if TYPE_CHECKING:
    from neovim_driver import Neovim

Start = Callable[..., "Neovim"]
ROOT = PLUGIN.parents[1]

PRINT = {"before": " *", "items": ["print('ä', x)"]}


@pytest.fixture
def native(request: pytest.FixtureRequest) -> bool:
    """Whether Neovim itself draws."""
    return request.node.callspec.params["neovim"] == "nvim-0.12-native"


def test_a_suggestion_is_drawn_at_the_cursor(neovim: Start, script: Script) -> None:
    script.rules(PRINT)
    editor = neovim("def f(x):\n    |\n    y = 2\n", cmd=script.command)
    editor.wait_for_ghost("print('ä', x)")
    assert editor.screen() == ["def f(x):", "    print('ä', x)", "    y = 2"]
    assert editor.text() == "def f(x):\n    |\n    y = 2"


def test_a_suggestion_stands_before_the_rest_of_the_line(neovim: Start, script: Script) -> None:
    script.rules({"before": r"f\(", "after": r"\)", "items": ["a, b"]})
    editor = neovim("f(|)\n", cmd=script.command)
    editor.wait_for_ghost("a, b")
    assert editor.screen() == ["f(a, b)"]
    editor.lua("require('suture').accept()")
    editor.wait_for_text("f(a, b|)")


def test_several_lines_stand_below(neovim: Start, script: Script) -> None:
    script.rules({"before": "if x:", "items": ["\n    y = 1\n    z = 2"]})
    editor = neovim("if x:|\nw = 3\n", cmd=script.command)
    editor.wait_for_ghost("\n    y = 1\n    z = 2")
    assert editor.screen() == ["if x:", "    y = 1", "    z = 2", "w = 3"]
    editor.lua("require('suture').accept()")
    editor.wait_for_text("if x:\n    y = 1\n    z = 2|\nw = 3")


def test_the_rest_of_the_line_stands_after_several_lines(neovim: Start, script: Script, native: bool) -> None:
    script.rules({"before": r"f\(", "after": r", 9\)", "items": ["[\n    1,\n    2,\n]"]})
    editor = neovim("f(|, 9)\nw = 3\n", cmd=script.command)
    editor.wait_for_ghost("[\n    1,\n    2,\n]")
    if native:  # Neovim's own drawing leaves it in the first line
        assert editor.screen() == ["f([, 9)", "    1,", "    2,", "]", "w = 3"]
    else:
        assert editor.screen() == ["f([", "    1,", "    2,", "], 9)", "w = 3"]
    editor.lua("require('suture').accept()")
    editor.wait_for_text("f([\n    1,\n    2,\n]|, 9)\nw = 3")


HEADER = {"before": r"def f\(", "after": r"\)", "items": ["a):\n    return a"], "replaces": 1}


def test_a_header_takes_the_place_of_the_bracket_that_is_closed(neovim: Start, script: Script) -> None:
    script.rules(HEADER)
    editor = neovim("def f(|)\nw = 3\n", cmd=script.command)
    editor.wait_for_ghost("a):\n    return a")
    assert editor.screen() == ["def f(a):", "    return a", "w = 3"]
    editor.lua("require('suture').accept()")
    editor.wait_for_text("def f(a):\n    return a|\nw = 3")


def test_a_header_that_is_typed_along_takes_the_place_of_the_bracket(neovim: Start, script: Script) -> None:
    script.rules(HEADER)
    editor = neovim("def f(|)\nw = 3\n", cmd=script.command)
    editor.wait_for_ghost("a):\n    return a")
    editor.type("a")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("def f(a):\n    return a|\nw = 3")


def test_a_header_whose_first_line_is_accepted_leaves_no_bracket(neovim: Start, script: Script) -> None:
    script.rules(HEADER, {"before": r"def f\(a\):", "items": ["\n    return a"]})
    editor = neovim("def f(|)\nw = 3\n", cmd=script.command)
    editor.wait_for_ghost("a):\n    return a")
    editor.lua("require('suture').accept_line()")
    editor.wait_for_text("def f(a):|\nw = 3")
    editor.wait_for_ghost("\n    return a")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("def f(a):\n    return a|\nw = 3")


CALL = {"before": "x = ", "items": ["area(width)"], "behind": 1}


def test_the_cursor_stays_inside_of_a_call_that_goes_on(neovim: Start, script: Script, native: bool) -> None:
    script.rules(CALL, {"before": r"x = area\(width", "after": r"\)", "items": [", height"]})
    editor = neovim("x = |\n", cmd=script.command)
    editor.wait_for_ghost("area(width)")
    editor.lua("require('suture').accept()")
    if native:  # a plain text, since Neovim's own drawing has no snippets
        editor.wait_for_text("x = area(width)|")
        return
    editor.wait_for_text("x = area(width|)")
    editor.wait_for_ghost(", height")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("x = area(width, height|)")


def test_the_cursor_stays_before_the_lines_that_close_a_block(neovim: Start, script: Script, native: bool) -> None:
    block = {"before": "  f", "items": ["or (a of b) {\n    ç();\n  }"], "behind": 4}
    script.rules(block, {"before": r"    ç\(\);", "after": "", "items": ["\n    d();"]})
    editor = neovim("{\n  f|\n}\n", cmd=script.command)
    editor.wait_for_ghost("or (a of b) {\n    ç();\n  }")
    editor.lua("require('suture').accept()")
    if native:
        editor.wait_for_text("{\n  for (a of b) {\n    ç();\n  }|\n}")
        return
    editor.wait_for_text("{\n  for (a of b) {\n    ç();|\n  }\n}")
    editor.wait_for_ghost("\n    d();")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("{\n  for (a of b) {\n    ç();\n    d();|\n  }\n}")
    editor.type(")}")  # these stand on lines of their own
    editor.wait_for_text("{\n  for (a of b) {\n    ç();\n    d();)}|\n  }\n}")


def test_an_import_is_named_behind_the_text_and_added_with_it(neovim: Start, script: Script, native: bool) -> None:
    script.rules({"before": "x = js", "items": ["on.loads(y)"], "imports": ["import json"]})
    editor = neovim("x = js|\nz = 2\n", cmd=script.command)
    if native:  # it would not show the added text
        editor.wait_for_ghost("on.loads(y)")
        assert script.seen("initialize")[0]["params"]["initializationOptions"]["imports"] is False
        return
    editor.wait(lambda: editor.screen()[0] == "x = json.loads(y) + import json", "the line")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("import json\nx = json.loads(y)|\nz = 2")
    assert editor.screen() == ["import json", "x = json.loads(y)", "z = 2"]
    editor.type("<Esc>u")
    editor.wait(lambda: editor.screen()[0] == "x = json.loads(y)", "the line")
    editor.type("u")
    editor.wait(lambda: editor.screen()[0] == "x = js", "the line")


def test_the_brackets_of_a_call_are_typed_over(neovim: Start, script: Script, native: bool) -> None:
    if native:
        return
    script.rules({"before": "x = ", "items": ["area([width])"], "behind": 2})
    editor = neovim("x = |\n", cmd=script.command)
    editor.wait_for_ghost("area([width])")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("x = area([width|])")
    editor.type(", a[1]")
    editor.wait_for_text("x = area([width, a[1]|])")
    editor.type("]) + (1)")
    editor.wait_for_text("x = area([width, a[1]]) + (1)|")


def test_a_call_that_goes_on_is_typed_along_and_its_bracket_alone_not_shown(
    neovim: Start, script: Script, native: bool
) -> None:
    if native:
        return
    script.rules(CALL)
    editor = neovim("x = |\n", cmd=script.command)
    editor.wait_for_ghost("area(width)")
    editor.type("area")
    editor.wait_for_ghost("(width)")
    editor.lua("require('suture').accept_word()")
    editor.wait_for_ghost("width)")
    editor.lua("require('suture').accept_word()")
    editor.wait_for_text("x = area(width|")
    assert editor.ghost() is None


def test_columns_are_counted_as_agreed(neovim: Start, script: Script) -> None:
    script.rules({"before": "s = 'ä😀€' \\+ ", "after": " # 😀", "items": ["t"]})
    editor = neovim("s = 'ä😀€' + | # 😀\n", cmd=script.command)
    editor.wait_for_ghost("t")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("s = 'ä😀€' + t| # 😀")


def test_typing_along_keeps_the_suggestion(neovim: Start, script: Script) -> None:
    script.rules(PRINT)
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("print('ä', x)")
    editor.type("pri")
    assert editor.ghost() == "nt('ä', x)"
    editor.lua("require('suture').accept()")
    editor.wait_for_text("print('ä', x)|")


def test_typing_something_else_clears_it(neovim: Start, script: Script, native: bool) -> None:
    script.rules(PRINT)
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("print('ä', x)")
    editor.type("w")
    if not native:
        assert editor.ghost() is None
    editor.wait_for_ghost(None)  # the server has nothing after "w"
    assert editor.lua("return require('suture').accept()") is False
    assert editor.text() == "w|"


def test_leaving_insert_mode_clears_it(neovim: Start, script: Script) -> None:
    script.rules(PRINT)
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("print('ä', x)")
    editor.type("<Esc>")
    assert editor.ghost() is None


def test_a_word_and_a_line_can_be_accepted(neovim: Start, script: Script) -> None:
    rest = "foo(a)\n    bar"
    script.rules(
        {"before": "return ", "items": [rest]},
        {"before": "return foo", "items": [rest[3:]]},
        {"before": r"return foo\(a\)", "items": [rest[6:]]},
    )
    editor = neovim("return |\n", cmd=script.command)
    editor.wait_for_ghost(rest)
    editor.lua("require('suture').accept_word()")
    editor.wait_for_text("return foo|")
    editor.wait_for_ghost(rest[3:])
    part = editor.wait(lambda: script.seen("textDocument/didPartiallyAcceptCompletion"), "the part")[0]
    assert part["params"]["acceptedLength"] == 3
    editor.lua("require('suture').accept_line()")
    editor.wait_for_text("return foo(a)|")
    editor.wait_for_ghost(rest[6:])
    editor.lua("require('suture').accept_line()")
    editor.wait_for_text("return foo(a)\n    bar|")


def test_accepting_is_one_change(neovim: Start, script: Script) -> None:
    script.rules({"before": "pri", "items": ["nt(1)"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("pri")
    editor.wait_for_ghost("nt(1)")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("print(1)|")
    editor.type("<Esc>u")
    assert editor.text().replace("|", "") == "pri"


def test_others_can_be_shown(neovim: Start, script: Script, native: bool) -> None:
    if native:
        pytest.skip("Neovim asks for one suggestion only while typing")
    script.rules({"before": "x = ", "items": ["1", "22", "333"]})
    editor = neovim("x = |\n", cmd=script.command)
    editor.wait_for_ghost("1")
    editor.lua("require('suture').next()")
    editor.wait_for_ghost("22")
    editor.lua("require('suture').next()")
    assert editor.ghost() == "333"
    editor.lua("require('suture').next()")
    assert editor.ghost() == "1"
    editor.lua("require('suture').previous()")
    assert editor.ghost() == "333"
    editor.lua("require('suture').accept()")
    editor.wait_for_text("x = 333|")


def test_it_can_be_dismissed(neovim: Start, script: Script) -> None:
    script.rules(PRINT)
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("print('ä', x)")
    editor.lua("require('suture').dismiss()")
    editor.wait_for_ghost(None)
    assert editor.text() == "|"


def test_one_can_be_asked_for_where_none_is_shown(neovim: Start, script: Script, native: bool) -> None:
    if native:
        pytest.skip("Neovim asks for none there")
    script.rules({"before": "x = ", "items": ["1", "22"]})
    editor = neovim("x = |\n", cmd=script.command)
    editor.wait_for_ghost("1")
    editor.lua("require('suture').dismiss()")
    editor.wait_for_ghost(None)
    editor.lua("require('suture').next()")
    editor.wait_for_ghost("1")
    editor.lua("require('suture').next()")
    assert editor.ghost() == "22"


def test_a_key_does_what_it_did_before_when_nothing_is_shown(neovim: Start, script: Script) -> None:
    script.rules({"before": "x", "items": [" = 1"]})
    editor = neovim("|\n", cmd=script.command, keys={"accept": "<Tab>"})
    editor.type("<Tab>")
    editor.wait_for_text("    |")  # the Python file type's expandtab
    editor.type("<C-u>x")
    editor.wait_for_ghost(" = 1")
    editor.type("<Tab>")
    editor.wait_for_text("x = 1|")


def test_a_key_keeps_the_mapping_it_had(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    editor.lua("vim.keymap.set('i', '<C-l>', function() return 'mapped' end, { expr = true })")
    editor.lua("require('suture').setup(...)", {"cmd": script.command, "keys": {"accept": "<C-l>"}})
    editor.type("<C-l>")
    editor.wait_for_text("mapped|")


def test_no_key_is_taken_unasked(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    entry = "function(map) return map.lhs .. ' ' .. (map.desc or '') end"
    code = f"return vim.tbl_map({entry}, vim.api.nvim_get_keymap('i'))"
    ours = [each for each in editor.lua(code) if "Suture" in each]
    assert len(ours) == 7
    assert all(each.startswith("<Plug>(suture-") for each in ours)


def test_a_plug_mapping_and_an_expression_accept(neovim: Start, script: Script) -> None:
    script.rules({"before": ".*x", "items": [" = 1; "]})
    editor = neovim("|\n", cmd=script.command)
    editor.lua("vim.keymap.set('i', '<C-l>', '<Plug>(suture-accept)')")
    code = "return require('suture').accept() and '' or 'nothing'"
    editor.lua(f"vim.keymap.set('i', '<C-k>', function() {code} end, {{ expr = true }})")
    editor.type("x")
    editor.wait_for_ghost(" = 1; ")
    editor.type("<C-l>")
    editor.wait_for_text("x = 1; |")
    editor.type("x")
    editor.wait_for_ghost(" = 1; ")
    editor.type("<C-k>")
    editor.wait_for_text("x = 1; x = 1; |")
    editor.type("<C-k>")
    editor.wait_for_text("x = 1; x = 1; nothing|")


def test_a_superseded_request_is_cancelled(neovim: Start, script: Script, native: bool) -> None:
    if native:
        pytest.skip("Neovim does not cancel; the server ends older requests itself")
    script.rules({"before": "x", "items": ["late"], "delay_ms": 5000}, {"before": "xy", "items": ["soon"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")

    def asked_after_x() -> bool:
        requests = script.seen("textDocument/inlineCompletion")
        return any(request["params"]["position"]["character"] == 1 for request in requests)

    editor.wait(asked_after_x, "the request")
    editor.type("y")
    editor.wait_for_ghost("soon")
    assert script.seen("$/cancelRequest")


def test_it_can_be_turned_off_and_on(neovim: Start, script: Script) -> None:
    script.rules({"before": "x*", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("yes")
    editor.api.command("Suture disable")
    editor.wait_for_ghost(None)
    editor.wait(lambda: script.seen("textDocument/didClose"), "the server to hear that the buffer is closed")
    before = len(script.seen("textDocument/inlineCompletion"))
    editor.type("x")
    time.sleep(0.5)
    assert editor.ghost() is None
    assert len(script.seen("textDocument/inlineCompletion")) == before
    editor.api.command("Suture enable")
    editor.wait_for_ghost("yes")
    assert editor.messages() == ""


def test_the_server_can_be_restarted(neovim: Start, script: Script) -> None:
    script.rules({"before": "x*", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("yes")
    editor.api.command("Suture restart")
    editor.wait(lambda: len(script.seen("initialize")) == 2, "the second start")
    editor.type("x")
    editor.wait_for_ghost("yes")
    assert len(script.seen("exit")) == 1
    assert editor.messages() == ""


def test_after_a_crash_typing_goes_on_and_the_server_comes_back(neovim: Start, script: Script) -> None:
    script.rules({"before": "boom", "items": [], "crash": True}, {"before": "x*", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("yes")
    editor.type("boom")
    editor.wait(lambda: "quit with exit code 3" in editor.messages(), "the message")
    editor.type("<C-u>x")  # typing goes on
    editor.wait_for_text("x|")
    editor.wait_for_ghost("yes")


def test_a_server_that_crashes_again_and_again_is_given_up(neovim: Start, script: Script) -> None:
    script.rules({"before": "boom", "items": [], "crash": True}, {"before": "x*", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.api.command("set cmdheight=12")  # Neovim's own messages would wait for a key
    editor.wait_for_ghost("yes")
    editor.type("boom")
    editor.wait(lambda: "the server ended with exit code 3" in editor.messages(), "the message")
    status = editor.lua("return require('suture').status()")
    assert (status["state"], status["what_to_do"]) == ("error", ":Suture log says why, :Suture restart starts it")
    starts = len(script.seen("initialize"))
    assert starts == 3
    editor.type("<C-u>x")
    time.sleep(0.8)
    assert len(script.seen("initialize")) == starts
    editor.api.command("Suture restart")
    editor.wait_for_ghost("yes")


def test_other_filetypes_are_left_alone(neovim: Start, script: Script, tmp_path: Path) -> None:
    editor = neovim("|\n", cmd=script.command)
    editor.type("<Esc>")
    editor.wait(lambda: script.seen("textDocument/didOpen"), "the first file at the server")
    editor.api.command(f"edit {tmp_path}/notes.txt")
    time.sleep(0.3)
    assert len(script.seen("textDocument/didOpen")) == 1
    assert editor.lua("return #vim.lsp.get_clients({bufnr = 0})") == 0


def test_bad_settings_are_named_and_left_at_their_defaults(neovim: Start, script: Script) -> None:
    script.rules(PRINT)
    editor = neovim("|\n", cmd=script.command, delay_ms="soon", sparkle=True, keys={"explode": "<C-x>"})
    editor.wait_for_ghost("print('ä', x)")
    messages = editor.messages()
    assert "setting 'delay_ms' must be a number" in messages
    assert "unknown setting 'sparkle'" in messages
    assert "unknown action 'explode'" in messages


def test_the_settings_reach_the_server(neovim: Start, script: Script, native: bool) -> None:
    neovim("|\n", cmd=script.command, model="/models/mine", settings={"maxLines": 2})
    assert script.seen("initialize")[0]["params"]["initializationOptions"] == {
        "model": "/models/mine",
        "maxLines": 2,
        "statusNotification": True,
        "streaming": not native,
        "replaceClosers": True,
        "snippets": not native,
        "imports": not native,
        "workspaceTrusted": False,
        "modelOffer": True,
    }


def test_only_the_folders_that_are_named_are_trusted(neovim: Start, script: Script, tmp_path: Path) -> None:
    for name in ("mine", "theirs", "also_mine"):
        (tmp_path / name / ".git").mkdir(parents=True)
    trusted = [f"{tmp_path}/mine/", f"{tmp_path}/also_mine"]
    editor = neovim("|\n", cmd=script.command, wait=False, trusted=trusted, filetypes=["json"])
    editor.type("<Esc>")
    for name in ("mine", "theirs", "also_mine"):
        editor.api.command(f"edit {tmp_path}/{name}/a.json")
        editor.wait(lambda: editor.lua("return #vim.lsp.get_clients({bufnr = 0})") == 1, "the server")
    start = script.seen("initialize")[0]["params"]
    assert start["initializationOptions"]["workspaceTrusted"] is True
    assert start["rootPath"] == f"{tmp_path}/mine"
    # Files of an untrusted folder are not read, since the session as a whole is untrusted.
    added = editor.wait(lambda: script.seen("workspace/didChangeWorkspaceFolders"), "the second folder")
    assert [folder["name"] for each in added for folder in each["params"]["event"]["added"]] == [
        f"{tmp_path}/also_mine"
    ]


def test_one_server_for_files_of_several_projects_that_are_opened_together(
    neovim: Start, script: Script, tmp_path: Path
) -> None:
    editor = neovim("|\n", cmd=script.command, wait=False, filetypes=["json"])
    editor.type("<Esc>")
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "a.json").write_text("1\n", encoding="utf-8")
    editor.lua(
        "for _, path in ipairs(...) do vim.cmd.split(path) end", [f"{tmp_path}/one/a.json", f"{tmp_path}/two/a.json"]
    )
    editor.wait(lambda: len(script.seen("textDocument/didOpen")) == 2, "both files")
    assert len(script.seen("initialize")) == 1
    added = editor.wait(lambda: script.seen("workspace/didChangeWorkspaceFolders"), "the other folder")
    assert [folder["name"] for folder in added[0]["params"]["event"]["added"]] == [f"{tmp_path}/two"]


def test_a_suggestion_is_grey_where_the_colorscheme_has_no_color_for_it(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    look = "return vim.api.nvim_get_hl(0, { name = 'SutureSuggestion', link = false })"
    assert editor.lua(look)["ctermfg"] == 8  # in the default colorscheme, whose groups have a colour for the GUI alone
    editor.api.command("colorscheme habamax")
    assert editor.lua(look)["ctermfg"] > 15  # the colorscheme's own
    editor.api.command("highlight SutureSuggestion ctermfg=3")
    editor.lua("require('suture').setup(...)", {"cmd": script.command})
    assert editor.lua(look)["ctermfg"] == 3


def test_checkhealth_says_how_it_stands(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    editor.type("<Esc>")
    editor.api.command("checkhealth suture")
    report = "\n".join(editor.api.current.buffer[:])
    assert "OK suggestions are on" in report
    assert "OK the server offers inline completion" in report
    assert "1 buffer attached" in report
    assert "ERROR" not in report


def test_the_log_opens(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    editor.type("<Esc>")
    editor.api.command("Suture log")
    assert editor.api.current.buffer.name.endswith("lsp.log")
    assert editor.messages() == ""


def test_help_is_there(neovim: Start, script: Script, tmp_path: Path) -> None:
    editor = neovim("|\n", cmd=script.command)
    editor.type("<Esc>")
    shutil.copytree(PLUGIN / "doc", tmp_path / "help" / "doc")
    editor.api.command(f"helptags {tmp_path}/help/doc")
    editor.api.command(f"set runtimepath^={tmp_path}/help")
    for tag in ("suture", "suture-settings", ":Suture", "<Plug>(suture-accept)", "hl-SutureSuggestion"):
        editor.api.command(f"help {tag}")
        assert editor.api.current.buffer.name.endswith("suture.txt")


def program(path: Path, command: list[str]) -> Path:
    """Writes a program running a command, with its own arguments added."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_server_is_found_on_path(neovim: Start, script: Script, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "suture", script.command)
    neovim("|\n", environment={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    assert script.seen("initialize")[0]["arguments"] == ["serve"]


def test_an_interpreter_is_enough(neovim: Start, script: Script, tmp_path: Path) -> None:
    python = program(tmp_path / "bin" / "python", script.command)
    neovim("|\n", interpreter=str(python))
    assert script.seen("initialize")[0]["arguments"] == ["-I", "-m", "suture.lsp_server", "serve"]


def clone(folder: Path) -> Path:
    """Copies the plugin into a clone of its own, and gives a link to it."""
    shutil.copytree(PLUGIN, folder / "editors" / "neovim")
    link = folder / "link"
    link.symlink_to(folder / "editors" / "neovim")
    return link


def test_the_server_is_found_in_the_clone_that_the_plugin_lies_in(
    neovim: Start, script: Script, tmp_path: Path
) -> None:
    plugin = clone(tmp_path / "clone")
    program(tmp_path / "clone" / ".venv" / "bin" / "suture", script.command)
    neovim("|\n", plugin=plugin, environment={"PATH": "/usr/bin:/bin"})
    assert script.seen("initialize")[0]["arguments"] == ["serve"]


def test_a_missing_server_is_said_once(neovim: Start, tmp_path: Path) -> None:
    editor = neovim("|\n", wait=False, plugin=clone(tmp_path / "clone"), environment={"PATH": str(tmp_path)})
    editor.wait(lambda: "no server found" in editor.messages(), "the message")
    editor.api.command(f"edit {tmp_path}/other.py")
    editor.type("x = 1")
    assert editor.messages().count("no server found") == 1
    editor.type("<Esc>")
    editor.api.command("checkhealth suture")
    assert "ERROR no server found" in "\n".join(editor.api.current.buffer[:])


def test_quitting_ends_the_server(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    process = Path(f"/proc/{script.seen('initialize')[0]['process']}")
    assert process.exists()
    editor.close()
    deadline = time.monotonic() + 10
    while process.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.exists()


# Each of these needs some text to be a valid file, so there is a suggestion with any model, however sure.
@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    y = |\n    return y\n",
        "def add(a, b):\n    return (a + |)\n",
        "for i in range(10):\n    |\n\nprint(i)\n",
    ],
)
def test_the_real_server_suggests_what_fits(neovim: Start, real_server: list[str], text: str) -> None:
    editor = neovim(text, cmd=real_server, environment={"SUTURE_CERTAINTY": "0"})
    editor.wait(editor.ghost, "a suggestion of the embedded model", timeout_s=60)
    editor.lua("require('suture').accept()")
    editor.wait(lambda: editor.text() != text.rstrip("\n"), "the accepted text")
    ast.parse(editor.text().replace("|", "") + "\n")


def test_the_real_server_completes_a_header_with_a_closed_bracket(neovim: Start, real_server: list[str]) -> None:
    editor = neovim(
        "def add(a, b):\n    return a + b\n\n\ndef sub(|)\n", cmd=real_server, environment={"SUTURE_CERTAINTY": "0.01"}
    )
    ghost = editor.wait(editor.ghost, "a suggestion of the embedded model", timeout_s=60)
    assert "):" in ghost
    editor.lua("require('suture').accept()")
    # With a line of its block or without one: the model's text decides.
    editor.wait(lambda: "):" in editor.text().partition("def sub(")[2], "the accepted text")
    ast.parse(editor.text().replace("|", "") + "\n    pass\n")


def test_the_real_server_suggests_what_fits_in_go(neovim: Start, real_server: list[str]) -> None:
    text = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tx := |\n\tfmt.Println(x)\n}\n'
    editor = neovim(text, name="main.go", cmd=real_server, environment={"SUTURE_CERTAINTY": "0"})
    assert editor.lua("return vim.bo.filetype") == "go"
    editor.wait(editor.ghost, "a suggestion of the embedded model", timeout_s=60)
    editor.lua("require('suture').accept()")
    editor.wait(lambda: editor.text() != text.rstrip("\n"), "the accepted text")
    left, _, right = (editor.text() + "\n").partition("|")
    hole = parser.language("go").hole(left, right, level="names")
    assert hole.viable and hole.state is not None and hole.state.complete


def test_scripts_are_completed_and_checked(neovim: Start, real_server: list[str]) -> None:
    delve = ROOT / "examples" / "delve"
    script, api = (delve / "scripts" / "fireball.slua").read_text(), (delve / "delve.slua-api").read_text()
    left, _, right = script.partition("g_str.FromNumber")
    editor = neovim(
        f"{left}g_str.FromNumb|{right}", name="new.slua", beside={"delve.slua-api": api}, cmd=real_server,
        environment={"SUTURE_CERTAINTY": "0"},
    )  # fmt: skip
    assert editor.lua("return {vim.bo.filetype, vim.bo.commentstring}") == ["slua", "-- %s"]
    editor.wait(lambda: editor.lua("return #vim.diagnostic.get(0)") == 1, "the diagnostic", timeout_s=60)
    editor.wait(lambda: editor.ghost() == "er", "the end of the name", timeout_s=60)
    editor.lua("require('suture').accept()")
    editor.wait(lambda: editor.text().replace("|", "") == script.rstrip("\n"), "the accepted text")
    editor.wait(lambda: editor.lua("return #vim.diagnostic.get(0)") == 0, "the diagnostic to be taken back")
    assert editor.lua("return vim.fn.synIDattr(vim.fn.synID(vim.fn.search('^do'), 1, 1), 'name')") == "sluaStatement"

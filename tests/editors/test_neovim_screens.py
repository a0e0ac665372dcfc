"""The screen in unusual situations, as pictures of it."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scripted import Script

if TYPE_CHECKING:
    from neovim_driver import Neovim

Start = Callable[..., "Neovim"]
OURS = pytest.mark.parametrize("neovim", ["nvim-0.10", "nvim-0.12"], indirect=True)

BLOCK = {"before": r"\s*if x:", "items": ["\n    y = 1\n    z = 2"]}
LIST = {"before": r"f\(", "items": ["[\n    1,\n]"]}


@OURS
def test_nothing_flickers_while_typing_along(neovim: Start, script: Script) -> None:
    script.rules({"before": "(p(r(i(n(t)?)?)?)?)?", "items": ["print(1)"]})
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("print(1)")
    editor.frames(0)
    editor.type("print(")
    assert editor.frames(0) in (["print(1)"], [])
    editor.type("<BS><BS>w")
    editor.wait_for_ghost(None)
    assert "prinw(1)" not in editor.frames(0)  # text nobody suggested


@OURS
def test_a_bracket_that_a_plugin_closes_is_a_part_of_it(neovim: Start, script: Script) -> None:
    script.rules(
        {"before": "x = ", "items": ["f(a, b)"]},
        {"before": "x = f\\(", "after": "\\)", "items": ["a, b"], "delay_ms": 300},
    )
    editor = neovim("x = |\n", cmd=script.command)
    editor.api.command("inoremap ( ()<Left>")
    editor.wait_for_ghost("f(a, b)")
    editor.frames(0)
    editor.type("f(")
    assert editor.ghost() == "a, b"
    assert set(editor.frames(0)) <= {"x = f(a, b)"}
    editor.lua("require('suture').accept()")
    editor.wait_for_text("x = f(a, b)|")


@OURS
def test_brackets_that_match_are_highlighted_and_what_is_between_them_is_not(neovim: Start, script: Script) -> None:
    script.rules({"before": r"f\(", "after": r"\)", "items": ["a, b"]})
    editor = neovim("f(|)\n", cmd=script.command)
    editor.type("<Left><Right>")  # the brackets are looked for when the cursor moves

    def look(column: int) -> dict[str, object]:
        return editor.lua("return vim.api.nvim__inspect_cell(1, 0, ...)", column)[1]

    editor.wait_for_ghost("a, b")
    editor.wait(lambda: editor.screen() == ["f(a, b)"] and look(6) != {}, "the brackets")
    assert look(1) == look(6) != look(2) == look(5)


@OURS
def test_wide_characters(neovim: Start, script: Script) -> None:
    script.rules({"before": "x = .*", "items": ["'😀漢'"]})
    editor = neovim("x = ['漢字', |] # ä\n", cmd=script.command)
    editor.wait_for_ghost("'😀漢'")
    assert editor.screen() == ["x = ['漢字', '😀漢'] # ä"]


@OURS
def test_tabulators_stand_at_their_stops(neovim: Start, script: Script) -> None:
    script.rules({"before": "\tx = \\(", "items": ["[\n\t1,\t2,\n\t]"]})
    editor = neovim("def f():\n\tx = (|)\n\ty = 2\n", cmd=script.command)
    editor.api.command("set tabstop=4")
    editor.wait_for_ghost("[\n    1,  2,\n    ]")
    assert editor.screen() == ["def f():", "    x = ([", "    1,  2,", "    ])", "    y = 2"]
    editor.lua("require('suture').accept()")
    editor.wait_for_text("def f():\n\tx = ([\n\t1,\t2,\n\t]|)\n\ty = 2")


@OURS
def test_a_line_that_is_wrapped_keeps_its_rest(neovim: Start, script: Script) -> None:
    script.rules(LIST)
    names = ", ".join(f"a{n}" for n in range(25))
    editor = neovim(f"f(|, {names})\nw = 3\n", cmd=script.command)
    editor.wait_for_ghost("[\n    1,\n]")
    joined = "".join(editor.screen())
    assert joined.count("a7") == joined.count("a24") == 1
    editor.lua("require('suture').accept()")
    editor.wait_for_text(f"f([\n    1,\n]|, {names})\nw = 3")


@OURS
def test_a_line_that_is_not_wrapped(neovim: Start, script: Script) -> None:
    script.rules({"before": "x+", "items": [" = 1"]})
    editor = neovim("|\n", cmd=script.command)
    editor.api.command("set nowrap sidescroll=1")
    editor.type("x" * 65)
    editor.wait_for_ghost(" = 1")
    assert len(editor.screen()) == 1


@OURS
def test_the_end_of_the_window_is_said(neovim: Start, script: Script) -> None:
    script.rules(BLOCK)
    editor = neovim("\n" * 20 + "if x:|\n", cmd=script.command)
    editor.wait_for_ghost("if x:"[5:] + " (+2)\n    y = 1\n    z = 2")
    assert editor.screen()[-1] == "if x: (+2)"
    editor.lua("require('suture').accept()")
    editor.wait_for_text("\n" * 20 + "if x:\n    y = 1\n    z = 2|")


@OURS
def test_folded_lines_below_stay_folded(neovim: Start, script: Script) -> None:
    script.rules(BLOCK)
    editor = neovim("if x:|\n    a\n    b\n    c\nw = 3\n", cmd=script.command)
    editor.api.command("2,4fold")
    editor.wait_for_ghost("\n    y = 1\n    z = 2")
    screen = editor.screen()
    assert screen[:3] == ["if x:", "    y = 1", "    z = 2"]
    assert screen[3].startswith("+--  3 lines: a")
    assert screen[4] == "w = 3"


@OURS
def test_a_folded_line_is_unfolded_where_it_is_written_on(neovim: Start, script: Script) -> None:
    script.rules(BLOCK)
    editor = neovim("if x:|\n    a\nw = 3\n", cmd=script.command)
    editor.type("<Esc>")
    editor.api.command("1,2fold")
    editor.type("A")
    editor.wait_for_ghost("\n    y = 1\n    z = 2")
    assert editor.screen() == ["if x:", "    y = 1", "    z = 2", "    a", "w = 3"]


@OURS
def test_nothing_is_shown_past_the_end_of_a_line(neovim: Start, script: Script) -> None:
    script.rules({"before": " *", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("yes")
    editor.api.command("set virtualedit=all")
    editor.type("<Right>")
    assert editor.ghost() is None
    editor.type("<Left>")
    editor.wait_for_ghost("yes")


@OURS
def test_beside_the_completion_menu(neovim: Start, script: Script) -> None:
    script.rules({"before": "al", "items": ["pha + 1"]}, {"before": "alpha", "items": ["() + 2"]})
    editor = neovim("alpha = 1\nalphabet = 2\n|\n", cmd=script.command)
    editor.type("al")
    editor.wait_for_ghost("pha + 1")
    editor.type("<C-n>")
    editor.wait_for_ghost("() + 2")
    assert editor.screen() == ["alpha = 1", "alphabet = 2", "alpha() + 2", "alpha", "alphabet"]
    assert editor.lua("return vim.fn.pumvisible()") == 1
    editor.lua("require('suture').accept()")
    editor.wait_for_text("alpha = 1\nalphabet = 2\nalpha() + 2|")
    assert editor.lua("return vim.fn.pumvisible()") == 0
    editor.type("z<Esc>u")  # the later typing is undone first
    assert editor.text().replace("|", "").endswith("alpha() + 2")
    editor.type("u")
    assert editor.text().replace("|", "").endswith("\nalpha")


def test_a_file_with_other_line_ends(neovim: Start, script: Script, tmp_path: Path) -> None:
    script.rules({"before": "if x:", "items": ["\r\n    y = 1\r\n    z = 2"]})
    editor = neovim("if x:|\nw = 3\n", cmd=script.command, newline="\r\n")
    assert editor.api.eval("&fileformat") == "dos"
    editor.wait(editor.ghost, "a suggestion")
    if editor.lua("return require('suture').backend()") == "extmark":  # Neovim's own draws ^M
        assert editor.screen() == ["if x:", "    y = 1", "    z = 2", "w = 3"]
    editor.lua("require('suture').accept_line()")
    editor.wait_for_text("if x:\n    y = 1|\nw = 3")
    part = editor.wait(lambda: script.seen("textDocument/didPartiallyAcceptCompletion"), "the part")[0]
    assert part["params"]["acceptedLength"] == len("\r\n    y = 1")
    editor.api.command("write")
    assert Path(editor.api.current.buffer.name).read_bytes() == b"if x:\r\n    y = 1\r\nw = 3\r\n"


@OURS
def test_only_the_window_that_is_written_in_shows_it(neovim: Start, script: Script) -> None:
    script.rules(BLOCK)
    editor = neovim("if x:|\nw = 3\n", cmd=script.command)
    editor.api.command("split")
    editor.wait_for_ghost("\n    y = 1\n    z = 2")
    above, below = ["if x:", "    y = 1", "    z = 2", "w = 3"], ["if x:", "w = 3"]
    screen = [line for line in editor.screen() if line != "~" and "demo.py" not in line]
    assert screen == above + below
    editor.type("<Esc><C-w>jA")
    editor.wait_for_ghost("\n    y = 1\n    z = 2")
    screen = [line for line in editor.screen() if line != "~" and "demo.py" not in line]
    assert screen == below + above


@OURS
def test_a_macro_does_the_same_each_time(neovim: Start, script: Script) -> None:
    script.rules({"before": ".*x", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command, keys={"accept": "<Tab>"})
    requests = len(script.seen("textDocument/inlineCompletion"))
    editor.type("<Esc>qqix<Tab><Esc>q")
    editor.api.command("sleep 300m")
    assert len(script.seen("textDocument/inlineCompletion")) <= requests + 1
    recorded = editor.text().replace("|", "")
    assert "yes" not in recorded
    editor.type("o<Esc>ox")
    editor.wait_for_ghost("yes")
    editor.type("<Esc>S<Esc>@q")
    assert editor.text().replace("|", "").split("\n")[-1] == recorded


@OURS
def test_repeating_by_dot_repeats_what_was_typed(neovim: Start, script: Script) -> None:
    script.rules({"before": ".*x", "items": ["yes"]})
    editor = neovim("|\n\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost("yes")
    editor.lua("require('suture').accept()")
    editor.wait_for_text("xyes|\n")
    editor.type("<Esc>j.")
    assert editor.text().replace("|", "") == "xyes\nx"


@OURS
def test_pasting_is_left_alone(neovim: Start, script: Script) -> None:
    script.rules({"before": "x+", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost("yes")
    editor.api.command("set paste")
    editor.type("x")
    assert editor.ghost() is None
    requests = len(script.seen("textDocument/inlineCompletion"))
    editor.api.command("sleep 300m")
    assert len(script.seen("textDocument/inlineCompletion")) == requests
    editor.api.command("set nopaste")
    editor.type("x")
    editor.wait_for_ghost("yes")


@OURS
def test_a_buffer_that_goes_away_while_it_is_asked_for(neovim: Start, script: Script) -> None:
    script.rules({"before": "x", "pieces": ["a", "ab"], "items": ["abc"], "delay_ms": 200})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost("a")
    editor.api.command("bwipeout!")
    editor.api.command("sleep 700m")
    assert editor.screen() == []
    assert editor.messages() == ""


@OURS
def test_a_buffer_is_turned_off_at_once(neovim: Start, script: Script) -> None:
    script.rules({"before": "x+", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.type("x")
    editor.wait_for_ghost("yes")
    editor.lua("vim.b.suture = false")
    editor.type("x")
    assert editor.ghost() is None


@OURS
def test_a_real_suggestion_in_a_file_with_other_line_ends(neovim: Start, real_server: list[str]) -> None:
    text = "def add(a, b):\n    return (a + |)\n\n\nprint(add(1, 2))\n"
    editor = neovim(text, cmd=real_server, newline="\r\n", environment={"SUTURE_CERTAINTY": "0"})
    editor.wait(editor.ghost, "a suggestion of the embedded model", timeout_s=60)
    editor.lua("require('suture').accept()")
    editor.wait(lambda: "+ |" not in editor.text(), "the accepted text")
    ast.parse(editor.text().replace("|", "") + "\n")
    editor.api.command("write")
    assert b"\r\r" not in Path(editor.api.current.buffer.name).read_bytes()

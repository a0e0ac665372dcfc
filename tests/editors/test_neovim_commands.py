"""`:Suture` and its reports about the server: status, snooze, model, doctor, stats, health."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scripted import Script
from suture.lsp_server.runtime.offer import in_words
from suture.model.loading.recommend import TYPICAL, recommend

if TYPE_CHECKING:
    from neovim_driver import Neovim

Start = Callable[..., "Neovim"]
NOT_TWICE = pytest.mark.parametrize("neovim", ["nvim-0.10", "nvim-0.12"], indirect=True)  # nothing is drawn here

CHOICES = """
    vim.ui.select = function(items, options, done)
      _G.offered = vim.tbl_map(options.format_item or tostring, items)
      _G.choose = function(index) _G.offered = nil; done(items[index]) end
    end
"""


@NOT_TWICE
def test_a_status_line_follows_the_status(neovim: Start, script: Script) -> None:
    script.rules(status={"state": "ready", "model": "tiny"})
    editor = neovim("|\n", cmd=script.command)
    editor.wait(lambda: editor.lua("return require('suture').status().state") == "ready", "the status")
    status = editor.lua("return require('suture').status()")
    assert status.pop("guarantees") == []  # an empty table
    assert status == {"state": "ready", "message": "ready", "what_to_do": "", "model": "tiny"}
    editor.api.command("set laststatus=2 statusline=%{v:lua.require'suture'.status().state}")
    editor.lua(
        "_G.changes = 0; vim.api.nvim_create_autocmd('User', {pattern = 'SutureStatus', command = 'let g:seen = 1'})"
    )
    editor.api.command("Suture snooze 5")
    editor.wait(lambda: "snoozed" in editor.screen(), "the status line")
    assert editor.api.eval("g:seen") == 1
    editor.api.command("Suture disable")
    assert "off" in editor.screen()


@NOT_TWICE
def test_an_error_is_said_once_with_what_to_do(neovim: Start, script: Script) -> None:
    script.rules(status={"state": "error", "message": "there is no model", "what_to_do": "name a folder"})
    editor = neovim("|\n", cmd=script.command)
    editor.wait(lambda: "there is no model; name a folder" in editor.messages(), "the message")
    editor.lua(
        "require('suture.status').set(...)",
        {"state": "error", "message": "there is no model", "what_to_do": "name a folder"},
    )
    message = {"type": 1, "message": "Suture: there is no model; name a folder"}
    editor.lua("vim.lsp.get_clients()[1].handlers['window/showMessage'](nil, ...)", message)
    editor.api.command("sleep 50m")
    assert editor.messages().count("there is no model") == 1
    editor.api.command("Suture status")
    assert "error: there is no model; name a folder" in editor.messages()


def test_a_snooze_and_its_end(neovim: Start, script: Script) -> None:
    script.rules({"before": "x*", "items": ["yes"]})
    editor = neovim("|\n", cmd=script.command)
    editor.wait_for_ghost("yes")
    editor.api.command("Suture snooze")
    editor.wait(lambda: "snoozed until 12:00" in editor.messages(), "the message")
    assert script.seen("workspace/executeCommand")[-1]["params"] == {"command": "suture.snooze", "arguments": [10]}
    editor.wait_for_ghost(None)
    assert editor.lua("return require('suture').status().what_to_do") == ":Suture wake"
    editor.type("x")
    editor.api.command("sleep 400m")
    assert editor.ghost() is None
    editor.api.command("Suture wake")
    editor.wait_for_ghost("yes")
    editor.api.command("Suture snooze soon")
    assert '"soon" is no number of minutes' in editor.messages()


@NOT_TWICE
def test_commands_are_completed(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    assert editor.lua("return vim.fn.getcompletion('Suture s', 'cmdline')") == [
        "snooze",
        "stats",
        "status",
        "stop_download",
    ]
    assert editor.lua("return vim.fn.getcompletion('Suture snooze ', 'cmdline')") == []
    editor.api.command("Suture sparkle")
    assert 'no command "sparkle"' in editor.messages()


@NOT_TWICE
def test_a_model_is_chosen_among_those_there_are(neovim: Start, real_server: list[str]) -> None:
    environment = {"SUTURE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    editor = neovim("|\n", cmd=real_server, environment=environment)
    editor.lua(CHOICES)
    editor.api.command("Suture model")
    offered = editor.wait(lambda: editor.lua("return offered"), "the list", timeout_s=60)
    assert offered[0].startswith("* embedded") and offered[0].endswith("on this machine")
    assert "suits this machine" in "".join(offered[:2])
    assert [each.strip() for each in offered[-2:]] == ["GGUF file...", "Server address..."]
    elsewhere = next(number for number, each in enumerate(offered, 1) if each.endswith("to be downloaded"))
    editor.lua(f"choose({elsewhere})")
    if "install it" in editor.lua("return offered"):
        return  # its requirements are not in this environment
    assert editor.lua("return offered") == ["download it", "leave it"]
    editor.lua("choose(2)")
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1
    editor.api.command("Suture model embedded")
    editor.wait(lambda: "the model is embedded" in editor.messages(), "the message", timeout_s=60)
    editor.api.command("Suture model ~/nothing")
    editor.wait(lambda: "cannot use the model" in editor.messages(), "the problem", timeout_s=60)


def cli(tmp_path: Path) -> list[str]:
    """A server's command whose other commands print their names; `models --json` has one model elsewhere."""
    file = tmp_path / "cli.py"
    model = {"name": "big", "active": False, "here": False, "bytes": 3_100_000_000, "licence": "MIT", "note": ""}
    file.write_text(
        "import sys, json\nwords = sys.argv[1:]\n"
        f"print(json.dumps([{model!r}]) if words == ['models', '--json'] else 'ran: ' + ' '.join(words))\n",
        encoding="utf-8",
    )
    return [sys.executable, "-I", str(file), "serve"]


@NOT_TWICE
def test_a_model_is_downloaded_and_then_used(neovim: Start, tmp_path: Path) -> None:
    editor = neovim("|\n", cmd=cli(tmp_path), wait=False, model="small", enabled=False)
    editor.type("<Esc>")
    editor.lua(CHOICES)
    editor.api.command("Suture model")
    offered = editor.wait(lambda: editor.lua("return offered"), "the list")
    assert offered == ["  big, 3.1 GB, MIT, to be downloaded", "  GGUF file...", "  Server address..."]
    editor.lua("choose(1)")
    editor.lua("choose(1)")
    editor.wait(lambda: "ran: models pull big" in editor.screen(), "the terminal")
    editor.wait(lambda: "the model is big" in editor.messages(), "the model in use")
    assert "setup() names the model 'small'" in editor.messages()


@NOT_TWICE
def test_a_question_of_the_server_is_answered_when_the_user_likes(neovim: Start, script: Script) -> None:
    script.rules(asks=[{"message": "Suture: Download big?", "titles": ["Download", "Later"]}])
    editor = neovim("|\n", cmd=script.command)
    told = editor.wait(lambda: script.seen("initialize"), "the start")[0]["params"]["initializationOptions"]
    assert told["modelOffer"] is True
    editor.type("still typing")
    editor.type("<Esc>")
    editor.wait(lambda: "Download big? (:Suture answer)" in editor.messages(), "the question")
    editor.lua(CHOICES)
    editor.api.command("Suture answer")
    assert editor.lua("return offered") == ["Download", "Later"]
    editor.lua("choose(1)")
    answered = editor.wait(lambda: [one for one in script.seen(None) if one["id"] == "ask"], "the answer")
    assert answered[0]["result"] == {"title": "Download"}
    editor.api.command("Suture answer")
    assert "the server has asked nothing" in editor.messages()


LONG = "there is no model in the folder that you have named, nor in any other one that was looked at"


@NOT_TWICE
@pytest.mark.parametrize("height", [0, 1])
def test_nothing_waits_for_a_key_while_one_types(neovim: Start, script: Script, height: int) -> None:
    offered = in_words(recommend(dict(TYPICAL)["two cores"]))
    asks = [{"message": f"Suture: {offered}", "titles": ["Download", "Later", "Never"]}]
    script.rules(asks=asks, says=[{"type": 1, "message": LONG + "?"}], status={"state": "error", "message": LONG + "!"})
    editor = neovim("|\n", cmd=script.command, wait=False)
    editor.api.command(f"set cmdheight={height}")
    editor.wait(lambda: editor.lua("return require('suture').status().state") == "error", "the status")
    typed = "x = [1, 2] + y"
    for letter in typed:
        editor.type(letter)
        time.sleep(0.1)
        assert editor.api.request("nvim_get_mode") == {"mode": "i", "blocking": False}
    assert editor.text() == typed + "|" and "better model" not in editor.messages()
    editor.type("<Esc>")
    editor.wait(lambda: "(:Suture answer)" in editor.messages(), "the offer")
    editor.wait(lambda: editor.messages().count("(:Suture status)") == 2, "all messages")
    assert editor.api.request("nvim_get_mode") == {"mode": "n", "blocking": False}
    editor.wait(lambda: editor.api.options["cmdheight"] == height, "the height that the user has set")
    editor.api.command("set cmdheight=8")
    editor.api.command("Suture status")
    assert editor.messages().count(LONG) == 2
    (line,) = [line for line in editor.messages().splitlines() if line.endswith("… (:Suture answer)")]
    assert line.startswith("suture: A better model suits") and len(line) < 60
    editor.lua(CHOICES)
    editor.api.command("Suture answer")
    assert editor.lua("return offered") == ["Download", "Later", "Never"]


@NOT_TWICE
@pytest.mark.parametrize("command", ["doctor", "stats"])
def test_a_terminal_shows_what_the_command_line_says(neovim: Start, tmp_path: Path, command: str) -> None:
    editor = neovim("|\n", cmd=cli(tmp_path), wait=False, enabled=False)
    editor.type("<Esc>")
    editor.api.command(f"Suture {command}")
    editor.wait(lambda: f"ran: {command}" in "".join(editor.screen()), "the terminal")


@NOT_TWICE
def test_the_doctor_reads_the_folder_of_the_file(neovim: Start, tmp_path: Path) -> None:
    editor = neovim("|\n", cmd=cli(tmp_path), wait=False, enabled=False)
    editor.type("<Esc>")
    (tmp_path / "package").mkdir()
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    editor.api.command(f"edit {tmp_path / 'package' / 'a.py'}")
    editor.api.command("Suture doctor")
    said = f"ran: doctor --folder {tmp_path}"
    editor.wait(lambda: said in "".join(editor.screen()), "the folder")


@NOT_TWICE
def test_a_command_of_ones_own_has_no_command_line(neovim: Start, script: Script) -> None:
    editor = neovim("|\n", cmd=script.command)
    editor.api.command("Suture doctor")
    assert "the setting 'cmd' has no `serve`" in editor.messages()


@NOT_TWICE
def test_checkhealth_examines_the_real_installation(neovim: Start, real_server: list[str]) -> None:
    editor = neovim("|\n", cmd=real_server)
    ready = "return vim.tbl_contains({'ready', 'idle'}, require('suture').status().state)"
    editor.wait(lambda: editor.lua(ready), "the model", timeout_s=60)
    editor.type("<Esc>")
    editor.api.command("checkhealth suture")
    report = "\n".join(editor.api.current.buffer[:])
    for line in ("OK python: 3.", "OK cache folder: ", "OK grammars: ready: ", "OK status: ready (model embedded)"):
        assert line in report
    assert "ERROR" not in report


@NOT_TWICE
def test_nothing_is_loaded_before_it_is_needed(neovim: Start, script: Script, tmp_path: Path) -> None:
    editor = neovim("|\n", cmd=script.command, filetypes=["json"], wait=False)
    loaded = (
        "return vim.tbl_filter(function(name) return vim.startswith(name, 'suture') end, vim.tbl_keys(package.loaded))"
    )
    heavy = {"suture.extmark", "suture.drawing", "suture.commands", "suture.native", "suture.health"}
    assert not heavy & set(editor.lua(loaded))
    assert script.seen("initialize") == []
    file = tmp_path / "a.json"
    file.write_text(json.dumps([1]), encoding="utf-8")
    editor.type("<Esc>")
    editor.api.command(f"edit {file}")
    editor.wait(lambda: script.seen("textDocument/didOpen"), "the file")
    assert script.seen("textDocument/didOpen")[0]["params"]["textDocument"]["languageId"] == "json"

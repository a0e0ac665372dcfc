"""The status bar of a real VS Code in each state of the server and in each kind of language, and the commands of its menu."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scripted import Script
from vscode_driver import wait_for

if TYPE_CHECKING:
    from vscode_driver import VSCode

Start = Callable[..., "VSCode"]


def opened(window: "VSCode", name: str, text: str) -> None:
    """Opens another file of the window's folder."""
    (window.folder / name).write_text(text, encoding="utf-8")
    row = f'.monaco-list-row[aria-label^="{name}"]'
    wait_for(lambda: window.browser.send("attribute", selector=row, name="aria-label"), f"{name} in the list of files")
    window.browser.send("openFile", name=name)


SILENT = [
    ("a.yaml", "a: 1\n", "off in yaml"),
    ("a.css", "a {}\n", "off in css"),
    ("a.md", "# a\n", "off in Markdown"),
    ("a.sql", "select 1;\n", "knows no sql"),
]


def test_a_silent_language_says_why(vscode: Start, script: Script) -> None:
    script.rules(status={"state": "ready", "guarantees": {}})
    window = vscode("|\n", path=script.command)
    wait_for(lambda: "ready" in window.status(), "the server")
    for name, text, reason in SILENT:
        opened(window, name, text)
        wait_for(lambda reason=reason: reason in window.status(), reason)
    window.picture("silent-sql")
    opened(window, "a.txt", "a\n")
    wait_for(lambda: window.status() == "", "no item beside plain text")
    opened(window, "b.py", "x\n")
    wait_for(lambda: "ready" in window.status(), "the item of a language that is on")


def test_a_language_that_is_on_is_not_silent(vscode: Start, script: Script) -> None:
    script.rules(status={"state": "ready", "guarantees": {"yaml": "checked"}})
    window = vscode("|\n", path=script.command)
    wait_for(lambda: "ready" in window.status(), "the server")
    opened(window, "a.yaml", "a: 1\n")
    wait_for(lambda: "Checked by tree-sitter" in window.status(), "the guarantee")


STATES: list[tuple[dict[str, Any], str]] = [
    ({"state": "loading", "message": "the model is being loaded"}, "being loaded"),
    ({"state": "ready", "model": "embedded"}, "ready"),
    ({"state": "idle", "message": "no model is in memory"}, "ready"),
    ({"state": "snoozed", "message": "snoozed until 12:00"}, "snoozed"),
    ({"state": "off", "message": "switched off"}, "switched off"),
    ({"state": "away", "message": "the server does not answer"}, "does not answer"),
    ({"state": "error", "message": "the model is gone"}, "the model is gone"),
    ({"state": "ready", "download": "downloading big: 45 %"}, "45 %"),
    ({"state": "ready", "wrote": "embedded", "more": True}, "ready"),
]


@pytest.mark.parametrize(("status", "said"), STATES, ids=lambda one: one if isinstance(one, str) else one["state"])
def test_each_state_is_shown(
    vscode: Start, script: Script, request: pytest.FixtureRequest, status: dict[str, Any], said: str
) -> None:
    script.rules(status=status)
    window = vscode("|\n", path=script.command)
    wait_for(lambda: said in window.status(), said)
    window.browser.send("hover", selector='[id="suture-completion.suture.status"] a')
    window.picture(f"state-{request.node.callspec.id}")


def cli(folder: Path, script: Script) -> list[str]:
    """A program that serves by the script, and otherwise prints its arguments."""
    program = folder / "suture"
    serve = " ".join(script.command)
    program.write_text(
        f'#!/bin/sh\n[ "$1" = serve ] && exec {serve} "$@"\necho "ran: $*" >>{folder}/ran\n', encoding="utf-8"
    )
    program.chmod(0o755)
    return [str(program)]


@pytest.mark.parametrize(
    ("title", "ran"),
    [
        ("Playground", "ran: playground"),
        ("Why Nothing Here?", "ran: complete {file} --at 2:3 --unasked"),
        ("What May Stand Here?", "ran: check --explain {file} --at 2:3"),
    ],
)
def test_the_palette_runs_the_command_line(vscode: Start, script: Script, tmp_path: Path, title: str, ran: str) -> None:
    window = vscode("x = 1\n😀 y|\n", path=cli(tmp_path, script))
    wait_for(lambda: "ready" in window.status(), "the server")
    window.press("End")
    window.command(f"Suture: {title}")
    log = tmp_path / "ran"
    wait_for(log.exists, "the command")
    assert log.read_text(encoding="utf-8").strip() == ran.format(file=window.file)


def test_a_terminal_has_the_command(vscode: Start, script: Script, tmp_path: Path) -> None:
    window = vscode("|\n", path=cli(tmp_path, script))
    wait_for(lambda: "ready" in window.status(), "the server")
    window.command("Suture: Open a Terminal with the Command suture")
    wait_for(lambda: window.browser.send("text", selector=".terminal-wrapper"), "the terminal")
    log = tmp_path / "ran"

    def runs() -> bool:
        window.type("suture doctor\n")
        return log.exists()

    wait_for(runs, "the command")
    assert sys.platform != "win32" and "ran: doctor" in log.read_text(encoding="utf-8")

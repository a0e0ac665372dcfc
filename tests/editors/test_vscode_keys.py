"""The effects of keys on alternatives, words and dismissed suggestions in a real VS Code, and the messages to the server."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from scripted import Script
from vscode_driver import wait_for

if TYPE_CHECKING:
    from vscode_driver import VSCode

Start = Callable[..., "VSCode"]

PARTLY = "textDocument/didPartiallyAcceptCompletion"
REJECTED = "textDocument/didRejectCompletion"


def wait_until_ready(window: "VSCode") -> None:
    wait_for(lambda: "ready" in window.status(), "the status bar to say that the server is ready")


def texts_at(*texts: str) -> list[dict[str, Any]]:
    """Rules for suggesting the rest of each text at any place in it, the first text first."""
    whole = texts[0]
    return [
        {"before": f"x ={whole[:count]}".replace("(", r"\("), "items": [one[count:] for one in texts]}
        for count in range(6)
    ]


@pytest.mark.parametrize("asked", [[" foo(a)", " foo(b)", " foo(c)"], [" foo(b)", " foo(c)", " foo(a)"]])
@pytest.mark.parametrize(("keys", "chosen"), [(["Alt+]"], "b"), (["Alt+]", "Alt+]"], "c"), (["Alt+["], "c")])
def test_words_are_those_of_the_alternative_that_is_shown(
    vscode: Start, script: Script, asked: list[str], keys: list[str], chosen: str
) -> None:
    script.rules({"before": "x =", "items": [" foo(a)"]})
    window = vscode("x |\n", path=script.command)
    wait_until_ready(window)
    window.type("=")
    window.wait_for_rows(["x =[ foo(a)]", ""])
    script.rules(*texts_at(*asked))
    window.press(*keys)
    window.wait_for_rows([f"x =[ foo({chosen})]", ""])
    for row in (f"x = [foo({chosen})]", f"x = foo[({chosen})]", f"x = foo([{chosen})]", f"x = foo({chosen}[)]"):
        window.press("Control+ArrowRight")
        window.wait_for_rows([row, ""])
        time.sleep(0.3)
        window.wait_for_rows([row, ""])
    window.press("Tab")
    window.wait_for_rows([f"x = foo({chosen})", ""])
    told = [
        (one["params"]["item"]["command"]["arguments"][0], one["params"]["acceptedLength"])
        for one in script.seen(PARTLY)
    ]
    assert told == [(f"offer of  foo({chosen})", length) for length in (1, 4, 5, 6)]
    (accepted,) = wait_for(lambda: script.seen("workspace/executeCommand"), "the acceptance")
    assert accepted["params"]["arguments"] == [f"offer of  foo({chosen})"]


def test_an_alternative_is_typed_along(vscode: Start, script: Script) -> None:
    script.rules(*texts_at(" foo(a)", " foo(b)"))
    window = vscode("x |\n", path=script.command)
    wait_until_ready(window)
    window.type("=")
    window.wait_for_rows(["x =[ foo(a)]", ""])
    window.press("Alt+]")
    window.wait_for_rows(["x =[ foo(b)]", ""])
    window.type(" f", delay_ms=120)
    window.wait_for_rows(["x = f[oo(b)]", ""])
    time.sleep(0.5)
    window.wait_for_rows(["x = f[oo(b)]", ""])


def test_another_alternative_is_typed_after_one_was_chosen(vscode: Start, script: Script) -> None:
    script.rules(*texts_at(" foo(a)", " foo(b)"), {"before": r"x = foo\(a", "items": ["wful)"]})
    window = vscode("x |\n", path=script.command)
    wait_until_ready(window)
    window.type("=")
    window.wait_for_rows(["x =[ foo(a)]", ""])
    window.press("Alt+]")
    window.wait_for_rows(["x =[ foo(b)]", ""])
    window.type(" foo(", delay_ms=120)
    window.wait_for_rows(["x = foo([b)]", ""])
    window.type("a", delay_ms=120)
    window.wait_for_rows(["x = foo(a[wful)]", ""])  # the chosen one is over
    window.press("Control+ArrowRight")
    window.wait_for_rows(["x = foo(awful[)]", ""])
    (told,) = [one["params"] for one in script.seen(PARTLY)]
    assert told["item"]["command"]["arguments"] == ["offer of wful)"] and told["acceptedLength"] == 4


def test_a_call_is_accepted_word_by_word(vscode: Start, script: Script) -> None:
    script.rules({"before": "x =", "items": [" area(width, height)"], "behind": 1})
    window = vscode("x |\n", path=script.command)
    wait_until_ready(window)
    window.type("=")
    window.wait_for_rows(["x =[ area(width, height)]", ""])
    for row in ("x = [area(width, height)]", "x = area[(width, height)]", "x = area([width, height)]"):
        window.press("Control+ArrowRight")
        window.wait_for_rows([row, ""])
    window.press("Tab")
    window.wait_for_rows(["x = area(width, height)", ""])
    window.wait_for_cursor(1, 23)  # before the bracket
    window.type(", y")
    window.wait_for_rows(["x = area(width, height, y)", ""])


def test_escape_is_remembered_while_the_text_is_typed_along(vscode: Start, script: Script) -> None:
    script.rules({"before": "pr?i?", "items": ["rint(x)"]}, {"before": "prix", "items": ["yes"]})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("p")
    window.wait_for_rows(["p[rint(x)]", ""])
    window.press("Escape")
    window.wait_for_rows(["p", ""])
    rejected = wait_for(lambda: script.seen(REJECTED), "the server to hear of it")
    assert [one["params"]["item"]["command"]["arguments"] for one in rejected] == [["offer of rint(x)"]]
    for typed in ("r", "i", "Backspace"):
        window.press(typed)
        time.sleep(0.8)
        assert window.ghost() is None
    window.type("ix")
    window.wait_for_rows(["prix[yes]", ""])  # something else has been typed


def test_escape_is_forgotten_when_one_asks(vscode: Start, script: Script) -> None:
    script.rules({"before": "pr?", "items": ["rint(x)"]})
    window = vscode("|\n", path=script.command)
    wait_until_ready(window)
    window.type("p")
    window.wait_for_rows(["p[rint(x)]", ""])
    window.press("Escape")
    window.wait_for_rows(["p", ""])
    window.press("Alt+\\")
    window.wait_for_rows(["p[rint(x)]", ""])


def test_a_line_that_is_accepted_is_told(vscode: Start, script: Script) -> None:
    script.rules({"before": "if x:", "items": ["\n    y = 1\n    z = 2"]}, {"before": "    y = 1", "items": ["WRONG"]})
    window = vscode("if x|\nw = 3\n", path=script.command)
    wait_until_ready(window)
    window.type(":")
    window.wait_for_rows(["if x:", "[    y = 1]", "[    z = 2]", "w = 3", ""])
    window.press("Control+End")
    told = wait_for(lambda: script.seen(PARTLY)[1:], "the server to hear of the break and the line")
    assert told[-1]["params"]["acceptedLength"] in (10, 11)
    time.sleep(0.5)
    assert window.ghost() == "    z = 2"
    window.press("Control+End")  # Tab would indent
    wait_for(lambda: script.seen("workspace/executeCommand"), "the acceptance of the rest")
    assert window.saved() == "if x:\n    y = 1\n    z = 2\nw = 3\n"

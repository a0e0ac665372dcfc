"""The playground in a real browser: ghost text, and the panel beside it."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from vscode_driver import wait_for

if TYPE_CHECKING:
    from vscode_driver import Browser

ROOT = Path(__file__).parents[2]
SAMPLES: list[dict[str, Any]] = json.loads((ROOT / "examples" / "samples.json").read_text(encoding="utf-8"))
UNASKED: list[str] = [sample["name"] for sample in SAMPLES if not sample.get("asked")]


@pytest.fixture(scope="module")
def address(real_server: list[str]) -> Iterator[str]:
    """The address of `suture playground`'s page."""
    if not (ROOT / "lsp_server" / "playground" / "page" / "main.js").exists():
        pytest.skip("the page is not built; `make playground` does it")
    command = [*real_server[:-1], "playground", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().split()[0]
        process.terminate()


@pytest.fixture
def page(browser: "Browser", address: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """The open page: called with a driver's command and its parameters."""
    browser.send("openPage", url=address, selector="#explanation .symbols li")
    yield browser.send
    shot = ROOT / "build" / "screenshots" / f"{request.node.name}.png"
    shot.parent.mkdir(parents=True, exist_ok=True)
    browser.send("screenshot", path=str(shot))


def test_the_panel_explains_the_cursor(page: Callable[..., Any]) -> None:
    (explanation,) = page("text", selector="#explanation")
    assert "The file is valid as it is." in explanation
    assert "def total(rooms):" in explanation and "NAME" in explanation and "lambda" in explanation
    page("type", text="width, ")
    wait_for(lambda: "something" not in page("text", selector="#explanation")[0].lower(), "a new explanation")


def test_broken_files_are_said_to_be(page: Callable[..., Any]) -> None:
    page("select", selector="#sample", label="broken elsewhere")
    wait_for(lambda: "broken above the cursor" in page("text", selector="#explanation")[0], "the fallback")


def test_a_suggestion_is_replayed_with_its_candidates(page: Callable[..., Any]) -> None:
    page("click", selector="#run")
    chips = wait_for(lambda: page("text", selector="#replay .chip"), "the candidates")
    assert all("%" in chip for chip in chips)
    assert page("text", selector="#replay .chip.chosen")


@pytest.mark.parametrize("sample", UNASKED)
def test_each_sample_has_a_suggestion_and_the_replay_is_of_it(page: Callable[..., Any], sample: str) -> None:
    page("select", selector="#sample", label=sample)
    decoration = '#editor [class*="ghost-text-decoration"]'
    wait_for(lambda: "".join(page("text", selector=decoration)).strip(), "a suggestion")
    page("click", selector="#run")
    (replayed,) = wait_for(lambda: page("text", selector="#replay .suggestion"), "the steps")
    ghost = "".join(page("text", selector=decoration))
    assert replayed.replace("·", " ") == ghost.replace("\u00a0", " ")


def test_ghost_text_comes_and_is_accepted(page: Callable[..., Any]) -> None:
    decoration = '#editor [class*="ghost-text-decoration"]'
    page("select", selector="#sample", label="parameters of the base class")
    wait_for(lambda: "".join(page("text", selector=decoration)).strip(), "a suggestion")
    page("press", key="Tab")
    wait_for(lambda: "".join(page("text", selector=decoration)).strip() == "", "it to be accepted")

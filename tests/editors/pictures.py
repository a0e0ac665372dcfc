"""Makes the pictures of the documents anew, from a real VS Code and the playground in a real browser.

    python tests/editors/pictures.py [vscode] [playground]

Each picture names its contents. If the embedded model suggests something else, there is no new picture, and the exit status is 1.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scripted import EDITORS
from vscode_driver import Browser, CodeServer, VSCode, wait_for

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GHOST = '#editor [class*="ghost-text-decoration"]'

SHAPES = """\
class Shape:
    def __init__(self, name, color):
        self.name = name
        self.color = color

    def describe(self):
        return f"a {self.color} {self.name}"


class Circle(Shape):
    def __init__(self, name, color, radius):
        super().__init__|
        self.radius = radius
"""


def vscode(browser: Browser) -> None:
    """The arguments of a call, between brackets closed by the editor."""
    with tempfile.TemporaryDirectory(prefix="suture-") as scratch:
        folder = Path(scratch) / "shapes"
        folder.mkdir()
        (folder / ".vscode").mkdir()
        chosen = {
            "suture.interpreter": [sys.executable],
            "editor.autoClosingBrackets": "always",
            "files.exclude": {"**/.vscode": True},
        }
        (folder / ".vscode" / "settings.json").write_text(json.dumps(chosen), encoding="utf-8")
        left, right = SHAPES.split("|")
        (folder / "shapes.py").write_text(left + right, encoding="utf-8")
        server = CodeServer(EDITORS / "vscode", Path(scratch) / "home", ROOT / "editors" / "vscode" / "suture.vsix")
        try:
            window = VSCode(server, browser, folder, folder / "shapes.py")
            window.go_to(left)
            wait_for(lambda: "ready" in window.status(), "the server")
            window.type("(")
            ghost = wait_for(window.ghost, "a suggestion")
            if ghost != "name, color":
                raise AssertionError(f"the suggestion is {ghost!r}")
            window.screenshot(DOCS / "vscode.png")
        finally:
            server.close()


def playground(browser: Browser) -> None:
    """The first sample, with the steps of its suggestion."""
    sample: dict[str, Any] = json.loads((ROOT / "examples" / "samples.json").read_text(encoding="utf-8"))[0]
    with _served() as address:
        browser.send("openPage", url=address, selector="#explanation .symbols li")
        browser.send("select", selector="#sample", label=sample["name"])

        def ghost() -> str:
            return "".join(browser.send("text", selector=GHOST)).replace("\u00a0", " ")

        wait_for(lambda: ghost().strip(), "a suggestion")
        if ghost() != sample["wanted"]:
            raise AssertionError(f"the suggestion is {ghost()!r}")
        browser.send("click", selector="#run")
        wait_for(lambda: browser.send("text", selector="#replay .chip.chosen"), "the steps")
        browser.send("screenshot", path=str(DOCS / "playground.png"))


@contextlib.contextmanager
def _served() -> Iterator[str]:
    """The address of `suture playground`'s page."""
    command = [sys.executable, "-I", "-m", "suture.lsp_server", "playground", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().split()[0]
        finally:
            process.terminate()


PICTURES: dict[str, Callable[[Browser], None]] = {"vscode": vscode, "playground": playground}


def main() -> int:
    """Make the named pictures, or all of them."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or not (EDITORS / "vscode" / "ready").exists():
        print("chromium or code-server is missing: tests/editors/install.sh sets them up", file=sys.stderr)
        return 1
    failed = 0
    for name in sys.argv[1:] or PICTURES:
        browser = Browser(EDITORS / "vscode", chromium)
        try:
            PICTURES[name](browser)
            print(f"docs/{name}.png is new")
        except AssertionError as problem:
            failed += 1
            print(f"docs/{name}.png stays: {problem}", file=sys.stderr)
        finally:
            browser.close()
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())

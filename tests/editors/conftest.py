"""Tests in real editors: only with SUTURE_TEST_EDITORS=1; the editors come from install.sh in this folder."""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from neovim_driver import Neovim
    from vscode_driver import Browser, CodeServer, VSCode

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))  # for the modules beside this file

from scripted import EDITORS, Script  # noqa: E402 - the line above makes it importable

if os.environ.get("SUTURE_TEST_EDITORS") != "1":
    collect_ignore_glob = ["*.py"]

MINUTES = float(os.environ.get("SUTURE_TEST_EDITORS_MINUTES") or "inf")
STARTED_S = time.monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out tests not begun when the time is over; a failed test is never let off that way."""
    if time.monotonic() - STARTED_S > 60 * MINUTES and getattr(item, "execution_count", 1) == 1:
        pytest.skip(f"the {MINUTES:g} minutes are over")


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


@pytest.fixture(scope="session")
def real_server() -> list[str]:
    """The command of the real server with the embedded model."""
    if not (ROOT / "model" / "embedded" / "model.safetensors").exists():
        pytest.skip("there is no embedded model")
    return [sys.executable, "-I", "-m", "suture.lsp_server", "serve"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


@pytest.fixture(params=["nvim-0.10", "nvim-0.12", "nvim-0.12-native"])
def neovim(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., "Neovim"]]:
    """Starts a Neovim of each version; in the last one Neovim itself draws."""
    pytest.importorskip("pynvim", reason="pynvim is not installed")
    from neovim_driver import PLUGIN, Neovim

    executable = EDITORS / request.param.removesuffix("-native") / "bin" / "nvim"
    if not executable.exists():
        pytest.skip(f"{executable} is missing; tests/editors/install.sh neovim sets it up")
    started: list[Neovim] = []

    def start(
        text: str,
        environment: dict[str, str] | None = None,
        wait: bool = True,
        newline: str = "\n",
        plugin: Path = PLUGIN,
        name: str = "demo.py",
        beside: dict[str, str] | None = None,
        **settings: Any,
    ) -> Neovim:
        """Opens a file with a text, the cursor in insert mode at its |; beside: texts of other files in its folder."""
        home = tmp_path / f"home{len(started)}"
        home.mkdir()
        editor = Neovim(str(executable), home, environment or {}, plugin)
        started.append(editor)
        if request.param.endswith("native"):
            settings["backend"] = "native"
        editor.lua("require('suture').setup(...)", settings)
        left, _, right = text.partition("|")
        for other, content in (beside or {}).items():
            (home / other).write_text(content, encoding="utf-8")
        file = home / name
        file.write_text(left + right, encoding="utf-8", newline=newline)
        editor.open(file, left, wait)
        return editor

    yield start
    for editor in started:
        if request.node.stash.get(FAILED, False) and not editor.closed:
            print("\n".join(["the screen at the end:", *editor.screen(), editor.messages()]))
        editor.close()


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Chromium, for all windows of VS Code."""
    from vscode_driver import Browser

    if not (EDITORS / "vscode" / "ready").exists():
        pytest.skip(f"{EDITORS / 'vscode'} is not set up; tests/editors/install.sh vscode does it")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed")
    browser = Browser(EDITORS / "vscode", chromium)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def vsix() -> Path:
    """The packaged extension, as new as its sources."""
    extension = ROOT / "editors" / "vscode"
    vsix = extension / "suture.vsix"
    if not vsix.exists():
        pytest.skip(f"{vsix} is missing; `npm ci && npm run package` in {extension} makes it")
    sources = [*(extension / "src").iterdir(), extension / "package.json", extension / "build.mjs"]
    sources += [ROOT / "constraints.txt", ROOT / "hashes.txt", ROOT / "scripts" / "setup_environment.py"]
    if any(source.stat().st_mtime > vsix.stat().st_mtime for source in sources):
        pytest.fail(f"{vsix} is older than its sources; `npm run package` makes it anew")
    return vsix


@pytest.fixture(scope="session")
def code_server(browser: "Browser", vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator["CodeServer"]:
    """VS Code with the extension, for all windows."""
    from vscode_driver import CodeServer

    server = CodeServer(EDITORS / "vscode", tmp_path_factory.mktemp("code-server"), vsix)
    yield server
    server.close()


@pytest.fixture
def vscode_on(request: pytest.FixtureRequest, browser: "Browser", tmp_path: Path) -> Iterator[Callable[..., "VSCode"]]:
    """Opens a window of a code-server on a folder of its own."""
    from vscode_driver import VSCode

    started: list[VSCode] = []

    def start(server: "CodeServer", text: str, **settings: Any) -> VSCode:
        """Opens a Python file with a text, the cursor at its |."""
        folder = tmp_path / "folder"
        (folder / ".vscode").mkdir(parents=True)
        named = {f"suture.{name}": value for name, value in settings.items()}
        (folder / ".vscode" / "settings.json").write_text(json.dumps(named), encoding="utf-8")
        left, _, right = text.partition("|")
        file = folder / "demo.py"
        file.write_text(left + right, encoding="utf-8")
        window = VSCode(server, browser, folder, file)
        started.append(window)
        window.go_to(left)
        return window

    yield start
    for window in started:
        if request.node.stash.get(FAILED, False):
            shot = ROOT / "build" / "screenshots" / f"{request.node.name}.png"
            shot.parent.mkdir(parents=True, exist_ok=True)
            window.screenshot(shot)
            print(f"the window at the end: {shot}")
            print("\n".join([*window.rows(), "the newest logs:", *window.server.newest_logs()]))


@pytest.fixture
def vscode(code_server: "CodeServer", vscode_on: Callable[..., "VSCode"]) -> Callable[..., "VSCode"]:
    """Opens a window of VS Code on a folder of its own."""
    return partial(vscode_on, code_server)

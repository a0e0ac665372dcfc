"""Drives a real VS Code (code-server) in a real browser: types keys, waits, and reads the editor as it is drawn."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TIMEOUT_S = 60.0

USER_SETTINGS = {
    "files.hotExit": "off",
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "chat.commandCenter.enabled": False,
    "chat.disableAIFeatures": True,
    "extensions.ignoreRecommendations": True,
    "editor.minimap.enabled": False,
    "editor.wordBasedSuggestions": "off",
    "editor.accessibilitySupport": "off",
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "security.workspace.trust.startupPrompt": "never",
}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_for(wanted: Callable[[], Any], what: str, timeout_s: float = TIMEOUT_S) -> Any:
    deadline = time.monotonic() + timeout_s
    while not (result := wanted()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.05)
    return result


class CodeServer:
    """One code-server with the packaged extension installed."""

    def __init__(self, editors: Path, folder: Path, vsix: Path, *, trust: bool = True) -> None:
        self.folder = folder
        settings = folder / "user" / "User" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps(USER_SETTINGS), encoding="utf-8")
        command = [str(editors / "code-server"), "--user-data-dir", str(folder / "user")]
        command += ["--extensions-dir", str(folder / "extensions"), "--config", str(folder / "config.yaml")]
        environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "xdg")}
        # VS Code takes the PATH of a login shell.
        for name in (".profile", ".bash_profile"):
            (folder / name).write_text('PATH="$HOME/.local/bin:$PATH"\n', encoding="utf-8")
        install = [*command, "--install-extension", str(vsix)]
        subprocess.run(install, env=environment, check=True, capture_output=True, timeout=120)
        self.port = free_port()
        command += ["--auth", "none", "--bind-addr", f"127.0.0.1:{self.port}", "--disable-telemetry"]
        command += ["--disable-update-check", *(["--disable-workspace-trust"] if trust else [])]
        self.log = (folder / "code-server.log").open("wb")
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log)
        wait_for(self._answers, "code-server")

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2) as response:
                return response.status == 200
        except OSError:
            return False

    def newest_logs(self) -> list[str]:
        """The last lines of the extension's logs, from the latest window."""
        logs = sorted(
            self.folder.glob("user/logs/*/*/suture-completion.suture/*.log"), key=lambda log: log.stat().st_mtime
        )
        return [line for log in logs[-2:] for line in log.read_text(encoding="utf-8").splitlines()[-20:]]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()


class Browser:
    """The browser around VS Code, driven by the script beside this file."""

    def __init__(self, editors: Path, chromium: str) -> None:
        node = next(editors.glob("node_modules/node-linux-*/bin/node"))
        self.process = subprocess.Popen(
            [str(node), str(HERE / "vscode_driver.mjs"), str(editors), chromium],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def send(self, command: str, **parameters: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"command": command, **parameters}) + "\n")
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the browser's driver ended"}
        if "error" in answer:
            raise AssertionError(f"{command}: {answer['error']}")
        return answer["result"]

    def close(self) -> None:
        try:
            self.send("close")
        finally:
            assert self.process.stdin and self.process.stdout
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait(timeout=30)


class VSCode:
    """A window on one folder with one file open in it."""

    def __init__(self, server: CodeServer, browser: Browser, folder: Path, file: Path) -> None:
        self.server = server
        self.browser = browser
        self.folder = folder
        self.file = file
        browser.send("open", url=f"http://127.0.0.1:{server.port}/?folder={folder}")
        browser.send("openFile", name=file.name)

    def go_to(self, left: str) -> None:
        """Moves the cursor to the end of the text `left`."""
        lines = left.split("\n")
        self.press("Control+Home", *["ArrowDown"] * (len(lines) - 1))
        self.press("Home", "Home", *["ArrowRight"] * len(lines[-1]))

    def type(self, text: str, delay_ms: int = 30) -> None:
        self.browser.send("type", text=text, delay_ms=delay_ms)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.send("press", key=key)

    def command(self, title: str) -> None:
        self.browser.send("command", title=title)

    def picture(self, name: str) -> None:
        """Keeps a picture of the window, if SUTURE_TEST_PICTURES names a folder for pictures."""
        folder = os.environ.get("SUTURE_TEST_PICTURES")
        if folder:
            time.sleep(1)  # until everything moving into the window stands still
            self.browser.send("screenshot", path=str(Path(folder) / f"{name}.png"))

    def focus_editor(self) -> None:
        """Puts the keyboard back into the editor, the cursor in its place."""
        self.press("Control+1")

    def rows(self) -> list[str]:
        """The editor's lines as they are drawn, ghost text in [ ]."""
        rows = []
        for parts in self.browser.send("editor") or []:
            text, ghost = "", False
            for part in parts:
                if part["ghost"] != ghost:
                    text += "[" if part["ghost"] else "]"
                    ghost = part["ghost"]
                text += part["text"]
            rows.append(text + ("]" if ghost else ""))
        return rows

    def ghost(self) -> str | None:
        """The ghost text; None when there is none."""
        shown = [
            "".join(part["text"] for part in parts if part["ghost"])
            for parts in self.browser.send("editor") or []
            if any(part["ghost"] for part in parts)
        ]
        return "\n".join(shown) or None

    def wait_for_rows(self, expected: list[str]) -> None:
        """Waits until the editor shows these lines, ghost text in [ ]."""
        try:
            wait_for(lambda: self.rows() == expected, "the lines", 30)
        except AssertionError:
            assert self.rows() == expected  # shows the difference
            raise

    def wait_for_cursor(self, line: int, column: int) -> None:
        """Waits until the status bar shows the cursor there, counted from 1."""
        said = f"Ln {line}, Col {column}"
        wait_for(lambda: said in self.browser.send("text", selector='[id="status.editor.selection"]'), said)

    def status(self) -> str:
        """The text of the status bar item; empty when it is not shown."""
        labels = self.browser.send("attribute", selector='[id="suture-completion.suture.status"] a', name="aria-label")
        return labels[0] if labels else ""

    def saved(self) -> str:
        """The file's text after saving it."""
        before = self.file.stat().st_mtime_ns
        self.press("Control+s")
        try:
            # It is emptied first, and written then.
            wait_for(lambda: (now := self.file.stat()).st_mtime_ns != before and now.st_size, "the file to be saved", 5)
        except AssertionError:
            pass  # it had no changes
        return self.file.read_text(encoding="utf-8")

    def screenshot(self, path: Path) -> None:
        self.browser.send("screenshot", path=str(path))

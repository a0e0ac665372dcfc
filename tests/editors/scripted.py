"""The test's side of the scripted server, and the folder of the editors."""

import json
import os
import sys
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parent / "scripted_server.py"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
EDITORS = Path(os.environ.get("SUTURE_TEST_EDITORS_DIR") or CACHE / "suture-test-editors")


class Script:
    """The scripted server's suggestions, and the messages sent to it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "script.json"
        self.log_path = folder / "server.log"
        self.rules()

    def rules(
        self,
        *rules: dict[str, Any],
        status: dict[str, Any] | None = None,
        asks: list[dict[str, Any]] | None = None,
        says: list[dict[str, Any]] | None = None,
    ) -> None:
        """Set the suggestions, the status, and the question and the message at the start."""
        said = {"rules": rules, "status": status, "asks": asks, "says": says}
        self.path.write_text(json.dumps(said), encoding="utf-8")

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-I", str(SERVER), str(self.path), str(self.log_path)]

    def seen(self, method: str | None) -> list[dict[str, Any]]:
        """The editor's messages of one method."""
        if not self.log_path.exists():
            return []
        entries = [json.loads(line) for line in self.log_path.read_text(encoding="utf-8").splitlines()]
        return [entry for entry in entries if entry["method"] == method]

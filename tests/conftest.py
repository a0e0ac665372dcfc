"""What all tests share."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from suture.model.loading import installed

# No test is about time; a busy machine takes seconds for what takes milliseconds.
settings.register_profile("suture", deadline=None)
settings.load_profile("suture")


WITHOUT_TORCH = not installed.has("torch")
NEEDS_TORCH = re.compile(r"^(?:import|from) (?:torch|transformers)\b", re.MULTILINE)


def pytest_configure() -> None:
    if WITHOUT_TORCH and os.environ.get("SUTURE_TESTS_NEED_TORCH"):
        pytest.exit(f"SUTURE_TESTS_NEED_TORCH is set, and PyTorch is not there: {installed.missing('torch')}", 1)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files that import PyTorch where there is none; single tests skip themselves."""
    if WITHOUT_TORCH and collection_path.suffix == ".py" and collection_path.name.startswith("test_"):
        return bool(NEEDS_TORCH.search(collection_path.read_text(encoding="utf-8"))) or None
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if WITHOUT_TORCH:
        words = (
            f"PyTorch is NOT installed: the tests that need it were skipped. {installed.missing('torch').capitalize()}"
        )
        terminalreporter.write_line(f"WARNING: {words}", red=True, bold=True)


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what servers count in tests out of the user's own statistics, and the user's own settings out of the tests.

    Servers show whatever the model says: how certain it must be is a matter for `test_certainty.py`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUTURE_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("SUTURE_CERTAINTY", "0")
        yield

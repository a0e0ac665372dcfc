"""The hooks and fixtures of all tests."""

import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import settings
from suture.lsp_server.types import monitor
from suture.model.loading import installed

from .support import oracle_typescript, programs

# No test is about time; a busy machine takes seconds instead of milliseconds.
settings.register_profile("suture", deadline=None)
settings.load_profile("suture")


WITHOUT_TORCH = not installed.has("torch")
NO_TORCH = re.compile(
    r"No module named '(?:torch|transformers)\b|import of (?:torch|transformers) halted|needs PyTorch: "
)


def pytest_configure() -> None:
    if WITHOUT_TORCH and os.environ.get("SUTURE_TESTS_NEED_TORCH"):
        pytest.exit(f"SUTURE_TESTS_NEED_TORCH is set, and PyTorch is not there: {installed.missing('torch')}", 1)
    if os.environ.get("SUTURE_TESTS_NEED_TYPESCRIPT") and oracle_typescript.missing() is not None:
        pytest.exit(f"SUTURE_TESTS_NEED_TYPESCRIPT is set, and: {oracle_typescript.missing()}", 1)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip files importing PyTorch, directly or not, if there is none."""
    report = yield
    if WITHOUT_TORCH and report.failed and NO_TORCH.search(str(report.longrepr)):
        report.outcome, report.longrepr = "skipped", (report.nodeid, 0, "Skipped: it needs PyTorch")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    with skipping_without_torch():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    with skipping_without_torch():
        return (yield)


@contextmanager
def skipping_without_torch() -> Generator[None, None, None]:
    """Skip a test that fails for want of PyTorch."""
    try:
        yield
    except Exception as error:
        if WITHOUT_TORCH and NO_TORCH.search(str(error)):
            pytest.skip("it needs PyTorch")
        raise


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if WITHOUT_TORCH:
        words = f"PyTorch is NOT installed: the tests that need it were skipped; {installed.missing('torch')}"
        terminalreporter.write_line(f"WARNING: {words}", red=True, bold=True)
    if oracle_typescript.missing() is not None:
        words = f"TypeScript cannot be asked, and the tests that ask it were skipped: {oracle_typescript.missing()}."
        terminalreporter.write_line(f"WARNING: {words}", red=True, bold=True)

    for name in sorted(programs.BROKEN):
        words = f"{programs.why_not(name)}: the tests that ask it were skipped"
        terminalreporter.write_line(f"WARNING: {words}", red=True, bold=True)


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the counts of test servers out of the user's own statistics, and the user's own settings out of the tests.

    Servers show any text of the model: its certainty is a matter for `test_certainty.py`. Their readers of messages wait for them however
    busy the machine is: other behaviour is a matter for `test_isolation.py` and `test_lifetimes.py`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUTURE_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("SUTURE_TYPES", "false")  # see `without_type_checkers`
        patch.setenv("SUTURE_CERTAINTY", "0")
        patch.setenv("SUTURE_WATCHDOG_S", "0")
        yield


@pytest.fixture(autouse=True)
def without_type_checkers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on an installed type checker, unless it names one; see test_types.py."""
    monkeypatch.setattr(monitor, "program_of", lambda server, root, chosen="": chosen or None)

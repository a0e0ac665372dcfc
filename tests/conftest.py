"""What all tests share."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

# No test is about time; a busy machine takes seconds for what takes milliseconds.
settings.register_profile("suture", deadline=None)
settings.load_profile("suture")


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

"""What all tests share."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what servers count in tests out of the user's own statistics."""
    before = os.environ.get("SUTURE_STATE_DIR")
    os.environ["SUTURE_STATE_DIR"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["SUTURE_STATE_DIR"]
    else:
        os.environ["SUTURE_STATE_DIR"] = before

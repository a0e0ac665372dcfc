"""The folder of the user's state, as opposed to settings."""

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder, whether it exists or not; `SUTURE_STATE_DIR` names another."""
    folder = os.environ.get("SUTURE_STATE_DIR")
    if folder:
        return Path(folder)
    import platformdirs

    return Path(platformdirs.user_state_dir("suture", appauthor=False))

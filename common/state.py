"""The folder of the user's remembered state that is no setting."""

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder, whether it is there or not; `SUTURE_STATE_DIR` names another."""
    folder = os.environ.get("SUTURE_STATE_DIR")
    if folder:
        return Path(folder)
    import platformdirs

    return Path(platformdirs.user_state_dir("suture", appauthor=False))

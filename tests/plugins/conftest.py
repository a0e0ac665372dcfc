"""The plugin's package, which is no part of the project's own distribution."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plugins" / "vllm"))

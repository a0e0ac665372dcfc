"""A crashing grammar of tree-sitter: the process behind the reader of messages is replaced, and other documents are served."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from suture.parser.checked import grammars

from ..support.raw_client import SERVER, running

CRASH = (Path(__file__).parents[1] / "data" / "hostile.rb").read_text(encoding="utf-8")
"""Found by `tests.fuzz.checked`: more open quotes than the grammar of Ruby can keep in its 1,024 bytes."""
READ = """
import sys
from suture.parser import language
language("ruby").session().hole(sys.stdin.read(), 0)
"""
BAD, GOOD = "file:///a.rb", "file:///b.py"


@pytest.mark.skipif(not grammars.has("ruby"), reason="needs the grammar of Ruby (the extra `languages`)")
def test_a_crash_of_a_grammar_costs_other_documents_seconds_at_most() -> None:
    if subprocess.run([sys.executable, "-c", READ], input=CRASH, text=True, check=False).returncode >= 0:
        pytest.skip("this grammar of Ruby does not crash")
    with running(SERVER) as raw:
        raw.initialize(languages={"ruby": True})
        raw.open(GOOD, "def area(width, height):\n    return width * \n")
        assert raw.items(GOOD, 1, 19)
        raw.open(BAD, CRASH, language="ruby")
        for _ in range(3):  # it is held back after the second
            assert raw.items(BAD) == []
            asked, items = time.monotonic(), []
            while not items and time.monotonic() < asked + 60:
                items = raw.items(GOOD, 1, 19)
            assert items
        assert raw.end() == 0

"""Judges of syntax that crash: the texts that crash one are found, and the others judged."""

import sys

import pytest

from ..support.oracles import Oracle

_CRASHING = r"""
import json, os, sys
sys.stdout.write("ready\n")
sys.stdout.flush()
for line in sys.stdin:
    texts = json.loads(line)
    if any("crash" in text for text in texts):
        os._exit(1)
    sys.stdout.write("".join("01"["valid" in text] for text in texts) + "\n")
    sys.stdout.flush()
"""


def test_texts_that_crash_an_interpreter_are_left_out():
    oracle = Oracle([sys.executable, "-c", _CRASHING])
    texts = ["valid", "x", "crash", "valid", "x" * 100_000 + "crash", "valid", "x"]
    assert oracle.verdicts(texts) == [True, False, None, True, None, True, False]
    assert oracle.crashes == [texts[2], texts[4]]
    assert oracle.verdicts([]) == [] and oracle.parse(["valid"]) == [True]
    with pytest.raises(AssertionError, match="crashes"):
        oracle.parse(["valid", "crash"])
    oracle.close()

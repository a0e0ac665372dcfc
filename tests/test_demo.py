"""The demo: the output of `make demo` is true, and shows the use of the constraint."""

import re
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).resolve().parents[1] / "examples" / "demo.py"


def test_the_demo_shows_each_sample_with_and_without_the_constraint():
    ran = subprocess.run([sys.executable, DEMO], capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    samples = ran.stdout.split("\n• ")[1:]
    assert len(samples) >= 6
    for sample in samples:
        constrained, unconstrained = sample.split("without the constraint:")
        fits = "the file is valid|no new error in a file that is broken elsewhere|valid once you finish what is begun: ⟦.+⟧"
        assert re.search(f"→ ({fits});", constrained)
        assert re.search(r"→ (valid, too|no new error, too|breaks the file at \d+:\d+: |parses, but )", unconstrained)
    last = re.search(r"(\d+) of (\d+) fit with the constraint, (\d+) of \d+ without it", ran.stdout)
    assert last is not None
    assert int(last[1]) == int(last[2]) == len(samples) > 2 * int(last[3]), (
        "the samples do not show what the constraint is for"
    )
    wrong = ("breaks the file", "parses, but", "does not fit")
    assert sum(ran.stdout.count(words) for words in wrong) == len(samples) - int(last[3])
    assert "places were chosen" in ran.stdout.split("\n• ")[0], "it is not said that the places are chosen"
    assert "\033[" not in ran.stdout  # colour is for terminals
    readme = (DEMO.parents[1] / "README.md").read_text(encoding="utf-8")
    (quoted,) = re.findall(r"^```\n(• .*?)^```", readme, re.MULTILINE | re.DOTALL)
    said = re.sub(r"[ \t]+$", "", re.sub(r"; \d+ ms$", "", ran.stdout, flags=re.MULTILINE), flags=re.MULTILINE)
    assert all(sample.strip() in said for sample in quoted.split("\n\n• "))
    assert f"{int(last[2]) - int(last[3])} of {last[2]}" in readme

"""Bodies shown unasked in a real VS Code, below signatures with docstrings typed letter by letter.

Only a user's own model writes several lines unasked, not the embedded one: `SUTURE_TEST_GGUF` names its file.
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from vscode_driver import wait_for

if TYPE_CHECKING:
    from vscode_driver import VSCode

MODEL = os.environ.get("SUTURE_TEST_GGUF", "")
FUNCTIONS = (
    ("circle_area(radius)", "Return the area of a circle with the given radius.", "return math.pi * radius * radius"),
    (
        "count_vowels(text)",
        "Return the number of vowels in the text.",
        "return sum(letter in 'aeiou' for letter in text)",
    ),
    (
        "read_lines(path)",
        "Return the lines of a file without their line ends.",
        "return open(path).read().splitlines()",
    ),
)


@pytest.mark.skipif(not MODEL, reason="SUTURE_TEST_GGUF names no model")
def test_bodies_come_unasked_below_docstrings(vscode: Callable[..., "VSCode"], real_server: list[str]) -> None:
    window = vscode("import math\n\n\n|", interpreter=[real_server[0]], model=MODEL)
    wait_for(lambda: "ready" in window.status(), "the model to be loaded")
    shown = list[str | None]()
    for signature, says, body in FUNCTIONS:
        window.type(f"def {signature}:", 60)
        window.press("Enter")
        window.type(f'"""{says}"""', 60)
        window.press("Enter")
        try:
            shown.append(wait_for(window.ghost, "a body", 10.0))
        except AssertionError:
            shown.append(None)
        window.press("Escape")
        window.type(body)
        window.press("Escape", "Enter", "Enter", "Enter", "Shift+Home", "Delete")
    bodies = [text for text in shown if text is not None and ("\n" in text or text.startswith("return "))]
    assert len(bodies) >= 2, shown

"""The soak's sessions are possible edits of an editor, and its judge says no if no is true."""

from itertools import islice
from random import Random

import pytest

from ..soak import judge
from ..support.editing import Buffer, made_up

CODE = "import os\n\n\ndef area(width, height):\n    # 😀\n    return {'a': width * height}\n\n\nprint(area(1, (2)))\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("seed", range(3))
def test_each_edit_is_in_the_text_and_cuts_no_line_end(newline, seed):
    buffer = Buffer(CODE.replace("\n", newline))
    steps = edits = 0
    for step in islice(made_up(buffer, Random(seed), [(CODE, CODE.replace("width", "w") + "x = 1\n")]), 600):
        steps += 1
        for edit in step.edits:
            edits += 1
            assert 0 <= edit.start <= edit.end <= len(buffer.text)
            assert "\r\n" not in (buffer.text[at - 1 : at + 1] for at in (edit.start, edit.end) if at)
            buffer.apply([edit])
        if len(step.edits) > 1:
            last = buffer.undone[-len(step.edits) :]
            buffer.undone[-len(step.edits) :] = [tuple(edit for back in reversed(last) for edit in back)]
        assert step.cursor is None or 0 <= step.cursor <= len(buffer.text)
    assert steps == 600 and edits > 300


@pytest.mark.parametrize(
    ("language", "left", "text", "right", "verdict"),
    [
        ("python", "x = ", "1", "\n", "valid"),
        ("python", "x = ", ")", "\n", "invalid"),
        ("python", "x = )\ny = ", "1", "\n", "adapted"),
        ("json", '{"a": ', "1", "}", "valid"),
        ("json", '{"a": ', "1,", "}", "invalid"),
    ],
)
def test_the_judge(language, left, text, right, verdict):
    assert judge(language, left, text, right) == verdict

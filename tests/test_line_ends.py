"""Line ends, alike for every reader of code."""

import re

from hypothesis import given
from hypothesis import strategies as st
from suture.common.line_ends import line_start, with_line_feeds

TEXT = st.text("a\n\r", max_size=12)


@given(TEXT, st.integers(0, 12))
def test_a_line_begins_behind_the_last_line_end_before_a_place(text: str, offset: int) -> None:
    part = text[:offset]
    begins = [0, *(end.end() for end in re.finditer(r"[\r\n]", part))]
    assert line_start(text, min(offset, len(text))) == line_start(part) == begins[-1]


@given(TEXT)
def test_every_line_end_becomes_a_line_feed(text: str) -> None:
    assert with_line_feeds(text) == re.sub(r"\r\n|\r", "\n", text)

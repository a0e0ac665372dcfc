"""The document store agrees with a naive oracle on every text, encoding and edit."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suture.lsp_server.session import documents
from suture.lsp_server.session.documents import (
    PIECE,
    Change,
    Document,
    Documents,
    Encoding,
    column_to_index,
    index_to_column,
    pieces_of,
    split_lines,
)

ENCODINGS = ("utf-8", "utf-16", "utf-32")
# Line ends of every kind, str.splitlines' false ones, one to four bytes of UTF-8, combining marks.
ALPHABET = "ab \t\r\n\f\v\x1c\x85\u2028éß漢\u0301😀𝒳"
texts = st.text(ALPHABET, max_size=30)
encodings = st.sampled_from(ENCODINGS)
positions = st.tuples(st.integers(0, 12), st.integers(0, 20))


def widths(text: str, encoding: str) -> list[int]:
    """The units of each character, from the definition of the encoding."""
    if encoding == "utf-8":
        return [len(character.encode()) for character in text]
    return [1 if encoding == "utf-32" or ord(character) < 0x10000 else 2 for character in text]


def oracle_offset(text: str, position: tuple[int, int], encoding: str) -> int:
    """Walk the whole text from its start, one unit at a time."""
    line, column = position
    starts = [0, *[match.end() for match in re.finditer(r"\r\n|\r|\n", text)]]
    if line >= len(starts):
        return len(text)
    offset, rest = starts[line], column
    for character, width in zip(text[offset:], widths(text[offset:], encoding), strict=True):
        if character in "\r\n" or rest < width:
            break
        rest -= width
        offset += 1
    return offset


def oracle_apply(text: str, change: Change, encoding: str) -> str:
    if change.range is None:
        return change.text
    start, end = sorted(oracle_offset(text, position, encoding) for position in change.range)
    return text[:start] + change.text + text[end:]


def check(text: str, edits: list[Change], encoding: Encoding) -> Document:
    """Apply the edits here and in the oracle; the texts, and a document opened afresh, must be the same."""
    document = Document("file:///a.py", "python", 1, text, encoding)
    for edit in edits:
        document.apply(edit)
        text = oracle_apply(text, edit, encoding)
        assert document.text == text
        assert document._lines == split_lines(text)
    return document


@given(texts)
def test_lines_end_where_clients_say(text):
    lines = split_lines(text)
    assert "".join(lines) == text
    assert lines == re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


@given(texts, positions, encodings)
def test_a_position_has_the_offset_of_the_oracle(text, position, encoding):
    document = check(text, [], encoding)
    offset = document.offset_at(position)
    assert offset == oracle_offset(text, position, encoding)
    assert document.position_at(offset) == document.clamp(position)
    assert document.offset_at(document.clamp(position)) == offset


@given(texts, st.integers(0, 40), encodings)
def test_an_offset_comes_back_from_its_position(text, offset, encoding):
    document = check(text, [], encoding)
    expected = min(offset, len(text))
    if text[expected - 1 : expected + 1] == "\r\n" and expected > 0:
        expected -= 1
    assert document.offset_at(document.position_at(offset)) == expected


@settings(max_examples=400)
@given(
    texts,
    st.lists(st.builds(Change, texts, st.one_of(st.none(), st.tuples(positions, positions))), max_size=6),
    encodings,
)
def test_edits_give_the_text_of_the_oracle(text, edits, encoding):
    check(text, edits, encoding)


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        ("a\rb", Change("\n", ((1, 0), (1, 0))), "a\r\nb"),  # a lone \r becomes half of a \r\n
        ("a\rb\n", Change("", ((1, 0), (1, 1))), "a\r\n"),
        ("a\r\nb", Change("x", ((0, 9), (0, 9))), "ax\r\nb"),  # past the end of the line: before its end
        ("a\r\nb", Change("x", ((9, 9), (9, 9))), "a\r\nbx"),
        ("a\r\nb", Change("", ((0, 1), (1, 0))), "ab"),
        ("a\fb\n c", Change("x", ((1, 1), (1, 1))), "a\fb\n xc"),  # a form feed ends no line
        ("a\u2028b\nc", Change("x", ((1, 0), (1, 0))), "a\u2028b\nxc"),
        ("ab", Change("x", ((0, 2), (0, 1))), "ax"),  # a range the wrong way round
        ("", Change("a\n", ((0, 0), (0, 0))), "a\n"),
    ],
)
def test_seams(text, edit, expected):
    assert check(text, [edit], "utf-16").text == expected


def test_columns_inside_a_character_are_its_start():
    line = "x😀é\n"
    assert [column_to_index(line, column, "utf-16") for column in range(6)] == [0, 1, 1, 2, 3, 3]
    assert [column_to_index(line, column, "utf-8") for column in range(9)] == [0, 1, 1, 1, 1, 2, 2, 3, 3]
    assert [column_to_index(line, column, "utf-32") for column in range(5)] == [0, 1, 2, 3, 3]
    assert [index_to_column(line, index, "utf-16") for index in range(4)] == [0, 1, 3, 4]
    assert [index_to_column(line, index, "utf-8") for index in range(4)] == [0, 1, 5, 7]


def test_a_lone_surrogate_is_one_unit():
    line = "\ud800x"
    assert [column_to_index(line, column, "utf-16") for column in range(4)] == [0, 1, 2, 2]
    assert index_to_column(line, 2, "utf-16") == 2


def test_negative_positions_are_the_start():
    document = check("ab\ncd", [], "utf-16")
    assert document.offset_at((-1, 4)) == 0
    assert document.offset_at((1, -4)) == 3


def test_store_opens_changes_and_closes():
    documents = Documents("utf-8")
    documents.open("file:///é.py", "python", 1, "a = 1\n")
    changed = documents.change("file:///é.py", 2, [Change("b", ((0, 0), (0, 1))), Change("2", ((0, 4), (0, 5)))])
    assert changed is not None
    assert (changed.text, changed.version, changed.encoding) == ("b = 2\n", 2, "utf-8")
    assert documents.change("file:///other.py", 1, [Change("x")]) is None
    documents.close("file:///é.py")
    documents.close("file:///é.py")
    assert documents.get("file:///é.py") is None
    assert list(documents) == []


def test_a_keystroke_in_a_large_file_does_not_split_it_again(monkeypatch):
    text = "    value = compute(argument, other)  # é\n" * 10_000
    document = Document("file:///large.py", "python", 1, text)
    split = []
    monkeypatch.setattr(documents, "split_lines", lambda text: split.append(len(text)) or split_lines(text))
    for index in range(50):
        document.apply(Change("x", ((5_000, index), (5_000, index))))
    assert document.text.count("x" * 50) == 1
    assert len(split) == 50 and max(split) < 200


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_long_line_is_edited_as_any_other(encoding):
    random = Random(3)
    letters = "abc é中😀𝔘"
    line = "".join(random.choice(letters) for _ in range(70_000))
    text = f"first\n{line}\r\nlast"
    document, pieces = Document("u", "python", 1, text, encoding), [*text]
    assert len(pieces) == len(text)
    ends = (0, len(line))
    for number in range(400):
        start = random.randrange(ends[0], ends[1])
        end = min(start + random.choice((0, 0, 1, 3, 9000)), ends[1])
        new = random.choice(("", "x", "😀é", "new " * 2000))
        if number % 50 == 49:
            new += "\n"  # no change within a line
        before = text[6 : 6 + start].rsplit("\n", 1)[-1]
        row = 1 + text[6 : 6 + start].count("\n")
        if "\n" in text[6 + start : 6 + end].replace("\r\n", "\n"):
            continue
        middle = text[6 + start : 6 + end]
        width = lambda part: index_to_column(part, len(part), encoding)  # noqa: E731
        document.apply(Change(new, ((row, width(before)), (row, width(before) + width(middle)))))
        text = text[: 6 + start] + new + text[6 + end :]
        ends = (0, len(text) - 6 - len("\r\nlast"))
        if number % 20 == 0:
            assert document.text == text
    assert document.text == text
    document.apply(Change("!", ((0, 0), (0, 5))))
    assert document.text == "!" + text[5:]
    assert document.offset_at((0, 1)) == 1


def test_thousands_of_replacements_in_one_line_are_quick(monkeypatch):
    line = "word and " * 120_000
    document = Document("u", "json", 1, line)
    cut = []
    monkeypatch.setattr(documents, "pieces_of", lambda text: cut.append(len(text)) or pieces_of(text))
    for number in reversed(range(10_000)):
        document.apply(Change("name", ((0, 9 * number), (0, 9 * number + 4))))
    assert sum(cut) < len(line) + 10_000 * 3 * PIECE  # the line is cut once, and then only the replaced text
    assert document.text == "name and " * 10_000 + "word and " * 110_000

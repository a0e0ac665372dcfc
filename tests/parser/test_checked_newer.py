"""Newer forms unknown to the grammars of tree-sitter, passed to them as older ones."""

from __future__ import annotations

import random
import re
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from suture.parser import language
from suture.parser.checked import grammars
from suture.parser.checked.grammars import CHECKED, has
from suture.parser.checked.newer import AS_IS, BASH, MOST_WHOLE
from suture.parser.checked.repairs import is_repaired
from suture.parser.checked.tree import Document
from tree_sitter import Tree

VALID = {path.stem: path for path in (Path(__file__).parents[1] / "data" / "newer").iterdir()}
TOKEN = re.compile(r"\w+|\"[^\"\n]*\"|[^\w\s]")
WRONG = [
    ("c", "int x __attribute__((|)) = 1;\n", ("unused", "aligned(4), unused"), ("unused unused", "1 +", "aligned(4")),
    ("c", "enum E : | { A };\n", ("int", "unsigned char"), ("", "int ,", "1 +", "a b c")),
    ("c", "int x = va_arg(ap, |);\n", ("struct S *", "char *"), ("", "struct", "a b", "a,")),
    ("c", "int f(int x) { switch (x) { case 1 ... |: return 1; } }\n", ("5", "'a'"), ("", "5 5", "...")),
    ("c", "int f(int x) { | }\n", ("for_each(a, b) { g(); }",), ("for_each(a, b { g(); }", "for_each(a, b) g(")),
    ("cpp", "struct S { int a : 3 |; };\n", ("= 1", ""), ("= ", "1", "= 1 2")),
    ("cpp", "void f() { |; }\n", ("g(1)", "a << b"), ("g<<<1, 2>>>(3)", "if consteval", "throw throw")),
    ("cpp", "auto f = [] | { return 1; };\n", ("noexcept", "mutable -> int"), ("1", "noexcept 1", "-> ")),
    (
        "css",
        "@media (| 400px) { a { color: red } }\n",
        ("width >=", "1px < width <="),
        ("width >= <=", ">=", "width width"),
    ),
    ("css", "@media (400px <= width | 700px) { a { color: red } }\n", ("<=", "<"), ("=", ">", ">= <")),
    ("css", '[b="c" |] { color: red }\n', ("i", ""), ("i i", "x", '"i"')),
    ("csharp", "class A { void F() { a| = 1; } }\n", ("?.B", "?[0].C"), ("?", "?.", "?.B?", "?.B C")),
    (
        "csharp",
        "class A<T> where T : | { }\n",
        ("allows ref struct", "B, allows ref struct"),
        ("allows struct", "allows ref"),
    ),
    ("java", "class A { A(int x) { g(); | } }\n", ("super(x);", "this(1);"), ("super(x)", "super(x,);", "super;")),
    ("java", "class A { void f() { | } }\n", ("super.f();", "f();"), ("super(x);", "this(1);")),
    ("java", "import | a.b;\n", ("module", "static"), ("module module", "static module")),
    (
        "rust",
        'unsafe extern "C" { | }\n',
        ("safe fn f();", "pub safe static X: i32;"),
        ("safe f();", "safe safe fn f();"),
    ),
    ("php", "<?php\n| f();\n", ("(void)", "@"), ("(void) (void)", "(void", "void)")),
    ("bash", "cat <<A <<B\na\nA\nb\nB\n|\n", ("echo", "if a; then b; fi"), ("then", "(", "if a")),
    ("toml", "a = {\n  b = 1|\n}\n", (",", ", # x", ",\n  c = 2"), (" 2", "\n  c = 2", ",,", ", c")),
    ("toml", "a = |\n", ("07:32", "1979-05-27 07:32"), ("07:3", "7:32", "07:32 07:32", "07:")),
]


def valid(name: str) -> list[str]:
    return re.split(r"^%%\n", VALID[name].read_text(encoding="utf-8"), flags=re.MULTILINE)


def document(name: str) -> Document:
    if not has(name) or find_spec(CHECKED[name].package.replace("-", "_")) is None:
        pytest.skip(f"needs {CHECKED[name].package} (the extra `languages`)")
    return Document(grammars.load(name), CHECKED[name].unsafe, CHECKED[name].newer)


def is_wrong(tree: Tree, name: str) -> bool:
    everything = 0, tree.root_node.end_byte
    return tree.root_node.has_error or is_repaired(tree, CHECKED[name], everything, everything)


@pytest.mark.parametrize("name", sorted(VALID))
def test_valid_texts_cut_at_any_token_pass(name: str) -> None:
    document(name)
    reads, refused = language(name), list[tuple[str, str, str]]()
    for text in valid(name):
        for token in TOKEN.finditer(text):
            left, right = text[: token.start()], text[token.end() :]
            state = reads.hole(left, right).state
            if state is None or (after := state.advance(token[0])) is None or not after.complete:
                refused.append((left, token[0], right))
    assert refused == []


@pytest.mark.parametrize(("name", "marked", "right", "wrong"), WRONG)
def test_wrong_texts_beside_newer_forms_stay_wrong(
    name: str, marked: str, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    document(name)
    state = language(name).hole(*marked.split("|", 1)).state
    assert state is not None
    taken = {text for text in (*right, *wrong) if (after := state.advance(text)) is not None and after.complete}
    assert taken == {*right}


@pytest.mark.parametrize("name", sorted(name for name in VALID if CHECKED[name].newer is not AS_IS))
def test_every_form_is_needed_and_keeps_its_place(name: str) -> None:
    """Some text has an error without the replacement; lengths and line ends stay."""
    document(name)
    grammar, unsafe, newer = grammars.load(name), CHECKED[name].unsafe, CHECKED[name].newer
    idle: list[bytes] = []
    for row in newer.rows:
        others = replace(newer, rows=tuple(other for other in newer.rows if other is not row))
        changed = [text for text in valid(name) if row.written(text.encode()) != text.encode()]
        for text in changed:
            written = row.written(text.encode())
            assert len(written) == len(text.encode()) and written.count(b"\n") == text.count("\n")
        trees = (Document(grammar, unsafe, others).read(text, 60) for text in valid(name))
        if not any(tree is not None and is_wrong(tree, name) for tree in trees):
            idle.append(row.pattern)
    assert idle == []


@pytest.mark.parametrize("name", sorted(VALID))
def test_edits_lead_to_the_text_that_a_whole_reading_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.parser.checked.tree._STEP_S", 60.0)
    rng, edited = random.Random(3), document(name)
    pieces = valid(name)
    text = "".join(rng.sample(pieces, min(8, len(pieces))))
    edited.read(text, 60)
    for _ in range(120):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 0, 1, 3, 30)))
        new = rng.choice(("", "\n", "x", "}", "{", '"', "#", "\r\n", "é", rng.choice(pieces)[:40]))
        whole = document(name)
        whole.read(text[:start] + new + text[end:], 60)
        first, last = (len(text[:place].encode()) for place in (start, end))
        tree = edited.edited(first, last, new.encode(), 60)
        if rng.random() < 0.5:
            text = text[:start] + new + text[end:]
            tree = edited.read(text, 60)
            assert edited.source == whole.source
        assert (tree is None) == (whole.tree is None)
        if tree is not None and whole.tree is not None:
            assert tree.root_node.has_error == whole.tree.root_node.has_error


def test_forms_of_several_lines_are_left_alone_in_long_files() -> None:
    newer = CHECKED["toml"].newer
    short = b"a = {\n}\n"
    assert newer.all(short) == b"a = { }\n" and newer.all(long := short + b"#" * MOST_WHOLE) == long


@pytest.mark.parametrize("unit", [b"<<A ", b"<<A\n", b"cat <<A <<B\n", b"${ a; "])
def test_a_script_of_beginnings_is_read_in_linear_time(unit: bytes) -> None:
    def took_s(count: int) -> float:
        began_s = time.thread_time()
        BASH.all(unit * count)
        return time.thread_time() - began_s

    short, long = (min(took_s(size // len(unit)) for _ in range(3)) for size in (10_000, 80_000))
    assert long < 24 * max(short, 0.002), (short, long)

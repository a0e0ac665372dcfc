"""Blocks by indentation in grammar files: against Lark with an `Indenter` made from the same directive."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import LarkError
from lark.indenter import Indenter
from suture.parser.errors import GrammarError
from suture.parser.language import Language, load_language

EXAMPLES = Path(__file__).parents[2] / "examples" / "grammars"
# Lark's own example, examples/indented_tree.py.
TREE = r"""
?start: _NL* tree
tree: NAME _NL [_INDENT tree+ _DEDENT]
%import common.CNAME -> NAME
%import common.WS_INLINE
%declare _INDENT _DEDENT
%ignore WS_INLINE
_NL: /(\r?\n[\t ]*)+/
//@ indent _INDENT _DEDENT after _NL
"""
# As in Lark's python.lark, a comment is part of the newlines around it.
STATEMENTS = r"""
start: (_NL | stmt)*
stmt: simple _NL | "if" expr ":" suite ["else" ":" suite]
suite: simple _NL | _NL _INDENT stmt+ _DEDENT
simple: expr (";" expr)*
expr: atom | expr "+" atom
atom: NAME | "(" expr ")" | "[" [expr ("," expr)*] "]"
NAME: /[a-z]+/
COMMENT: /#[^\n]*/
_NL: ( /\r?\n[\t ]*/ | COMMENT )+
%ignore /[\t ]+/
%ignore COMMENT
%declare _INDENT _DEDENT
//@ indent _INDENT _DEDENT after _NL, not within "(" ")" LSQB RSQB, tab 4
"""
# Newlines as separators, one at a time, and a block that only the end of the file can end.
SEPARATED = r"""
start: lines
lines: line (_NL line)*
line: NAME | NAME ":" _NL _INDENT lines _DEDENT | NAME ":" "{" _NL "}" |
NAME: /[a-z]/
_NL: /\n[ ]*/
%ignore " "
%declare _INDENT _DEDENT
//@ indent _INDENT _DEDENT after _NL, tab 2
"""
# A block that is not the last of its rule; brackets containing a newline, which can never come.
AROUND = r"""
start: block
block: "a" _NL _INDENT block* _DEDENT "e" _NL | "b" _NL | "c" "(" "b" _NL? "b" ")" _NL _INDENT "d" _NL _DEDENT "f"
_NL: /(\n[ ]*)+/
%ignore /;/
%declare _INDENT _DEDENT
//@ indent _INDENT _DEDENT after _NL, not within "(" ")"
"""
SECTIONS = """# a server
server:
    port = 8080
    hosts = ["a.example",
        "b.example"]

    tls:
\t\ton = yes  # of course
        files:
            - "cert.pem"
            - "key.pem"
log: level = 3
"""
PIECES = {
    TREE: ("a", "b", "\n", "\n ", "\n  ", "\n    ", "\n\t", " ", "\n\n  "),
    STATEMENTS: ("a", "if", "else", ":", ":\n  ", ":\n    ", "+", "(", ")", "[", "]", ",", ";", "\n", "\n  ", "\n    ", "#c", " "),
    SEPARATED: ("a", "b", ":", ":\n ", ":\n  ", "{", "}", "\n", "\n ", "\n  ", " "),
    AROUND: ("a\n", "a\n ", "b\n", "b\n ", "c(b", "b)", "\n", "\n ", "\n  ", "d", "f", "e\n", ";", "e\n "),
}  # fmt: skip
_ANONYMOUS = {'"("': "LPAR", '")"': "RPAR", '"["': "LSQB", '"]"': "RSQB"}
_DIRECTIVE = re.compile(
    r"^//@ indent (\w+) (\w+) after (\w+)(?:, not within ([^,\n]*))?(?:, tab (\d+))?$", re.MULTILINE
)


def oracle(source: str) -> Callable[[str], bool]:
    """Whether Lark accepts a text, with LALR if it has no conflict to resolve, always with its basic lexer."""
    said = _DIRECTIVE.search(source)
    assert said is not None
    brackets = [_ANONYMOUS.get(name, name) for name in (said[4] or "").split()]

    class Blocks(Indenter):
        # Lark declares these as properties.
        INDENT_type, DEDENT_type, NL_type = said[1], said[2], said[3]  # pyright: ignore[reportAssignmentType]
        OPEN_PAREN_types, CLOSE_PAREN_types = brackets[::2], brackets[1::2]  # pyright: ignore[reportAssignmentType]
        tab_len = int(said[5] or 8)  # pyright: ignore[reportAssignmentType]

    try:
        lark = Lark(source, parser="lalr", lexer="basic", strict=True, postlex=Blocks())
    except LarkError:
        lark = Lark(source, parser="earley", lexer="basic", postlex=Blocks())

    def accepts(text: str) -> bool:
        try:
            lark.parse(text)
        except (LarkError, AssertionError, IndexError):  # IndexError: newlines without a newline in them
            return False
        return True

    return accepts


def made(folder: Path, source: str) -> Language:
    path = folder / "own.lark"
    path.write_text(source)
    return load_language("own", path)


def is_complete(own: Language, left: str, middle: str, right: str) -> bool:
    hole = own.hole(left, right)
    state = hole.state if hole.viable else None
    for char in middle:
        state = state.advance(char) if state is not None else None
    return state is not None and state.complete


def texts(
    accepts: Callable[[str], bool], pieces: Sequence[str], rng: random.Random, count: int
) -> list[tuple[str, bool]]:
    """Texts with their validity: each valid one is a base for others."""
    bases: list[str] = []
    found: list[tuple[str, bool]] = []
    for _ in range(count):
        text = rng.choice(bases) if bases and rng.random() < 0.8 else ""
        at = rng.randrange(len(text) + 1)
        text = (text[:at] + "".join(rng.choices(pieces, k=rng.randrange(1, 6))) + text[at:])[:60]
        if rng.random() < 0.3:
            at = rng.randrange(len(text))
            text = text[:at] + text[at + 1 :]
        valid = accepts(text)
        found.append((text, valid))
        bases += [text] * valid
    return found


def check(own: Language, accepts: Callable[[str], bool], pieces: Sequence[str], rng: random.Random, count: int) -> None:
    """The same texts are valid; a hole is viable where a few symbols connect; bridges connect."""
    found = texts(accepts, pieces, rng, count * 3)
    for text, valid in found:
        at = rng.randrange(len(text) + 1)
        assert is_complete(own, text[:at], "", text[at:]) == valid, text
    valid_texts = [text for text, valid in found if valid]
    for _ in range(count if valid_texts else 0):
        text = rng.choice(valid_texts)
        if rng.random() < 0.5:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(pieces) + text[at:]
        begin = rng.randrange(len(text) + 1)
        end = min(len(text), begin + rng.randrange(8))
        left, right = text[:begin], text[end:]
        several = [(piece,) for piece in pieces] + list(product(pieces, repeat=2)) + list(product(pieces, repeat=3))
        tried = [text[begin:end], *map("".join, rng.sample(several, min(60, len(several))))]
        middles = [middle for middle in tried if accepts(left + middle + right)]
        for middle in middles[:3]:
            assert is_complete(own, left, middle, right), (left, middle, right)
        hole = own.hole(left, right)
        if hole.viable and hole.state is not None:
            bridges = hole.state.bridges()
            assert bridges or not middles, (left, right, middles)
            for bridge in bridges:
                assert accepts(left + bridge + right), (left, bridge, right)


@pytest.mark.parametrize(
    "source", [TREE, STATEMENTS, SEPARATED, AROUND], ids=["tree", "statements", "separated", "around"]
)
def test_it_is_what_lark_takes(tmp_path: Path, source: str) -> None:
    check(made(tmp_path, source), oracle(source), PIECES[source], random.Random(1), 12)


def random_grammar(rng: random.Random) -> str:
    """Rules with blocks and brackets at random places, most of them with newlines."""
    names = ["start", "a", "b", "c"]

    def body(depth: int, within: bool) -> str:
        parts: list[str] = []
        for _ in range(rng.randrange(1, 4)):
            kind = rng.random()
            if kind < 0.35:
                parts.append(rng.choice(('"x"', '"y"', '"z"')))
            elif kind < 0.6:
                parts.append(rng.choice(names[1:]) + rng.choice(("", "", "?", "+", "*")))
            elif kind < 0.75:
                parts.append(rng.choice(("_NL", "_NL", "_NL?")))
            elif kind < 0.9 and depth:
                parts.append(f"{'_NL ' * (rng.random() < 0.8)}_INDENT {body(depth - 1, within)} _DEDENT")
            elif depth:
                parts.append(f'"(" {body(depth - 1, True)} ")"')
        return " ".join(parts) or '"x"'

    rules = [f"{name}: " + " | ".join(body(2, False) for _ in range(rng.randrange(1, 4))) for name in names]
    rules.append('c: "x" _NL | "y" _NL _INDENT a+ _DEDENT')
    rules[3] = rules.pop()
    newline = rng.choice((r"_NL: /(\r?\n[\t ]*)+/", r"_NL: /\n */"))
    return "\n".join(
        [
            *rules,
            newline,
            '%ignore " "',
            "%declare _INDENT _DEDENT",
            '//@ indent _INDENT _DEDENT after _NL, not within "(" ")", tab 4',
            "",
        ]
    )


def test_random_grammars(tmp_path: Path) -> None:
    rng = random.Random(2)
    pieces = ("x", "y", "z", "(", ")", "x\n", "y\n ", "y\n  ", "\n", "\n ", "\n  ", "x\n ", " ")
    checked = 0
    for _ in range(40):
        source = random_grammar(rng)
        try:
            own = made(tmp_path, source)
        except GrammarError as error:
            assert "derives no text" in str(error) or "no rule uses" in str(error), source
            continue
        checked += 1
        check(own, oracle(source), pieces, rng, 4)
    assert checked > 10


def test_random_text_is_completed(tmp_path: Path) -> None:
    own, accepts, rng = made(tmp_path, STATEMENTS), oracle(STATEMENTS), random.Random(3)
    valid = [text for text, good in texts(accepts, PIECES[STATEMENTS], rng, 120) if good]
    for _ in range(12):
        text = rng.choice(valid)
        begin = rng.randrange(len(text) + 1)
        left, right = text[:begin], text[min(len(text), begin + rng.randrange(6)) :]
        state = own.hole(left, right).state
        assert state is not None
        written = ""
        for _ in range(8):
            char = rng.choice("ab(:+[],;\n #")
            after = state.advance(char)
            if after is not None:
                state, written = after, written + char
        for bridge in state.bridges():
            assert accepts(left + written + bridge + right), (left, written, bridge, right)


def test_the_example(tmp_path: Path) -> None:
    source = (EXAMPLES / "sections.lark").read_text()
    own, accepts, rng = load_language("sections", EXAMPLES / "sections.lark"), oracle(source), random.Random(6)
    assert accepts(SECTIONS)
    for _ in range(25):
        begin = rng.randrange(len(SECTIONS))
        end = min(len(SECTIONS), begin + rng.randrange(20))
        left, right = SECTIONS[:begin], SECTIONS[end:]
        assert is_complete(own, left, SECTIONS[begin:end], right)
        state = own.hole(left, right).state
        assert state is not None
        bridges = state.bridges()
        assert bridges and all(accepts(left + bridge + right) for bridge in bridges)


def test_columns_on_both_sides_count(tmp_path: Path) -> None:
    own = made(tmp_path, TREE)
    assert own.hole("a\n  b\n", "  c\n").viable
    assert not own.hole("a\n  b\n", "    c\nd\n").viable  # there is one root
    # A line at column 1 needs a block there, and only a text that begins one makes it.
    hole = own.hole("a\n  ", "  c\n d\n")
    assert hole.viable and hole.state is not None and hole.state.bridges()
    # The part within the right context alone, and the part shown by the left one.
    assert own.hole("a", "\n x\n   y\n x\n").viable
    assert not own.hole("a", "\n x\n   y\n  z\n").viable
    assert own.hole("a\n    b", "\n    c\n").viable
    assert not own.hole("a\n    b", "\n  c\n").viable


def test_newlines_within_brackets_mean_nothing(tmp_path: Path) -> None:
    own = made(tmp_path, STATEMENTS)
    hole = own.hole("if a:\n  [b,\n", "c]\n  d\n")
    assert hole.viable and hole.state is not None and hole.state.complete
    assert own.hole("if a:\n  b\n", "  c\n").viable


def test_masks_agree_with_single_checks(tmp_path: Path) -> None:
    own, rng = made(tmp_path, STATEMENTS), random.Random(4)
    text = "if a:\n  b; c\n  if d:\n      [e,\n f]\n  (g)\nh\n"
    tokens = [
        b"a",
        b"\n",
        b"\n  ",
        b"  ",
        b" ",
        b"\n      ",
        b"[",
        b"]",
        b":\n",
        b",",
        b"#",
        b"\t",
        b"\n\t",
        b"if",
        b"else:",
    ]
    for _ in range(15):
        begin = rng.randrange(len(text))
        state = own.hole(text[:begin], text[min(len(text), begin + rng.randrange(9)) :]).state
        assert state is not None
        masks = state.new_masks(tokens, len(tokens), tmp_path)
        assert masks is not None
        _, packed = masks.text(state)
        for number, token in enumerate(tokens):
            allowed = bool(packed[number // 32] >> (number % 32) & 1)
            assert allowed == (state.advance(token.decode()) is not None), (text[:begin], token)


def test_broken_files_have_holes(tmp_path: Path) -> None:
    own = made(tmp_path, STATEMENTS)
    for text in ("if a:\n  b = \n  c\nd\n", "if a:\n    b\n  c\nd\n", "if a:\nb\nif c:\n  d\n", "if\n  a\n"):
        for at in range(len(text) + 1):
            state = own.hole(text[:at], text[at:]).state
            assert state is None or state.stays_in_hole


def test_sessions_follow_edits(tmp_path: Path) -> None:
    own, rng = made(tmp_path, STATEMENTS), random.Random(5)
    accepts, session = oracle(STATEMENTS), own.session()
    text = "if a:\n  b; c\n  if d:\n      [e,\n f]\n  (g)\nh\n"
    for _ in range(20):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(("", "a", "\n", "\n  ", "(")) + text[at + rng.randrange(3) :]
        at = rng.randrange(len(text) + 1)
        hole = session.hole(text, at)
        assert (hole.viable and hole.state is not None and hole.state.complete) == accepts(text), text
        assert hole.viable == own.hole(text[:at], text[at:]).viable
        if not hole.viable:
            text = "if a:\n  b; c\n  if d:\n      [e,\n f]\n  (g)\nh\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("//@ indent _INDENT _DEDENT after _NL, not", "// no"), r"write `//@ indent _INDENT _DEDENT after _NL`"),
        (("_DEDENT after _NL", "_DEDENT _NL"), r"line 14: write it as `//@ indent"),
        (("LSQB RSQB", "LSQB"), r"write it as `//@ indent"),
        (("tab 4", "tab 0"), r"write it as `//@ indent"),
        (("LSQB RSQB", "LSQB LPAR"), r"each terminal may be named once"),
        (("LSQB RSQB", "LSQB OTHER"), r"no rule uses the terminal OTHER"),
        (
            ("stmt+ _DEDENT", "stmt+ close\nclose: _DEDENT"),
            r"rule suite: with `//@ indent` the partner of _INDENT must",
        ),
        (('"(" expr ")" | ', '"(" expr | '), r"no rule uses the terminal"),
        ((r"/\r?\n[\t ]*/", r"/\r?\n/"), r"with `//@ indent` _NL must be newlines with any blanks behind each"),
        ((r"/\r?\n[\t ]*/", r"/\r?\n[\t]*/"), r"with `//@ indent` _NL must be newlines with any blanks behind each"),
        (("//@ indent", '//@ newline ";" after NAME\n//@ indent'), r"cannot be used together"),
        (("//@ indent", "//@ lexer contextual\n//@ indent"), r"cannot be used together"),
    ],
)
def test_what_is_refused_says_what_to_write(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in STATEMENTS
    with pytest.raises(GrammarError, match=message):
        made(tmp_path, STATEMENTS.replace(*change))

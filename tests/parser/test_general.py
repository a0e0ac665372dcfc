"""Languages given as grammar files: exact in both contexts, against brute force, Lark's own lexer and json.loads."""

import json
import random
import re

import pytest
from suture.parser import (
    GrammarError,
    Hole,
    Language,
    UnknownLanguage,
    language,
    language_for_path,
    languages,
    load_language,
)
from suture.parser.grammar import cache as grammar_cache
from suture.parser.languages.generic.language import Decider

from ..support.inside import runtime_of, state_of
from ..support.oracle_general import Oracle, as_file, random_rules, random_terminals, reaches


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Compiled grammars go to the test's own folder."""
    monkeypatch.setattr(grammar_cache, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def own(tmp_path):
    """source -> Language"""

    def load(source: str, name: str = "own", patterns: tuple[str, ...] = ()) -> Language:
        path = tmp_path / f"{name}.lark"
        path.write_text(source, encoding="utf-8")
        return load_language(name, path, patterns=patterns)

    return load


def check(own: Language, text: str, middle: str, expected: str) -> None:
    """Middle at the mark | is "complete", "viable" (not complete yet), or "dead"."""
    left, right = text.split("|")
    start = own.hole(left, right)
    state = start.state.advance(middle) if start.viable and start.state is not None else None
    found = "dead" if state is None else "complete" if state.complete else "viable"
    assert (text, middle, found) == (text, middle, expected)


def answers(hole: Hole, text: str) -> list[tuple[bool, bool]]:
    """(viable, complete) before the text and after each of its characters."""
    state, out = hole.state if hole.viable else None, []
    for n in range(len(text) + 1):
        if n and state is not None:
            state = state.advance(text[n - 1])
        out.append((state is not None, state is not None and state.complete))
    return out


# -- random grammars


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("alphabet", ["abc", "()c"])
def test_random_grammars_over_single_letters(own, seed, alphabet):
    """Every answer equals that of the grammar intersected with an automaton, even if letters are brackets."""
    rng = random.Random(seed)
    rules = random_rules(rng, list("ABC"))

    def named(text: str) -> list[str]:
        return ["ABC"[alphabet.index(letter)] for letter in text]

    source = as_file(rules, "")
    for name, letter in zip("ABC", alphabet, strict=True):
        source = source.replace(name, f'"{letter}"')
    if not reaches(rules, "start", ["*"]):
        with pytest.raises(GrammarError, match="derives no text"):
            own(source)
        return
    lang = own(source)
    for _ in range(12):
        left, text, right = ("".join(rng.choices(alphabet, k=rng.randint(0, 4))) for _ in range(3))
        expected = []
        for n in range(len(text) + 1):
            before, after = named(left + text[:n]), named(right)
            viable = reaches(rules, "start", [*before, "*", *after])
            expected.append((viable, reaches(rules, "start", before + after)))
        assert answers(lang.hole(left, right), text) == expected, (left, text, right)


@pytest.mark.parametrize("seed", range(25))
def test_random_grammars_with_random_lexers(own, seed):
    """Answers and bridges agree with Lark's lexer and a search through all short middles."""
    rng = random.Random(seed)
    names, definitions = random_terminals(rng)
    rules = random_rules(rng, names)
    if not reaches(rules, "start", ["*"]):
        return
    source, alphabet = as_file(rules, definitions), "abc"
    lang, oracle = own(source), Oracle(rules, source)
    members = [m for m in ("".join(rng.choices(alphabet, k=rng.randint(0, 7))) for _ in range(60)) if oracle.member(m)]
    for _ in range(5):
        left, right = ("".join(rng.choices(alphabet, k=rng.randint(0, 3))) for _ in range(2))
        if members and rng.random() < 0.7:
            text = rng.choice(members)
            i, j = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
            left, right = text[:i], text[j:]
        hole = lang.hole(left, right)
        if not hole.viable or hole.state is None:
            assert not oracle.completable(left, right, alphabet, 3), (left, right)
            continue
        assert hole.state.complete == oracle.member(left + right)
        bridges = hole.state.bridges()
        assert bridges, (left, right)
        for bridge in bridges:
            assert oracle.member(left + bridge + right), (left, bridge, right)
        if 0 < len(bridges[0]) <= 3:
            assert not oracle.completable(left, right, alphabet, len(bridges[0]) - 1), (left, bridges, right)


@pytest.mark.parametrize("seed", range(40))
def test_random_lexers_lex_as_lark_does(own, seed):
    rng = random.Random(seed)
    names, definitions = random_terminals(rng)
    source = f"start: ({' | '.join(names)})*\n{definitions}\n"
    lang, oracle = own(source), Oracle({}, source)
    for _ in range(60):
        text = "".join(rng.choices("abc", k=rng.randint(0, 9)))
        assert lang.hole(text, "").viable or oracle.tokens(text) is None
        state = lang.hole("", "").state
        assert state is not None
        after = state.advance(text)
        assert (after is not None and after.complete) == (oracle.tokens(text) is not None), text


# -- JSON


def is_json(text: str) -> bool:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def random_value(rng: random.Random, size: int) -> object:
    if size < 3:
        return rng.choice(
            [0, -1, 12, 0.5, -3e10, 2.5e-8, True, False, None, "", "abc", 'x"y\\z\n', "é☃\x7f\U0001f600", "\ud83d"]
        )
    children = [random_value(rng, size // 3) for _ in range(rng.randint(0, 4))]
    if rng.random() < 0.5:
        return children
    return {rng.choice(["a", "b\t", "ключ", ""]) + str(i): child for i, child in enumerate(children)}


def random_json(rng: random.Random) -> str:
    value = random_value(rng, rng.choice([1, 5, 20, 60]))
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1, "\t"]))
    return text if rng.random() < 0.7 else text.replace(" ", rng.choice(["", "  ", "\r\n", "\t"]))


@pytest.mark.parametrize("seed", range(80))
def test_json_holes_take_the_true_middle(seed):
    rng = random.Random(seed)
    text = random_json(rng)
    i, j = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
    i, j = max(i, j - 40), j
    middle = text[i:j]
    found = answers(language("json").hole(text[:i], text[j:]), middle)
    assert [viable for viable, _ in found] == [True] * (len(middle) + 1)
    assert [complete for _, complete in found] == [
        is_json(text[:i] + middle[:n] + text[j:]) for n in range(len(middle) + 1)
    ]


@pytest.mark.parametrize("seed", range(80))
def test_corrupted_json(seed):
    rng = random.Random(seed)
    text = random_json(rng)
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randint(0, len(text))
        text = text[:at] + rng.choice(["", *'{}[],:"\\ 0-.eE+tu\n\x01']) + text[at + rng.randint(0, 1) :]
    i = rng.randint(0, len(text))
    hole = language("json").hole(text[:i], text[i:])
    if is_json(text):
        assert hole.viable and hole.state is not None and hole.state.complete
    elif hole.viable:
        assert hole.state is not None and not hole.state.complete
        bridges = hole.state.bridges()
        assert bridges and all(is_json(text[:i] + bridge + text[i:]) for bridge in bridges)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "[1,]",
        '{"a":1,}',
        "[,]",
        "01",
        "1.",
        ".5",
        "+1",
        "0x1",
        "'a'",
        "{a:1}",
        '"\\x41"',
        '"\\u12"',
        '"a\nb"',
        '"\t"',
        "\ufeff1",
        "[1]]",
        "nul",
        "1 2",
        "// c\n1",
        "\x0b1",
        "\xa01",
        "",
        " ",
        "-",
        "1e",
        "1e+",
        "--1",
        "tru e",
    ],
)
def test_what_is_not_json(text):
    assert not is_json(text)
    assert (True, True) not in answers(language("json").hole("", ""), text)[-1:]


@pytest.mark.parametrize(
    ("text", "middle", "expected"),
    [
        ("[|", "", "viable"),
        ("[|]", "", "complete"),
        ("[|}", "", "dead"),
        ('{"a": [1, |}', "", "viable"),
        ('{"a": [1, |}', "2]", "complete"),
        ('{"a": |, "b": 2}', "1]", "dead"),
        ('{"a": 1|5}', "2", "complete"),  # one number across both seams
        ("[1|e5]", ".", "viable"),
        ("[1|e5]", ".0", "complete"),
        ("[-|]", "", "viable"),
        ("[t|e]", "ru", "complete"),
        ("[t|e]", "a", "dead"),
        ('["\\u00|9"]', "e", "complete"),
        ('["\\u00|9"]', "g", "dead"),
        ('["a|]', '"', "complete"),
        ('["a|", "b"]', '"', "viable"),  # ["a" ... ", "b"]
        ('["a|", "b"]', '", "', "complete"),
        ("[[[[|]]", "", "viable"),
        ("[[[[|]]", "]]", "complete"),
        ("[[|]]]", "", "viable"),
        ("[[|]]]", "[", "complete"),
        ("|]", "", "viable"),
        ('|"b": 1}', '{"a', "viable"),
        ('|"b": 1}', '{"a": 0, ', "complete"),
        ('{|"b": 1}', '"a": {', "viable"),
        ('{|"b": 1}', '"a": [', "viable"),
        ('{|"b": 1}]', "", "dead"),
        ('[{|"b": 1}', "", "dead"),
        ('{|"b": 1}]', '"a": {', "dead"),
        ('[{|"b": 1}}]', '"a": {', "complete"),
        ("[1\r|\n]", "", "complete"),
    ],
)
def test_json_at_a_cursor(text, middle, expected):
    check(language("json"), text, middle, expected)


@pytest.mark.parametrize(("depth", "closed"), [(3_000, 4), (150, 150)])
def test_deep_json(depth, closed):
    """There is no recursion, neither in reading nor in deciding."""
    found = answers(language("json").hole("[" * depth, "]" * (depth - 2)), "]" * closed)
    assert [n for n, (viable, _) in enumerate(found) if not viable] == [150][
        : closed == 150
    ]  # [ ... ], [ ... until all are closed
    assert [n for n, (_, complete) in enumerate(found) if complete] == [2]


def test_a_bridge_over_many_brackets():
    state = language("json").hole('{"a": [' * 30 + "1", "]}" * 10).state
    assert state is not None and state.bridges() == ("]}" * 20,)


def test_a_bridge_longer_than_a_search_goes():
    state = language("json").hole("[" * 800, "").state
    assert state is not None and state.bridges() == ("]" * 800,)


@pytest.mark.parametrize(
    ("element", "most"), [("1", 200), ('{"a": [true, {"b": "x"}]}', 200)], ids=["numbers", "objects"]
)
def test_what_a_long_list_demands_is_not_told_element_by_element(element, most):
    hole = language("json").hole("[" + f"{element}, " * 50, f", {element}" * 2_000 + "]")
    assert hole.state is not None and hole.state.advance('"x') is not None
    decides = state_of(hole.state).context.completable
    assert isinstance(decides, Decider) and len(decides.right.tail.demands) < most


def test_bytes_of_a_character_in_json():
    state = language("json").hole('["', '"]').state
    assert state is not None and state.admits("é".encode()[:1])
    after = state.advance('", ')
    assert after is not None and not after.admits("é".encode()[:1])
    assert not after.admits("é".encode()[:1])


def test_json_keeps_what_it_knows_between_keystrokes():
    session = language("json").session()
    before, after = '{"k": [', ', {"a": [1, 2, 3]}' * 400 + "]}"
    assert session.hole(before + after, len(before)).viable
    size = runtime_of(language("json")).engine.size
    for n, typed in enumerate('"abc"', 1):
        before += typed
        hole = session.hole(before + after, len(before))
        assert hole.viable and hole.state is not None and hole.state.complete == (n == 5)
    assert runtime_of(language("json")).engine.size - size < 100


# -- lexers


KEYWORDS = """
start: statement+
statement: "if" name "then" statement | name "=" NUMBER ";"
name: NAME | "if"
NAME: /[a-z_]+/
NUMBER: /[0-9]+(\\.[0-9]+)?/
%ignore /[ \\n]+/
%ignore /\\/\\/[^\\n]*/
%ignore /\\/\\*(.|\\n)*?\\*\\//
"""


@pytest.mark.parametrize(
    ("text", "middle", "expected"),
    [
        ("i|f if then if = 1;", "", "complete"),  # a keyword, and that word as a name
        ("i|f x then y = 1;", "f", "viable"),  # iff x ...
        ("i|f = 1;", "", "complete"),
        ("i|f = 1;", "ff", "complete"),
        ("if x |then y = 1;", "", "complete"),
        ("if x|then y = 1;", "z", "viable"),  # if xz then
        ("if x |then y = 1;", "z", "dead"),
        ("if x |then y = 1;", "then z = 1; if x ", "complete"),
        ("x = 1|5;", ".", "complete"),
        ("x = 1|;", ".", "viable"),
        ("x = 1|.5;", "", "complete"),
        ("x = 1.|.5;", "", "viable"),  # 1.0; x = 1.5
        ("x = 1.|.5;", "0", "viable"),
        ("x = 1.|.5;", ".", "dead"),
        ("x = 1.|5;", "", "complete"),
        ("x /|= 1;", "* = 2; */", "complete"),
        ("x /|= 1;\n*/ = 1;", "*", "complete"),
        ("x /|= 1;\n*/ = 1; */ = 2;", "*", "dead"),  # the comment ends at its first end
        ("x /|= 1;", "/", "viable"),
        ("x /|= 1;", "/\n", "complete"),
        ("x /|= 1;", "x", "dead"),
    ],
)
def test_symbols_that_straddle_the_seams(own, text, middle, expected):
    check(own(KEYWORDS), text, middle, expected)


@pytest.mark.parametrize(
    ("source", "yes", "no"),
    [
        ('start: A B\nA.2: "a"\nB: "b"\nC: "ab"\n', ["ab"], ["a"]),
        ('start: A B | C\nA: "a"\nB: "b"\nC: "ab"\n', ["ab"], ["a b"]),
        ('start: A B\nA.2: "a"\nB: "b"\nC: "ab"\n%ignore C', ["ab"], []),  # priority goes before length
        ('start: A B\nA: "a"\nB: "b"\nC: "ab"\n%ignore C', [], ["ab"]),
        ('start: "select"i NAME\nNAME: /[a-z]+/i\n%ignore " "', ["SELECT x", "Select y"], ["select select"]),
        ("start: X+\nX: /\\w+/\n%ignore /\\s+/", ["naïve Ωmega _1", "日本"], ["a-b"]),
        ("start: X+\nX: /(?i:straße)/\n", ["STRAßE", "straße"], ["strasse"]),
        ("start: X\nX: /a.c/s\n", ["a\nc", "abc"], ["ac"]),
        ("start: X\nX: /a # one\n  b/x\n", ["ab"], ["a # one"]),
        (
            "%import common.ESCAPED_STRING\nstart: ESCAPED_STRING\n",
            ['"a\\"b"', '""', '"\\\\"'],
            ['"a\\"', '"a\nb"', '"a"b"'],
        ),
        ("%import common (NUMBER, WS)\n%ignore WS\nstart: NUMBER+\n", ["1 2.5\n3e7", "1.5.5"], ["1.5.", "a"]),
        ('start: list{"a"} | list{B}\nlist{x}: "[" x ("," x)* "]"\nB: "b"\n', ["[a,a]", "[b]"], ["[a,b]", "[]"]),
        ('start: ("a" "b"?)~2..3\n', ["abab", "aaa", "aba"], ["a", "aaaa"]),
        ("start: X\nX: /x[ab]*(?<!a)c/", ["xabc", "xc"], ["xac"]),
        ("start: X\nX: /x(?:b*|c)*/\n", ["x", "xbb"], ["xc", "xbc"]),  # an empty round ends a loop
        ('start: "a"* ["b"]\n', ["", "aab"], ["ba"]),
    ],
)
def test_grammars(own, source, yes, no):
    lang = own(source)
    for text in yes:
        assert answers(lang.hole("", ""), text)[-1] == (True, True), text
    for text in no:
        assert not answers(lang.hole("", ""), text)[-1][1], text


def test_imports_from_beside_the_grammar(own, tmp_path):
    (tmp_path / "words.lark").write_text('WORD: /[a-z]+/\npair: WORD "-" WORD\n')
    lang = own('%import .words (pair, WORD)\nstart: pair | "(" WORD ")"\n')
    assert answers(lang.hole("", ""), "ab-c")[-1] == (True, True)
    assert answers(lang.hole("(", ")"), "x")[-1] == (True, True)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("start: A\n", r"own\.lark, line 1: Rule 'A' used but not defined"),
        ("\nstart: a b\nb: x\na: b\n", r"own\.lark, line \d: Rule 'x' used but not defined"),
        ("start A\n", r"own\.lark: Expecting rule or terminal definition .* line 1 column 7"),
        ('start: "a" | "b\n', r"own\.lark: Unexpected input at line 1 column 14"),
        ("start: A\nA: /(/\n", r"own\.lark, line 2: A is no regular expression: missing \), .*: /\(/"),
        ("start: A\nA: B\nB: A\n", r"own\.lark, line 2: Recursion in terminal 'A'"),
        ("start: A\nA: /a*/\n", r"own\.lark, line 2: A: a terminal matches the empty text"),
        ("start: A\n%declare A\n", r"own\.lark, line 1: terminal A is declared without a pattern; write one"),
        (
            "start: A _INDENT\nA: /a/\n%declare _INDENT\n",
            r"line 1: terminal _INDENT .*; for blocks by indentation write `//@ indent",
        ),
        ("start: A\n\nA: /a(?=b)/\n", r"own\.lark, line 3: A: look-around is not supported in a terminal: a\(\?=b\)"),
        ("start: A\nA: /(a)\\1/\n", r"own\.lark, line 2: A: a back-reference is not supported"),
        ("start: A\nA: /a$/\n", r"own\.lark, line 2: A: an anchor"),
        ("%import .nope.X\nstart: X\n", r"own\.lark, line 1: cannot read the import nope\.lark"),
        ('other: "a"\n', r"own\.lark: there is no rule 'start'"),
        ("start: start\n", r"own\.lark: .*derives no text"),
    ],
)
def test_errors_name_file_line_and_reason(own, source, message):
    with pytest.raises(GrammarError) as error:
        own(source)
    assert re.search(message, str(error.value)), str(error.value)
    assert "\n" not in str(error.value)


def test_a_grammar_file_that_is_not_there(tmp_path):
    with pytest.raises(GrammarError, match=r"nope\.lark: cannot read the grammar"):
        load_language("nope", tmp_path / "nope.lark")


def test_registered_languages(own):
    assert "json" in languages() and language("json") is language("json")
    assert language_for_path("a/b.json") == "json"
    lang = own('start: "a"', "letter", ("*.letter",))
    assert language("letter") is lang and language_for_path("/x/y.letter") == "letter"
    with pytest.raises(UnknownLanguage, match=r"known: .*json"):
        language("klingon")
    with pytest.raises(UnknownLanguage, match="no versions"):
        language("json", "5")


# -- compiled grammars


def load_twice(path, monkeypatch, change=lambda: None) -> bool:
    """Whether loading a grammar a second time compiles it again."""
    first = grammar_cache.load(path, "start")
    change()
    built = []
    build = grammar_cache.lalr.build
    monkeypatch.setattr(grammar_cache.lalr, "build", lambda source: built.append(1) or build(source))
    second = grammar_cache.load(path, "start")
    if not built:
        assert (second.tables.shift, second.tables.goto) == (first.tables.shift, first.tables.goto)
        assert (second.tables.reduce, second.tables.kernels) == (first.tables.reduce, first.tables.kernels)
        assert second.automaton is not None and first.automaton is not None
        assert second.automaton.as_json() == first.automaton.as_json()
        assert (second.grammar.rules, second.grammar.texts) == (first.grammar.rules, first.grammar.texts)
    return bool(built)


@pytest.fixture
def grammar_file(tmp_path):
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/\n")
    path = tmp_path / "g.lark"
    path.write_text('%import .words.WORD\n%import common.WS\n%ignore WS\nstart: WORD ("," WORD)* start?\n')
    return path


def test_a_grammar_is_compiled_once(grammar_file, monkeypatch, folder):
    assert not load_twice(grammar_file, monkeypatch)
    assert [file.suffix for file in folder.iterdir()] == [".tables"]


def test_a_changed_grammar_is_compiled_anew(grammar_file, monkeypatch):
    text = grammar_file.read_text().replace(",", ";")
    assert load_twice(grammar_file, monkeypatch, lambda: grammar_file.write_text(text))


def test_a_changed_import_is_compiled_anew(grammar_file, monkeypatch):
    words = grammar_file.parent / "words.lark"
    assert load_twice(grammar_file, monkeypatch, lambda: words.write_text("WORD: /[A-Z]+/\n"))


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: b"", lambda data: b"{}", lambda data: b"[1]"]
)
def test_a_damaged_file_is_compiled_anew(grammar_file, monkeypatch, folder, damage):
    def spoil() -> None:
        for file in folder.iterdir():
            file.write_bytes(damage(file.read_bytes()))

    assert load_twice(grammar_file, monkeypatch, spoil)


def test_no_folder_that_can_be_written(grammar_file, monkeypatch, folder):
    folder.write_text("not a folder")
    assert load_twice(grammar_file, monkeypatch)


def test_the_folder_does_not_grow_without_bound(grammar_file, monkeypatch, folder):
    monkeypatch.setattr(grammar_cache, "_KEPT_FILES", 3)
    for n in range(6):
        grammar_file.write_text(f'start: "a"~{n + 1}\n')
        grammar_cache.load(grammar_file, "start")
    assert len(list(folder.iterdir())) == 3


# -- broken files


@pytest.mark.parametrize(
    ("text", "step", "yes", "no"),
    [
        ('{"a": 1,\n"b": |,\n"c": [ }, 3', "right", ["2", '{"x": [2]}'], ["}", ""]),  # a bracket that is never closed
        ('{"a" 1,\n"b": [|]}', "left", ["", "2"], ["}"]),  # a colon is missing above
        ('[1 2,\n{"a": |}, 3]', "left", ["0", "[4]"], ["", "]"]),
        ('{"a": nul,\n"b": [|],\n"c": [ }', "both", ["", "1"], ["}"]),
        ('<<<<<<< HEAD\n"a": 1,\n"b": |\n}', "left", ["0"], ["", "]"]),
        ('{"a": |\n=======\n"b": 2}', "right", ["0,", "[1],"], ["]"]),
        ('{"a": |, "b": [}', "right", ["1", "[]"], ["}", "]"]),  # a file of one line
        ('{"a": 1 2,\n"b": [|]}', "left", ["1, 2"], ["]"]),
        ('{"a": |,\n"b": 1 2,\n"c": [3}', "right", ["0"], ["}", "]}"]),  # two places
    ],
)
def test_broken_json(text, step, yes, no):
    left, right = text.split("|")
    hole = language("json").hole(left, right)
    assert (hole.fallback, hole.viable) == (step, False)
    for middle in yes:
        assert hole.state is not None
        after = hole.state.advance(middle)
        assert after is not None and after.complete, middle
    for middle in no:
        after = hole.state.advance(middle) if hole.state is not None else None
        assert after is None or not after.complete, middle
    assert hole.state is not None and hole.state.bridges()


@pytest.mark.parametrize("seed", range(40))
def test_json_broken_elsewhere_still_has_bridges(seed):
    """And the text they add is a beginning of JSON with the text before or behind, up to the error."""
    rng = random.Random(seed)
    text = json.dumps(random_value(rng, 100), indent=1)
    i = rng.randint(0, len(text))
    at = rng.randint(0, len(text))
    text = text[:at] + rng.choice("{}[]@") + text[at:]
    hole = language("json").hole(text[:i], text[i:])
    assert hole.state is not None
    bridges = hole.state.bridges()
    assert bridges
    for bridge in bridges:
        after = hole.state.advance(bridge)
        assert after is not None and after.complete

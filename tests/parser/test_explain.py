"""The explanation of a hole for a person: it matches the engine's behaviour, and `suture check --explain` prints it."""

import io
import json
import keyword
import tokenize
from itertools import product
from pathlib import Path

import pytest
from suture.parser import Language, language, load_language
from suture.parser.earley import Cfg, Nfa, charts, quotient
from suture.parser.explain import (
    Accepted,
    Explanation,
    Layout,
    OpenBlock,
    OpenBracket,
    explain,
    hole_grammar,
    why_left_breaks,
    why_not_complete,
    why_rejected,
)
from suture.parser.explain.contexts import left_path, right_path
from suture.parser.grammar import cache as grammar_cache
from suture.parser.grammar import lalr, loader
from suture.parser.hole import State
from suture.parser.languages.generic import language as generic

from ..lsp_server.test_cli import check_problem, run  # noqa: F401
from ..support.inside import runtime_of
from ..support.oracle_general import as_file, reaches
from .test_earley import cfg_of, short_words

EXPRESSION = ["NAME", "NUMBER", "IMAGINARY", "STRING", "BYTES", "FSTRING", "None", "True", "False"]
SETTINGS = """
start: entry*
entry: NAME "=" value ";"
value: NUMBER | "on" | "off" | "{" value ("," value)* "}"
NAME: /[a-z_]+/
NUMBER: /[0-9]+(\\.[0-9]+)?/
%ignore /[ \\n]+/
%ignore /#[^\\n]*/
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A user's own language, with its compiled grammar in the test's own folder."""
    monkeypatch.setattr(grammar_cache, "cache_folder", lambda: tmp_path / "cache")
    path = tmp_path / "settings.lark"
    path.write_text(SETTINGS, encoding="utf-8")
    return load_language("settings", path)


def explained(lang: Language, text: str) -> Explanation:
    """At the mark | of a text."""
    left, right = text.split("|")
    state = lang.hole(left, right).state
    assert isinstance(state, State)
    return explain(state, left)


def names(accepted: tuple[Accepted, ...]) -> list[str]:
    return [a.name for a in accepted]


def check_next(lang: Language, text: str, yes: str, no: str = "") -> Explanation:
    """The given symbols may, or may not, come at the mark."""
    found = explained(lang, text)
    accepted = names(found.accepted)
    assert (set(yes.split()) - set(accepted), set(no.split()) & set(accepted)) == (set(), set()), accepted
    return found


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("f(|)", "NAME ) ( lambda * **", ": ] import ,"),
        ("f(x|)", "( [ . , = for ) if", "NAME lambda"),
        ("x = |\n", "NAME yield ( -", "= import )"),
        ("|", "NAME import match @ (", "else case ) ="),
        ("if x:\n    y\n|", "else elif NAME", "except case"),
        ("try:\n    y\n|except e: pass", "", ""),
        ("match x:\n    |", "case", "NAME if"),
        ("x = [1 |\n2]", ", for +", "NAME"),
        ("f'{|}'", "NAME", "}"),
        ("f'{x|}'", "} : = +", "NAME"),
        ("x = 'a|'", "", "NAME"),
        ("import os|\n", ". as , ;", "="),
    ],
)
def test_what_may_come_in_python(text, yes, no):
    check_next(language("python"), text, yes, no)


def test_what_may_come_in_nested_fields_since_312():
    check_next(language("python", "3.12"), "f'{|}'", "NAME", "}")
    check_next(language("python", "3.12"), "f'{x|}'", "} : = + CONVERSION", "NAME")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[|]", ["NUMBER", "STRING", "null", "true", "false", "[", "]", "{"]),
        ('{"a"|: 1}', [":"]),
        ('{|"b": 1}', ["STRING"]),  # "}" would leave the rest without a place
        ("[1, |]", ["NUMBER", "STRING", "null", "true", "false", "[", "{"]),
    ],
)
def test_what_may_come_in_json(text, expected):
    found = names(explained(language("json"), text).accepted)
    assert sorted(found) == sorted(n for n in expected if n != "]" or (text == "[|]" and "]" in found))


def test_both_contexts_count(own):
    check_next(own, "a = {1 |};", ", }", "NUMBER NAME ;")
    check_next(own, "a = {1 |;", ", }", "NUMBER NAME ;")
    check_next(own, "a = |} ;", "{ NUMBER", "} ;")
    check_next(own, "a = |;", "NUMBER on off {", "NAME ; =")
    check_next(own, "a = on|", ";", "NAME")


def test_ignored_text_is_looked_through(own):
    assert explained(own, "a = 1; # so|\n").within == "ignored text"
    check_next(own, "a = 1; # so|\n", "NAME", "NUMBER")


@pytest.mark.parametrize("path", [__file__, Path(__file__).parents[1] / "support" / "oracle_general.py"])
def test_the_true_next_symbol_is_among_those_that_may_come(path):
    """At the beginning of every few symbols of a file; and the hole accepts every example."""
    source = Path(path).read_text(encoding="utf-8")
    starts = [0]
    for line in source.splitlines(True):
        starts.append(starts[-1] + len(line))
    layout = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}
    symbols = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type not in layout]
    session = language("python").session()
    for symbol in symbols[:: max(1, len(symbols) // 30)]:
        at = starts[symbol.start[0] - 1] + symbol.start[1]
        state = session.hole(source, at).state
        assert isinstance(state, State)
        found = explain(state, source[:at])
        assert found.complete
        assert kind_in_grammar(symbol) in names(found.accepted), symbol
        for accepted in found.accepted:
            assert all(state.advance(example) is not None for example in accepted.examples), accepted


def kind_in_grammar(symbol: tokenize.TokenInfo) -> str:
    text = symbol.string
    if symbol.type == tokenize.NAME:
        return text if keyword.iskeyword(text) else "NAME"
    if symbol.type == tokenize.NUMBER:
        return "NUMBER"
    prefix = text.split(text[-1])[0].lower() if symbol.type == tokenize.STRING else None
    return text if prefix is None else "BYTES" if "b" in prefix else "FSTRING" if "f" in prefix else "STRING"


# -- the construct around the cursor


@pytest.mark.parametrize(
    ("text", "within", "symbol", "becomes", "closers"),
    [
        ("x = i|", "a name or keyword", "i", ["NAME"], ()),
        ("if x i|", "a name or keyword", "i", ["is", "in", "if"], ()),
        ("x = 'ab|c'", "a string", "'ab", ["STRING"], ("'",)),
        ("x = 1|", "a number", "1", ["NUMBER", "IMAGINARY"], ()),
        ("x <|", "an operator", "<", ["<", "<=", "<<"], ()),
        ("# a |\n", "a comment", "# a ", [], ("\n",)),
        ("x = |", "", "", [], ()),
    ],
)
def test_the_symbol_in_progress(text, within, symbol, becomes, closers):
    found = explained(language("python"), text)
    assert (found.within, found.text, found.closers) == (within, symbol, closers)
    assert set(becomes) <= set(names(found.becomes)) and bool(becomes) == bool(found.becomes)


def test_the_symbol_in_progress_in_json():
    found = explained(language("json"), "[t|]")
    assert (found.within, found.becomes, found.accepted) == ("a symbol", (Accepted("true", ("true",), "keyword"),), ())


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("def f():\n    if x:\n        y\n    |", Layout(True, (8, 4, 0), None)),
        ("def f():\n    if x:\n|", Layout(True, (), 4)),
        ("def f():\n    if x:|", Layout(False, (), 4)),
        ("def f():\n    x = 1|", Layout(False, (4, 0), None)),
        ("def f():\n    x =|", None),
        ("f(|)", None),
        ("try:\n  x|", Layout(False, (2, 0), None)),
        ("x = 'a|'", None),
    ],
)
def test_layout(text, layout):
    assert explained(language("python"), text).layout == layout


def test_what_is_open():
    text = "class A:\n    def f(self):\n        return g(x, [\n            a, |\n        ])\n"
    found = explained(language("python"), text)
    assert found.blocks == (OpenBlock(4, "class A:", 0), OpenBlock(8, "def f(self):", 13))
    assert found.brackets == (OpenBracket("(", text.index("(x")), OpenBracket("[", text.index("[")))
    state = language("python").hole(*text.split("|")).state
    assert isinstance(state, State)
    unplaced = explain(state)
    assert unplaced.brackets == (OpenBracket("", None),) * 2
    assert unplaced.blocks == (OpenBlock(4, "", None), OpenBlock(8, "", None))


# -- reasons of refusals


@pytest.mark.parametrize(
    ("name", "text", "middle", "refused", "instead"),
    [
        ("python", "f(|)\n", "a b", "b", ", . for"),
        ("python", "x = |\n", "name foo", "f", ". if or"),
        ("python", "x = |\n", "1 +* 2", "*", "NAME -"),
        ("python", "def f():\n    x\n|y\n", "  z", "z", ""),
        ("python", "x = [|]\n", "a for b c", "c", "in ,"),
        ("json", "[|]", "1, 2 3", "3", ","),
        ("json", '{"a": |}', "1, b", "b", "STRING"),
        ("json", '{"a": |}', "1, ]", "]", "STRING"),
    ],
)
def test_why_a_middle_is_refused(name, text, middle, refused, instead):
    left, right = text.split("|")
    state = language(name).hole(left, right).state
    assert isinstance(state, State)
    found = why_rejected(state, middle, left)
    assert found is not None
    assert state.advance(middle[: found.offset]) is not None
    assert state.advance(middle[: found.offset + 1]) is None
    assert middle[found.symbol : found.offset + 1] == refused
    assert set(instead.split()) <= set(names(found.instead.accepted))


def test_a_middle_that_fits_is_not_refused():
    state = language("python").hole("f(", ")\n").state
    assert isinstance(state, State) and why_rejected(state, "a, b") is None


@pytest.mark.parametrize(
    ("name", "text", "breaks"),
    [
        ("python", "x = (|\ny = 2\n", "="),
        ("python", "x = |)\n", ")"),
        ("python", "x = (1|\n", ""),  # at the end
        ("json", '{"a": |}', "}"),
        ("json", "[1, 2|", ""),
    ],
)
def test_why_a_file_is_not_complete(name, text, breaks):
    left, right = text.split("|")
    hole = language(name).hole(left, right)
    assert isinstance(hole.state, State)
    found = why_not_complete(hole.state, left)
    assert found is not None and right[found.symbol : found.offset + 1].strip() == breaks


def test_nothing_breaks_in_a_complete_file():
    state = language("json").hole("[", "]").state
    assert isinstance(state, State) and why_not_complete(state) is None


def test_where_the_text_before_breaks():
    parts = runtime_of(language("python"))
    found = why_left_breaks(parts, "import os\ndef f(x:\n    return x\n")
    assert found is not None
    assert (found.offset, found.symbol, found.instead.brackets) == (29, 23, (OpenBracket("(", 15),))
    assert why_left_breaks(parts, "x = (1,\n") is None


# -- the grammar of a hole


def test_the_grammar_of_a_hole_in_json():
    lang = language("json")
    left, right = '{"a": ', "}"
    state, grammar = lang.hole(left, right).state, runtime_of(lang).grammar
    assert isinstance(state, State) and grammar is not None
    found = hole_grammar(grammar, state, left)
    assert found.rules == (("hole", (("value",), ("hole", '","', "member"))),)
    assert "member" in dict(found.plain) and found.note == ""


PYTHON_WORDS = {
    "NAME": "x", "NUMBER": "1", "STRING": "''", ",": ",", "(": "(", ")": ")", "[": "[", "]": "]", "=": "=", "for": "for",
    "in": "in", ".": ".", "if": "if", ":": ":", ";": ";", "pass": "pass",
}  # fmt: skip


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("y = 1\nf(a, ", ")\nz = 2\n"),
        ("def f():\n    if x:\n        return ", "\n    else:\n        pass\n\n\ny = 3\n"),
        ("class A:\n    b = [\n        c(", ")[", ),
        ("for x in ", ":\n  pass\n"),
        ("f(a, b, c, [1, 2, (x), (y), ", "], z)\n"),
        ("a = 1\nb = 2\nif x:\n    y\n    z\n    w, ", "\n    @d\n    def f(): pass\nelse:\n    u\n    v\nk\nl\n"),
    ],
)  # fmt: skip
def test_the_grammar_of_a_hole_in_python_says_what_the_engine_says(left, right):
    """For all sequences of up to two of these terminals, within one line; the contexts are shortened for the grammar."""
    if right == ")[":
        right = ")\n    ]\n    def g(self): pass\n"
    lang = language("python")
    state, grammar = lang.hole(left, right).state, runtime_of(lang).grammar
    assert isinstance(state, State) and grammar is not None
    before, after = left_path(state, left), right_path(state, grammar).automaton
    assert before is not None and after is not None
    found = quotient(Cfg.of(grammar), before, after)
    terminals = {text: name for name, text in grammar.texts.items()} | {n: n for n in ("NAME", "NUMBER", "STRING")}
    agreed = [0, 0]
    for middle in (m for n in range(3) for m in product(PYTHON_WORDS, repeat=n)):
        typed = state.advance(" " + " ".join(PYTHON_WORDS[word] for word in middle) + " ")
        complete = typed is not None and typed.complete
        assert charts(found, Nfa.of_word(terminals[word] for word in middle)).accepts == complete, middle
        agreed[complete] += 1
    assert min(agreed) > 1, agreed


def test_the_grammar_of_a_hole_within_a_symbol():
    lang = language("python")
    state, grammar = lang.hole("x = 'a", "b'\n").state, runtime_of(lang).grammar
    assert isinstance(state, State) and grammar is not None
    assert hole_grammar(grammar, state, "x = 'a").rules == ()
    assert "within one" in hole_grammar(grammar, state, "x = 'a").note


def test_the_grammar_of_a_hole_stays_small_in_a_long_file():
    """Parts of the contexts that make no difference are left out."""
    left = "def f(x):\n    y = [x, 1]\n" * 300 + "class A:\n    x = 1\n    y = g("
    right = ")\n    @d\n    def h(self): pass\n" + "def f(x):\n    if x: y\n    else:\n        z\n" * 300
    lang = language("python")
    state, grammar = lang.hole(left, right).state, runtime_of(lang).grammar
    assert isinstance(state, State) and grammar is not None
    before, after = left_path(state, left), right_path(state, grammar).automaton
    assert before is not None and after is not None
    assert len(before.edges) < 40 and len(after.edges) < 40


def test_the_grammar_of_a_hole_in_long_json():
    """The same as in a short file."""
    lang, found = language("json"), []
    grammar = runtime_of(lang).grammar
    assert grammar is not None
    for count in (2, 400):
        left, right = (
            "[" + '{"a": [1, 2]}, ' * count + '{"b": ',
            ", " + '"c": [{}, [], 3], ' * count + '"d": 0}' + ", {}" * count + "]",
        )
        state = lang.hole(left, right).state
        assert isinstance(state, State)
        found.append(hole_grammar(grammar, state, left))
    assert found[0] == found[1] and found[0].rules


LISTS = [
    {"start": [("p",), ("start", "a", "p")], "p": [("b",), ("b", "start", "c")]},
    {"start": [("start", "p"), ("c",)], "p": [("a", "p"), ("b",)]},
    {"start": [("a", "p", "b")], "p": [("p", "q"), ()], "q": [("c", "q"), ("a",), ("a", "p", "b")]},
    {"start": [("p", "start"), ("b",)], "p": [("a",), ("a", "c")]},
]


@pytest.mark.parametrize("rules", LISTS)
def test_what_is_left_out_of_contexts_makes_no_difference(rules):
    """In grammars of lists: the quotient by the shortened contexts has the words of the quotient by the whole ones."""
    renamed = {lhs: [tuple(s.upper() if s in "abc" else s for s in rhs) for rhs in rhss] for lhs, rhss in rules.items()}
    source = loader.parse(as_file(renamed, 'A: "a"\nB: "b"\nC: "c"'), "start")
    tables = lalr.build(source)
    automaton = grammar_cache.automaton(source)
    lang = Language("own", None, lambda: generic.new_runtime(source, tables, automaton))
    words, shorter = sorted(short_words(cfg_of(rules), 6), key=lambda word: (-len(word), word)), 0
    for word in words[:: max(1, len(words) // 8)]:
        for i in (1, len(word) // 2, len(word) - 1):
            left, right = word[:i], word[i + 1 :]
            state = lang.hole(left, right).state
            assert isinstance(state, State)
            before, after = left_path(state, left), right_path(state, source).automaton
            assert before is not None and after is not None
            shorter += len(before.edges) < len(left) or len(after.edges) < len(right)
            found = quotient(Cfg.of(source), before, after)
            for middle in (m for n in range(3) for m in product("ABC", repeat=n)):
                expected = reaches(renamed, "start", [*left.upper(), *middle, *right.upper()])
                assert charts(found, Nfa.of_word(middle)).accepts == expected, (word, i, middle)
    assert shorter


# -- the command line


def explain_file(run, tmp_path, name: str, text: str, *options: str) -> tuple[int, str]:  # noqa: F811
    """At the mark | of a file."""
    left, _ = text.split("|")
    path = tmp_path / name
    path.write_text(text.replace("|", ""), encoding="utf-8")
    line, column = left.count("\n") + 1, len(left) - left.rfind("\n") - 1
    code, out, err = run("check", "--explain", path, "--at", f"{line}:{column}", *options)
    assert err == ""
    return code, out


@pytest.mark.parametrize(
    ("name", "text", "options", "expected"),
    [
        ("a.py", "x = f(a, |)\n", [], ["a.py:1:9 (python 3.11): the whole file counts", "Open: `(` 1:5", "Complete as it is: yes"]),
        ("a.py", "x = f(a +|)\n", [], ["Complete as it is: no; the file breaks at 1:9, inside `(` 1:5", "Shortest texts that connect: "]),
        ("a.py", "if x:\n|", [], ["This line may begin at: a new block at any column past 0"]),
        ("a.py", "x = f(|)\n", ["--middle", "a b"], ["`a b` does not fit: it fails at 1:8, its character 3", "    1 | x = f(a b)", "      |         ^"]),
        ("a.py", "x = f(|)\n", ["--middle", "a"], ["`a` fits, and connects both sides"]),
        ("a.py", "x = f(|)\n", ["--middle", "a +"], ["`a +` fits as a beginning; when nothing follows it, the file breaks at 1:9"]),
        ("a.py", "def f(x:\n    return\n\ny = |\n", [], ["a part of what stands before does not count", "breaks at 2:10, inside `(` 1:5", "1:7, something is missing."]),
        ("a.py", "y = |\n\ndef f(x:\n    return\n", [], ["a part of what follows does not count", "Behind it the file breaks at 4:10, inside `(` 3:5", "3:7, something is missing."]),
        ("a.py", "x = = 3\n\ny = |\n", [], ["1:0, `x = = 3` does not count."]),
        ("a.json", '{"a": |, "b": [}', [], ["1:14, something is missing"]),
        ("a.json", '{"a": |}', ["--quotient"], ['  hole: value | hole "," member', '  member: STRING ":" value']),
        ("a.py", "s = 'a|b'\n", ["--quotient"], ["Quotient grammar: the right context ends a symbol"]),
        ("a.py", "f(|)\n", ["--quotient"], ["rules more; --json has all", "of the language's own"]),
        ("a.py", "s = f'{x}'; t = 'a|b'\n", [], ["Within a string `'a`", "ends with: `'`"]),
        ("a.py", "\tx = 1\ny = |\n", [], ["broken above"]),
        ("a.py", "|", [], ["Next:"]),
        ("a.py", 'x = """a\nb|c"""\n', [], ["Within a string, begun at 1:4"]),
        ("a.py", "if x:\n\ty\n|", [], ["This line may begin at: column 8, column 0", "(a tab reaches"]),
        ("a.json", "[|]", ["--middle", "tru]"], ["`tru` may become: true", "possible instead of `tru]`"]),
    ],
)  # fmt: skip
def test_explain_prints(run, tmp_path, name, text, options, expected):  # noqa: F811
    code, out = explain_file(run, tmp_path, name, text, *options)
    assert code == 0
    for words in expected:
        assert words in out, out
    assert all(len(line) <= 130 for line in out.splitlines()[1:])


def test_explain_as_json(run, tmp_path):  # noqa: F811
    code, out = explain_file(run, tmp_path, "a.py", "x = f(|)\n", "--json", "--middle", "a b", "--quotient")
    report = json.loads(out)
    assert (code, report["fallback"], report["explanation"]["complete"]) == (0, "none", True)
    assert {"name": "NAME", "examples": ["name"], "kind": "pattern"} in report["explanation"]["accepted"]
    assert report["middle"]["rejection"]["offset"] == 2
    assert len(report["grammar"]["rules"]) > 100


def test_explain_with_a_grammar_of_ones_own(run, tmp_path):  # noqa: F811
    grammar = tmp_path / "own.lark"
    grammar.write_text(SETTINGS, encoding="utf-8")
    code, out = explain_file(run, tmp_path, "a.conf", "a = |;\n", "--grammar", str(grammar), "--quotient")
    assert code == 0 and "NUMBER `0`" in out and "value" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--explain", "a.py"], ["--at"]),
        (["--explain", "a.py", "--jsonl", "--at", "1:0"], ["--jsonl"]),
        (["a.py"], ["--jsonl", "--explain"]),
        (["--jsonl", "--at", "1:0"], ["--explain"]),
        (["--jsonl", "--quotient"], ["--explain"]),
        (["--explain", "a.py", "--at", "1"], ["LINE:COL"]),
    ],
)
def test_arguments_that_do_not_go_together(run, arguments, words):  # noqa: F811
    check_problem(run("check", *arguments), *words, code=2)


def test_problems_with_files(run, tmp_path):  # noqa: F811
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    check_problem(run("check", "--explain", tmp_path / "none.py", "--at", "1:0"), "none.py", "No such file")
    check_problem(run("check", "--explain", path, "--at", "7:0"), "no line 7")
    check_problem(run("check", "--explain", path, "--at", "1:0", "--language-version", "2.7"), "2.7")
    check_problem(run("check", "--explain", path, "--at", "1:0", "--grammar", tmp_path / "no.lark"), "no.lark")
    (tmp_path / "a.unknown").write_text("x")
    check_problem(run("check", "--explain", tmp_path / "a.unknown", "--at", "1:0"), "--language", "python")

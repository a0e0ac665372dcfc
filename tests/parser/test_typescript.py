"""TypeScript and JavaScript: accepted texts parse with TypeScript's or acorn's parser, and every hole ends valid."""

import json
import random
import re
import string
from collections import deque
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from suture.parser import Language, language, language_for_path
from suture.parser.engine_runtime import EngineRuntime
from suture.parser.explain import explain, why_rejected
from suture.parser.glr.prefix import Engine, PrefixState, Raw
from suture.parser.glr.suffix import SuffixContext
from suture.parser.glr.unknown_gss import ConfigurationSet, UnknownGss
from suture.parser.hole import Hole
from suture.parser.languages.typescript.bridging import TypeScriptBridging
from suture.parser.languages.typescript.dialect import DIALECTS
from suture.parser.languages.typescript.lexer import TypeScriptLexer
from suture.parser.languages.typescript.symbols import AttributeName, Less, TagName
from suture.parser.lexing.base import Choice, LexState, Token

from ..support import oracle_typescript as oracle
from ..support.inside import session_of, state_of
from .typescript_samples import SAMPLES

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "typescript_cases.jsonl").read_text("utf-8").splitlines()
]
SYMBOL = re.compile(r"[\w$]+|\s+|.", re.DOTALL)


LANGUAGES = {"js": "javascript", "jsx": "javascriptreact", "ts": "typescript", "tsx": "typescriptreact"}


def dialect(name: str) -> Language:
    return language(LANGUAGES[name])


def runtime(name: str) -> EngineRuntime:
    found = dialect(name).runtime()
    assert isinstance(found, EngineRuntime)
    return found


def lexer_of(name: str) -> TypeScriptLexer:
    lexer = runtime(name).engine.lexer
    assert isinstance(lexer, TypeScriptLexer)
    return lexer


def accepts(text: str, name: str) -> bool:
    engine = runtime(name).engine
    left = engine.read_text(engine.start, text)
    end = None if left is None else engine.lexer.finish(left.lex)
    return left is not None and end is not None and engine.feed(left.frame, left.stacks, end) is not None


def hole(text: str, name: str, left_end: int, right_start: int) -> Hole:
    return dialect(name).hole(text[:left_end], text[right_start:])


def test_the_cases_are_read_as_they_should() -> None:
    wrong = [case for case in CASES if accepts(case["text"], case["dialect"]) != case["valid"]]
    assert wrong == []


@pytest.mark.parametrize("name", DIALECTS)
def test_samples_are_files_of_which_each_beginning_is_viable(name: str) -> None:
    text, engine = SAMPLES[name], runtime(name).engine
    assert accepts(text, name)
    left: PrefixState | None = engine.start
    for at, char in enumerate(text):
        left = left and engine.read(left, char)
        assert left is not None, text[: at + 1][-40:]


@pytest.mark.parametrize("name", DIALECTS)
def test_line_ends_of_all_kinds_are_one(name: str) -> None:
    for end in ("\r\n", "\r"):
        assert accepts(SAMPLES[name].replace("\n", end), name), end


@pytest.mark.parametrize("name", DIALECTS)
def test_the_oracles_take_the_samples(name: str) -> None:
    oracle.needed()
    assert oracle.typescript(SAMPLES[name], name) == []
    assert name != "js" or oracle.babel(SAMPLES[name], "jsx") is None


@pytest.mark.parametrize("name", DIALECTS)
def test_a_true_middle_makes_the_file_valid(name: str) -> None:
    text, rng = SAMPLES[name], random.Random(1)
    for _ in range(80):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.choice((0, 1, 3, 12)))
        found = hole(text, name, begin, end)
        assert found.fallback == "none", (text[begin - 30 : begin], text[end : end + 30])
        after = state_of(found.state).advance(text[begin:end])
        assert after is not None and after.complete, (text[begin - 30 : begin], text[begin:end])


ATTRIBUTES_BELOW = re.compile(r"^import.*\n\s*with", re.M)
"""Attributes on a line of their own, accepted by TypeScript from 6.0 on."""


@pytest.mark.parametrize("name", DIALECTS)
def test_no_mutant_is_accepted_that_the_oracle_refuses(name: str) -> None:
    oracle.needed()
    rng, seen = random.Random(2), set[str]()
    symbols = SYMBOL.findall(SAMPLES[name])
    for _ in range(500):
        at, other = rng.randrange(len(symbols)), rng.choice(symbols)
        new = rng.choice(([], [other], [symbols[at], other], [symbols[at], "\n"], [symbols[at]] * 2))
        mutant = "".join((*symbols[:at], *new, *symbols[at + 1 :]))
        if mutant in seen or not accepts(mutant, name) or ATTRIBUTES_BELOW.search(mutant) is not None:
            continue
        seen.add(mutant)
        context = "".join((*symbols[max(at - 12, 0) : at], *new, *symbols[at + 1 : at + 12]))
        assert oracle.typescript(mutant, name) == [], context
    assert len(seen) > 80


@pytest.mark.parametrize("name", DIALECTS)
def test_bridges_end_what_is_begun(name: str) -> None:
    text, rng = SAMPLES[name], random.Random(3)
    found = 0
    for _ in range(12):
        cut = rng.randrange(len(text))
        rest = text.find("\n", cut) if rng.random() < 0.5 else len(text)
        state = state_of(hole(text, name, cut, rest).state)
        for bridge in state.bridges():
            found += 1
            assert accepts(text[:cut] + bridge + text[rest:], name), (text[cut - 30 : cut], bridge)
    assert found > 8


@pytest.mark.parametrize("name", DIALECTS)
def test_masks_say_what_reading_says(name: str, tmp_path: Path) -> None:
    text, rng = SAMPLES[name], random.Random(4)
    words = {text[at : at + size] for at in range(0, len(text) - 6, 3) for size in (1, 2, 4)}
    spellings = sorted({word.encode() for word in (*words, *string.punctuation, "/>", "})", "é", "}`")})
    masks = None
    for _ in range(12):
        cut = rng.randrange(len(text))
        state = state_of(hole(text, name, cut, cut).state)
        masks = masks or state.new_masks(spellings, len(spellings), tmp_path)
        assert masks is not None
        bits = np.unpackbits(masks.text(state)[1].view(np.uint8), bitorder="little")
        for spelling, bit in zip(spellings, bits, strict=False):
            assert bool(bit) == (state.advance(spelling.decode()) is not None), (text[cut - 20 : cut], spelling)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_state_of_the_lexer_is_known(name: str) -> None:
    """The reachable states are those listed, except for names of elements and their possible ends."""
    lexer = lexer_of(name)
    known, todo = set(lexer.all_states()), deque(lexer.all_states())
    chars = [*lexer.automaton.examples().values(), *string.punctuation, "\n", " ", *"extends"]
    met = set(known)
    while todo:
        at = todo.popleft()
        for char in chars:
            after, tokens = lexer.step(at, char)
            ways = [option.lex for option in tokens.options] if type(tokens) is Choice else []
            for state in [state for state in (after, *ways) if state is not None and state not in met]:
                assert isinstance(state.symbol, TagName | Less | AttributeName), state
                met.add(state)
    assert {lexer.start, lexer.clean, lexer.new_line} <= known


def test_a_member_of_a_type_may_begin_with_its_parameters() -> None:
    text = "interface A {\n  f(x: B): C\n  <T extends B = B>(x: T): T\n  new <T>(x: T): T\n}\nx = a\n<b>c</b>"
    assert all(accepts(text.rpartition("x =")[0], name) for name in ("ts", "tsx"))
    assert not accepts(text, "tsx")


def test_the_end_of_an_element_has_its_name() -> None:
    assert accepts("x = <a.b><c></c><c/></a.b>", "tsx")
    assert not accepts("x = <a.b><c></d></a.b>", "tsx")
    engine = runtime("tsx").engine
    assert engine.read_text(engine.start, "x = <ab>{<c></") is not None
    assert engine.read_text(engine.start, "x = <ab>{<c></a") is None
    assert engine.read_text(engine.start, "x = <ab>{<c></c>}</a") is not None
    assert engine.read_text(engine.start, "x = <ab>{<c></c>}</ac") is None
    found = dialect("tsx").hole("x = <ab>{<c>", "</ab>")
    bridges = state_of(found.state).bridges()
    assert "</c>}" in bridges


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("const a = (\n  <Box>\n   ", "  <Stat />\n        </Box>\n      </Flex>\n  )\n"),
        ("function f() {\n return (\n  <div>", "{x}</p>\n    <b c={d}>\n  </b>\n </section>)\n}\n"),
        ("const a = ", "</>\n"),
    ],
)
def test_elements_that_the_right_context_ends_are_begun(left: str, right: str) -> None:
    bridges = state_of(dialect("tsx").hole(left, right).state).bridges()
    assert bridges and all(accepts(left + bridge + right, "tsx") for bridge in bridges)


def test_what_follows_a_right_context_in_text_or_a_tag() -> None:
    for left, right in (
        ("x = <a>te", "xt</a>"),
        ("x = <a b", "c={d}>e</a>"),
        ("x = `a", "b ${c} d`"),
        ("x = /a[", "/]b/g"),
        ("x = <a>{b", "}</a>"),
        ("x = <a b={{c", "}}/>"),
        ("x = <a b='", "c'/>"),
        ("x = <a", "b></ab>"),
        ("x = <ab></a", "b>"),
    ):
        found = dialect("tsx").hole(left, right)
        assert found.fallback == "none" and state_of(found.state).complete, (left, right)


def test_a_session_knows_what_a_fresh_one_knows() -> None:
    rng, text = random.Random(5), SAMPLES["tsx"]
    session = dialect("tsx").session()
    for _ in range(40):
        at = rng.randrange(len(text))
        change = rng.choice(("", "x", "}", "{", "\n", "`", "<b>", "/", "</p>"))
        text = text[:at] + change + text[at + rng.choice((0, 0, 1)) :]
        cut = min(len(text), max(0, at + rng.randrange(-20, 20)))
        session_of(session).renewed_view(text, cut)  # as in a pause
        one, other = session.hole(text, cut), dialect("tsx").session().hole(text, cut)
        assert one.fallback == other.fallback, (text[cut - 20 : cut], text[cut : cut + 20])
        if one.fallback == "none":
            assert state_of(one.state).left is state_of(other.state).left
            assert state_of(one.state).complete == state_of(other.state).complete
        if rng.random() < 0.5 or not accepts(text, "tsx"):
            text = SAMPLES["tsx"]


@pytest.mark.parametrize("name", DIALECTS)
def test_what_simple_texts_make_a_file_with_is_viable(name: str) -> None:
    rng, text, found = random.Random(9), SAMPLES[name], 0
    for _ in range(20):
        cut = rng.randrange(len(text))
        session = dialect(name).session()
        context = state_of(session.hole(text[:cut] + text[text.index("\n", cut) :], cut).state).context
        found += bool(context.right.witnesses)
        context.right.witnesses.clear()
        assert runtime(name).viable_suffix(context.right, context.engine.lexer.start), text[cut - 30 : cut]
    assert found > 6


def test_a_cut_line_asks_no_unknown_stacks() -> None:
    session = dialect("ts").renewed().session()
    steps, step = 0, UnknownGss.over

    def over(self: UnknownGss, configs: ConfigurationSet | None, tokens: Iterable[Token]) -> ConfigurationSet | None:
        nonlocal steps
        steps += 1
        return step(self, configs, tokens)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UnknownGss, "over", over)
        text = "export function f() {\n  const x = g(\n  if (a) {\n    b();\n  }\n}\n"
        assert session.hole(text, text.index("(\n") + 1).viable
        assert not steps
        assert session.hole(text.replace("}", "]"), 0).fallback != "none"
        assert steps


def test_a_search_for_a_bridge_that_is_far_ends_soon() -> None:
    text = "f(() => {\n  if (a) {\n    g(\n      b,\n    );\n  } else {\n    c();\n  }\n});\n"
    written = "\n  }\n});\nlet d = [{ a: (b"
    state = state_of(dialect("ts").hole(text[:40], text[40:]).state).advance(text[40:58] + written)
    assert state is not None
    expanded, words = 0, TypeScriptBridging.words

    def counted(self: TypeScriptBridging, left: PrefixState, right: SuffixContext) -> Iterable[str]:
        nonlocal expanded
        expanded += 1
        return words(self, left, right)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TypeScriptBridging, "words", counted)
        state.bridges()
    assert expanded < 300


BROKEN = """import a from "a"
function broken( { return 1
const kept = 1
describe("a", () => {
  it("b", () => {
    const x = ]
    expect(x)
  })
  it("c", () => {
    CURSOR
  })
  it("d", () => {
    foo(
  })
  it("e", () => {})
})
export function f() { return (1 }
export const g = 1
"""


def test_what_is_broken_elsewhere_is_hidden() -> None:
    left, right = BROKEN.split("CURSOR")
    found = dialect("ts").hole(left, right)
    assert found.fallback == "both"
    state = state_of(found.state)
    assert state.complete
    after = state.advance("expect(kept).toBe(1);")
    assert after is not None and after.complete
    assert state.advance("expect(kept]") is None
    assert (text := state.context.right.text).count("it(") == 2 and "g = 1" in text


def test_keys_in_a_broken_file_hide_the_same() -> None:
    left, right = BROKEN.split("CURSOR")
    session, hidden = dialect("ts").session(), set[tuple[str, ...]]()
    for key in range(1, 9):
        text = left + "value = f"[:key] + right
        found = session.hole(text, len(left) + key)
        hidden.add(tuple(text[begin:end] for begin, end in found.hidden))
    assert len(hidden) == 1 and any(hidden)


def test_keys_in_a_line_that_is_broken_read_no_other_again() -> None:
    left, right = "class A {\n" + "  f() { return 1; }\n" * 100 + "  g() ] ", "\n}\n"
    session, lines, read_line = dialect("ts").session(), 0, Engine.read_line

    def counted(self: Engine, raw: Raw, line: str) -> Raw | None:
        nonlocal lines
        lines += 1
        return read_line(self, raw, line)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "read_line", counted)
        for key in range(1, 6):
            found = session.hole(left + "value"[:key] + right, len(left) + key)
            assert found.fallback == "line"
            if key == 1:
                assert lines > 100
                lines = 0
    assert lines < 40


@pytest.mark.parametrize(("name", "file"), [("ts", "a.mts"), ("tsx", "b/c.tsx"), ("js", "d.cjs"), ("jsx", "e.jsx")])
def test_a_file_is_read_in_its_dialect(name: str, file: str) -> None:
    assert language_for_path(file) == LANGUAGES[name]
    assert accepts("x = <T>y" if name == "ts" else "x = <T>y</T>", name)
    assert accepts("let x: y", name) == name.startswith("ts")


def test_what_may_come_is_explained() -> None:
    state = state_of(dialect("tsx").hole("const f = () => {\n  let n = ", "\n}\n").state)
    said = explain(state, "const f = () => {\n  let n = ")
    texts = {example for one in said.accepted for example in one.examples}
    assert texts >= {"x", "0", "function", "[", "<", "/x/"} and not texts & {")", "}", "=>", "const", "?"}
    assert [(bracket.text, bracket.offset) for bracket in said.brackets] == [("{", 16)]
    rejection = why_rejected(state, "<a>b</c>", "const f = () => {\n  let n = ")
    assert rejection is not None and rejection.offset == 6
    assert explain(state_of(dialect("ts").hole("x\nretu", "").state)).becomes != ()


def test_states_name_what_comes() -> None:
    lexer, engine = lexer_of("tsx"), runtime("tsx").engine

    def after(text: str) -> LexState:
        left = engine.read_text(engine.start, text)
        assert left is not None
        return left.lex

    regions = {"x = 'a": "string", "// a": "comment", "x = `a": "string", "x = `${a": "code", "<a>b": "string"}
    assert {text: lexer.region(after(text)) for text in regions} == regions
    assert lexer.in_comment(after("x = <a /* b")) and not lexer.in_comment(after("x = <a /* b */"))

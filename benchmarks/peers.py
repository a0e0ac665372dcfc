"""llguidance and xgrammar beside this engine, in one run: JSON, and a language like Python without indentation.

All three read the same language, each in its own notation, without a right context, unsupported by the others. Masks are compared bit by bit;
where they differ, the tokens are counted on both sides, with examples (llguidance accepts no white space before the first symbol and after
the last). Both are optional: `pip install --group bench`.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from suture import model, parser
from suture.model.decoding.token_step import DecodingState

from .vocabularies import Measured, vocabulary

Head = Callable[[str, str], None]
Row = Callable[..., None]

JSON_LARK = r"""
start: value
value: object | array | STRING | NUMBER | "true" | "false" | "null"
object: "{" "}" | "{" member ("," member)* "}"
member: STRING ":" value
array: "[" "]" | "[" value ("," value)* "]"
STRING: /"([^"\\\x00-\x1f]|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
%ignore /[ \t\n\r]+/
"""
JSON_EBNF = r"""
root ::= ws value ws
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws "}" | "{" ws member (ws "," ws member)* ws "}"
member ::= string ws ":" ws value
array ::= "[" ws "]" | "[" ws value (ws "," ws value)* ws "]"
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1f] | "\\" ["\\/bfnrt] | "\\u" hex hex hex hex
hex ::= [0-9a-fA-F]
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
ws ::= [ \t\n\r]*
"""
# Calls, attributes, displays, operators, functions; blocks in braces, and signs for keywords, so that one reading by characters
# (xgrammar) and two by lexers agree.
BRACES_LARK = r"""
start: statement*
statement: expression ";" | NAME "=" expression ";" | "@" NAME "(" names ")" block | "?" expression block (":" block)?
names: (NAME ("," NAME)*)?
block: "{" statement* "}"
expression: term (operator term)*
operator: "+" | "-" | "*" | "/" | "<" | ">" | "==" | "<=" | ">="
term: "-" term | primary
primary: NAME trailer* | NUMBER | STRING | "(" expression ")" | "[" items "]"
trailer: "(" items ")" | "[" expression "]" | "." NAME
items: (expression ("," expression)*)?
NAME: /[a-zA-Z_][a-zA-Z_0-9]*/
NUMBER: /[0-9]+(\.[0-9]+)?/
STRING: /"([^"\\\x00-\x1f]|\\["\\nt])*"/
%ignore /[ \t\n\r]+/
"""
BRACES_EBNF = r"""
root ::= ws (statement ws)*
statement ::= expression ws ";" | name ws "=" ws expression ws ";" | "@" ws name ws "(" ws names ")" ws block
            | "?" ws expression ws block (ws ":" ws block)?
names ::= (name ws ("," ws name ws)*)?
block ::= "{" ws (statement ws)* "}"
expression ::= term (ws operator ws term)*
operator ::= "+" | "-" | "*" | "/" | "<" | ">" | "==" | "<=" | ">="
term ::= "-" ws term | primary
primary ::= name (ws trailer)* | number | string | "(" ws expression ws ")" | "[" ws items "]"
trailer ::= "(" ws items ")" | "[" ws expression ws "]" | "." ws name
items ::= (expression ws ("," ws expression ws)*)?
name ::= [a-zA-Z_] [a-zA-Z_0-9]*
number ::= [0-9]+ ("." [0-9]+)?
string ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\nt])* "\""
ws ::= [ \t\n\r]*
"""


class Engine(Protocol):
    """One of the three, along one text."""

    def mask(self) -> np.ndarray:
        """The packed mask here, timed: (words,) int32, its own until the next call."""
        ...

    def check(self, token: int) -> bool:
        """Accept a token, timed: whether it is allowed; and check whether the text may end after it."""
        ...

    @property
    def complete(self) -> bool: ...


class Ours:
    def __init__(self, measured: Measured, language: parser.Language, folder: Path) -> None:
        self._masks = model.TokenMasks(measured.vocabulary.bytes_of, [measured.end], folder=folder)
        state = language.hole("", "").state
        assert state is not None
        self._masks.prepare(state)
        self._position = DecodingState(state)
        self._complete = False

    def mask(self) -> np.ndarray:
        return self._masks.bitmask(self._position)

    def check(self, token: int) -> bool:
        position = self._position.after(self._masks.spellings[token] or b"")
        if position is None:
            return False
        self._position = position
        self._complete = position.closed and position.state.complete
        return True

    @property
    def complete(self) -> bool:
        return self._complete


class LlGuidance:
    def __init__(self, measured: Measured, lark: str) -> None:
        import llguidance  # pyright: ignore[reportMissingImports]
        import llguidance.numpy as packed  # pyright: ignore[reportMissingImports]

        wrapper = llguidance.TokenizerWrapper(_Tokens(measured))
        tokenizer = llguidance.LLTokenizer(wrapper, n_vocab=len(measured.vocabulary))
        self._matcher = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_lark(lark))
        assert not self._matcher.is_error(), self._matcher.get_error()
        self._bits = packed.allocate_token_bitmask(1, len(measured.vocabulary))
        self._fill = packed.fill_next_token_bitmask
        self._complete = False

    def mask(self) -> np.ndarray:
        self._fill(self._matcher, self._bits)
        return self._bits[0]

    def check(self, token: int) -> bool:
        taken = self._matcher.consume_token(token)
        self._complete = self._matcher.is_accepting()
        return taken

    @property
    def complete(self) -> bool:
        return self._complete


class XGrammar:
    def __init__(self, measured: Measured, ebnf: str) -> None:
        import xgrammar  # pyright: ignore[reportMissingImports]

        spelled = [spelling or b"" for spelling in measured.vocabulary.bytes_of]
        info = xgrammar.TokenizerInfo(spelled, xgrammar.VocabType.RAW, stop_token_ids=[measured.end])
        compiled = xgrammar.GrammarCompiler(info, max_threads=1).compile_grammar(ebnf)
        self._matcher = xgrammar.GrammarMatcher(compiled)
        self._bits = np.zeros((1, -(-len(spelled) // 32)), dtype=np.int32)

    def mask(self) -> np.ndarray:
        self._bits.fill(-1)
        self._matcher.fill_next_token_bitmask(self._bits)
        return self._bits[0]

    def check(self, token: int) -> bool:
        return self._matcher.accept_token(token)

    @property
    def complete(self) -> bool:
        return self._matcher.is_completed() if hasattr(self._matcher, "is_completed") else False


class _Tokens:
    """A vocabulary in llguidance's form."""

    def __init__(self, measured: Measured) -> None:
        spelled = measured.vocabulary.bytes_of
        self.eos_token_id, self.bos_token_id = measured.end, None
        self.tokens = [b"\xff<%d>" % i if s is None else s for i, s in enumerate(spelled)]
        self.special_token_ids = [i for i, s in enumerate(spelled) if s is None]
        self._encode = measured.vocabulary.encode

    def __call__(self, text: bytes | str) -> list[int]:
        return list(self._encode(text.decode(errors="replace") if isinstance(text, bytes) else text))


def json_text(rng: random.Random, depth: int = 4) -> str:
    """A random value, indented."""
    import json

    def value(depth: int) -> object:
        kind = rng.random()
        if depth and kind < 0.35:
            return {_word(rng): value(depth - 1) for _ in range(rng.randrange(1, 5))}
        if depth and kind < 0.6:
            return [value(depth - 1) for _ in range(rng.randrange(1, 5))]
        choices = (rng.randrange(-9999, 9999), rng.random() * 100, True, None, f'{_word(rng)} "é" {_word(rng)}\n')
        return rng.choice(choices)

    return json.dumps([value(depth) for _ in range(6)], indent=2, ensure_ascii=False)


def braces_text(rng: random.Random, depth: int = 3) -> str:
    """A random program."""

    def expression(depth: int) -> str:
        kind = rng.randrange(8) if depth else rng.randrange(3)
        parts = [lambda: _word(rng), lambda: str(rng.randrange(999)), lambda: f'"{_word(rng)}: \\n"']
        if kind < 3:
            return parts[kind]()
        inner = [expression(depth - 1) for _ in range(rng.randrange(1, 4))]
        forms = (
            f"{_word(rng)}({', '.join(inner)})", f"[{', '.join(inner)}]", f"{_word(rng)}.{_word(rng)}[{inner[0]}]",
            f"{inner[0]} {rng.choice(['+', '*', '<=', '=='])} {inner[-1]}", f"-({inner[0]})",
        )  # fmt: skip
        return forms[kind - 3]

    def block(depth: int, indent: str) -> str:
        return "{\n" + "".join(statement(depth, indent + "    ") for _ in range(rng.randrange(1, 4))) + indent + "}"

    def statement(depth: int, indent: str) -> str:
        kind = rng.randrange(4) if depth else rng.randrange(2)
        forms: Sequence[Callable[[], str]] = (
            lambda: f"{_word(rng)} = {expression(2)};",
            lambda: f"{_word(rng)}({expression(1)});",
            lambda: f"@{_word(rng)}({_word(rng)}, {_word(rng)}) {block(depth - 1, indent)}",
            lambda: f"? {expression(1)} {block(depth - 1, indent)} : {block(depth - 1, indent)}",
        )
        return indent + forms[kind]() + "\n"

    return "".join(statement(depth, "") for _ in range(12))


def _word(rng: random.Random) -> str:
    return rng.choice(
        ["value", "name", "self_items", "index", "read_lines", "count", "x", "result", "total", "path", "data2", "node"]
    )


def section(name: str, seed: int, head: Head, row: Row) -> None:
    """Measure all of them on both languages; tables by `head` and `row`."""
    measured = vocabulary(name) or vocabulary("embedded")
    assert measured is not None
    parser.freeze_garbage()  # like the server; without it the maxima are full collections
    with tempfile.TemporaryDirectory() as folder:
        grammar = Path(folder) / "braces.lark"
        grammar.write_text(BRACES_LARK)
        ours = {"JSON": parser.language("json"), "braces": parser.load_language("braces", grammar)}
        lark, ebnf = {"JSON": JSON_LARK, "braces": BRACES_LARK}, {"JSON": JSON_EBNF, "braces": BRACES_EBNF}
        texts: dict[str, Callable[[random.Random], str]] = {"JSON": json_text, "braces": braces_text}
        for title in ours:
            makers: dict[str, Callable[[], Engine]] = {
                "suture": lambda t=title: Ours(measured, ours[t], Path(folder)),
                "llguidance": lambda t=title: LlGuidance(measured, lark[t]),
                "xgrammar": lambda t=title: XGrammar(measured, ebnf[t]),
            }
            _compare(measured, title, makers, [texts[title](random.Random(seed + i)) for i in range(3)], head, row)


def _compare(
    measured: Measured, title: str, makers: dict[str, Callable[[], Engine]], texts: Sequence[str], head: Head, row: Row
) -> None:
    times: dict[str, tuple[list[float], list[float]]] = {}
    masks: dict[str, list[np.ndarray]] = {}
    built: dict[str, float] = {}
    for name, make in makers.items():
        try:
            times[name], masks[name] = _along(measured, make, texts, built, name)
        except ImportError as error:
            print(f"{name}: skipped, {error}; pip install --group bench", file=sys.stderr)
    count = sum(len(measured.vocabulary.encode(text)) for text in texts)
    head(f"{title}, {measured.title}, {count} tokens", "tokens")
    for name, (checks, filled) in times.items():
        row(f"{name}: mask (ms)", filled)
        row(f"{name}: check, advance, end? (us)", checks, unit=1e6)
    print("prepared in " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in built.items()))
    _differences(measured, masks)


def _along(
    measured: Measured, make: Callable[[], Engine], texts: Sequence[str], built: dict[str, float], name: str
) -> tuple[tuple[list[float], list[float]], list[np.ndarray]]:
    checks: list[float] = []
    filled: list[float] = []
    masks: list[np.ndarray] = []
    for text in texts:
        before = time.thread_time()
        engine = make()
        built.setdefault(name, time.thread_time() - before)
        for token in measured.vocabulary.encode(text):
            before = time.thread_time()
            mask = engine.mask()
            filled.append(time.thread_time() - before)
            masks.append(mask.copy())
            before = time.thread_time()
            taken = engine.check(token)
            _ = engine.complete
            checks.append(time.thread_time() - before)
            assert taken, f"{name} does not take {measured.vocabulary.bytes_of[token]!r} in {text!r}"
    return (checks, filled), masks


def _differences(measured: Measured, masks: dict[str, list[np.ndarray]]) -> None:
    ours = masks.get("suture", [])
    text = np.array([bool(spelling) for spelling in measured.vocabulary.bytes_of])
    for name, theirs in masks.items():
        if name == "suture":
            continue
        states = more = less = ends = 0
        examples: dict[str, list[Any]] = {"only theirs": [], "only ours": []}
        for a, b in zip(ours, theirs, strict=True):
            first, second = _bits(a, len(text)), _bits(b, len(text))
            ends += int(first[measured.end] != second[measured.end])
            extra, missing = np.flatnonzero(second & ~first & text), np.flatnonzero(first & ~second & text)
            states += bool(len(extra) or len(missing))
            more, less = more + len(extra), less + len(missing)
            examples["only theirs"] += [measured.vocabulary.bytes_of[i] for i in extra[:3]]
            examples["only ours"] += [measured.vocabulary.bytes_of[i] for i in missing[:3]]
        print(
            f"{name} against suture: {len(ours) - states} of {len(ours)} masks equal; {more} tokens only theirs, {less} only ours, "
            f"the end differs {ends} times"
        )
        for side, texts_of in examples.items():
            if texts_of:
                print(f"  {side}: {', '.join(map(repr, dict.fromkeys(texts_of[:12])))}")


def _bits(packed: np.ndarray, size: int) -> np.ndarray:
    return np.unpackbits(packed.view(np.uint8), count=size, bitorder="little").view(bool)

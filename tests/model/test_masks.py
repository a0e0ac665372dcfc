"""A mask agrees with checking each token alone, in any state; prepared groups are safe in the cache."""

import gc
import gzip
import json
import random
import re
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from suture.model import TokenMasks
from suture.model.decoding.token_step import DecodingState, TokenChecker
from suture.model.prompting.vocabulary import Vocabulary
from suture.parser import Language, language, load_language
from suture.parser.languages.python.language import new_runtime
from suture.parser.token_masks import masks as masks_module
from suture.parser.token_masks import partition, store
from suture.parser.token_masks.grouping import Walker
from suture.parser.token_masks.partition import partition_of
from suture.parser.token_masks.spreading import NearMasks, Spread
from tokenizers import Tokenizer

from ..support.inside import state_of
from ..support.modelzoo import Brackets, bytelevel, sentencepiece
from ..support.oracle_python import stdlib_sources
from ..support.work import PATIENCE_S
from .test_vocabulary import real

END = 0
WORDS = """
if else elif in is not and or lambda as for def class return import from match case type async await None True print self x re ret
el ma no la f rb Rb fr t 0 1 12 0x 0xF 0b 1e 1e5 1_ _1 1. .5 1j 0or 5if .. ... -> := == != <> <= ** // ** **= @ ~ ! !r !r} = , ; :
( ) [ ] { } ( [] () {} )) )): ]: ], }, }} {{ ((( "( )" ): ):\\n ,\\n :\\n :\\n\\n \\n\\n \\n \\n# #\\n \\n#x \\r \\r\\n \\r\\n\\t \\\\\\n \\\\ \\n\\\\\\n
\\n_\\t_\\t _ __ ___ ____ ________ \\t \\t\\t _\\t \\t_ _x __x ____x \\tx \\f \\fx _\\fx _if ____if ________return \\n____x \\n__x \\n____\\n
' " '' "" ''' ''\\" \\"\\"\\" '\\n f' f" rf" f'{ {x} {x!r} {x:>{y}} {x=} } }' {'a \\\\x \\\\x4 \\\\u \\\\N \\\\N{ DIGIT_ONE} \\\\n \\" ': ':_ ": " "} {" {"a": [1, 1] true null -1 1.5e+
\\nx \\n@ #a\\nx \\\\\\nx \\n__x #\\nif
é 漢 漢字 É 😀 \u0301 éa aé é( \ufeff \u2028 '漢
"""


def words() -> list[bytes | None]:
    """A vocabulary of difficult tokens, all bytes among them; the first ends a text, the second stands for none."""
    texts = [word.encode().decode("unicode_escape").encode("latin-1").decode() for word in WORDS.split()]
    spelled = [text.replace("_", " ").encode() if set(text) - {"_"} else b" " * len(text) for text in texts]
    partial = [
        b"\xc3",
        b"a\xc3",
        b"\xe6\xbc",
        b"(\xe6",
        b"'\xf0\x9f",
        b"\xf0",
        b"\xa9",
        b"\xa9x",
        b"\xbc\xa2(",
        b"\x9f\x98\x80",
    ]
    every = [bytes([byte]) for byte in range(256)]
    return [None, None, *dict.fromkeys([*spelled, *(b" " + s for s in spelled[:90]), *partial, *every])]


VOCABULARY = words()
RULES = {
    "sums": 'start: sum\nsum: term | sum "+" term\nterm: NAME | "(" sum ")" | "let" NAME\nNAME: /[a-zé]+/\n%ignore / +/',
    "words": 'start: (A | B)*\nA: "ab" | "abab" "c"\nB: /b[a-c]*;/\nCOMMENT: /#[^\\n]*/\n%ignore COMMENT\n%ignore "\\n"',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("masks")


def one_by_one(position: DecodingState, masks: TokenMasks) -> np.ndarray:
    """The slow oracle."""
    complete = position.closed and position.state.complete
    mask = np.zeros(masks.size, dtype=bool)
    for token, spelling in enumerate(masks.spellings):
        mask[token] = complete if token in masks.ends else bool(spelling and position.after(spelling))
    return mask


def check(position: DecodingState, masks: TokenMasks) -> np.ndarray:
    """The mask of a position equals the oracle's, in both forms; packed by its tokens."""
    expected, mask, packed = one_by_one(position, masks), masks.allowed(position), masks.bitmask(position)
    wrong = [masks.spellings[token] for token in np.flatnonzero(mask != expected)]
    assert not wrong, f"{wrong} after {position}, a {position.state.left.lex}"  # type: ignore[attr-defined]
    assert packed.dtype == np.int32 and packed.shape == (-(-masks.size // 32),)
    assert [bool(packed[i // 32] >> (i % 32) & 1) for i in range(masks.size)] == mask.tolist()
    return mask


def wander(position: DecodingState, masks: TokenMasks, steps: int, rng: random.Random) -> None:
    """Check along a random text of tokens; rare ones as often as others."""
    for _ in range(steps):
        allowed = [i for i in np.flatnonzero(check(position, masks)) if i not in masks.ends]
        if not allowed:
            break
        following = position.after(masks.spellings[rng.choice(allowed)] or b"")
        assert following is not None
        position = following


def hole(lang: Language, left: str, right: str) -> DecodingState:
    state = lang.hole(left, right).state
    assert state is not None
    return DecodingState(state)


PLACES = [
    ("", ""),
    ("x = 1\nif x", ":\n    pass\n"),
    ("def f(a):\n    if a:\n        return [a, (b", ")]\n"),
    ("def f(a):\n    if a:\n", "\n    return 1\n"),
    ("class A:\n\tdef f(self):\n\t\tx = 1\n\t", "\n"),
    ("if x:\n    y\n  \t", "\nelse:\n    z\n"),
    ("x = f'a{b", "}'\n"),
    ("x = f'a{b!r:>{", "}}c'\n"),
    ('x = rb"\\x', '"\n'),
    ("x = '\\N{DIGIT ", "'\n"),
    ("x = '''a''", "'''\n"),
    ("x = 1", "\n"),
    ("x = 0", "if y else z\n"),
    ("x = a", "b\n"),
    ("x = 1 \\", "\n+ 2\n"),
    ("if a:\n    b\n\\\n   ", "\n"),
    ("# co", "\nx\n"),
    ("x = 1\r", "\ny = 2\r\n"),
    ("x = lambda", ": 0\n"),
    ("match x:\n    case ", ":\n        pass\n"),
    ("x = " + "(" * 198, ")" * 198),
    ("@", "\ndef f(): pass\n"),
]


def test_masks_are_exact_in_python(folder: Path) -> None:
    rng, python = random.Random(1), language("python")
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    masks.prepare(hole(python, "", "").state)
    for left, right in PLACES:
        wander(hole(python, left, right), masks, 5, rng)


@pytest.mark.parametrize("version", ["3.8", "3.13", "3.15"])
def test_masks_are_exact_in_other_versions(version: str, folder: Path) -> None:
    rng, python = random.Random(version), language("python", version)
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    if version == "3.13":
        masks.prepare(hole(python, "", "").state)
    for left, right in PLACES[::3]:
        wander(hole(python, left, right), masks, 3, rng)


def test_masks_are_exact_unprepared(tmp_path: Path) -> None:
    masks = TokenMasks(VOCABULARY, [END], folder=tmp_path)
    for left, right in PLACES[::4]:
        wander(hole(language("python"), left, right), masks, 2, random.Random(1))
    assert not list(tmp_path.iterdir())


UNUSUAL = [
    *("x = f'{", "x = f'{ ", "x = f'{a", "x = f'{a.b", "x = f'{ab(", "x = f'{ab(c", "x = f'{ab(c)", "x = f'{a[b"),
    *("x = f'{a < ", "x = f'{1.", "x = f'{l", "x = f'{lambda", "x = f'{(lambda a: ", "x = f'{a!", "x = f'{a!r"),
    *("x = f'{a=", "x = f'{a=!", "x = f'{a:", "x = f'{a:>{b", "x = f'{a:{b}.", "x = f'{a:{b!r", "x = rf'\\d{a"),
    *("x = f'''{a(", "x = f'''{a\n", "x = f'''a{'b", 'x = f"""{a + ', "x = f'''a''", "x = f\"{f'{a", "x = f\"{f'{a}"),
    *("x = f\"{a['b", "x = f'{[i for i in ", "x = f'{{a:", "x = f'{ {a: b", "x = f'{a if b else ", "x = '''a'"),
    *("x = '''a\\", "x = 'a\\", "x = b'\\x1", "x = '\\U0001", "x = '\\N", "x = '\\N{", "x = '\\N{D", "x = f'\\N{DI"),
    *(
        "x = 0x",
        "x = 1_",
        "x = 1e",
        "x = (1\r",
        "if x:\n  \r",
        "x = f'''a{b}\r",
        "# a\r",
        "x = 'a\\\r",
        "if a:\n\tx\n    \t",
    ),
]
"""In fields of strings and behind them, in escapes, numbers, and between carriage return and line feed."""
RIGHTS = (
    "'\n",
    "}'\n",
    ")}'\n",
    "]}'\n",
    "])}'\n",
    '}"\n',
    "']}\"\n",
    "'''\n",
    "}'''\n",
    ")}'''\n",
    "}'}\"\n",
    "\n",
    "",
)


def viable(python: Language, left: str) -> DecodingState | None:
    """A hole after a text, before a fitting right context."""
    states = (python.hole(left, right).state for right in RIGHTS)
    return next((DecodingState(state) for state in states if state is not None), None)


@pytest.mark.parametrize("version", ["3.8", "3.11", "3.12", "3.13", "3.14", "3.15"])
def test_masks_are_exact_in_unusual_lexer_states(version: str, folder: Path) -> None:
    rng, python = random.Random(version), language("python", version)
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    masks.prepare(hole(python, "", "").state)
    places = [place for left in UNUSUAL if (place := viable(python, left)) is not None]
    assert len(places) > len(UNUSUAL) * 0.8
    for place in places:
        wander(place, masks, 2, rng)


def test_in_fields_only_what_is_special_is_grouped_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In code within a string, tokens are those of code; few others are read."""
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    read: list[int] = []
    groups = Walker.groups
    monkeypatch.setattr(Walker, "groups", lambda *args: read.append(len(args[2].end_node)) or groups(*args))
    for version, left in (("3.11", "x = f'{a + [b"), ("3.13", "x = f'{f([b")):
        python = language("python", version)
        masks.prepare(hole(python, "", "").state)
        read.clear()
        place = viable(python, left)
        assert place is not None
        check(place, masks)
        assert len(read) == 1 and read[0] < len(VOCABULARY) / 4


def test_masks_are_exact_along_real_code(folder: Path) -> None:
    rng, python = random.Random(5), language("python")
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    masks.prepare(hole(python, "", "").state)
    for source in stdlib_sources(rng, 6, 8000):
        at = rng.randrange(len(source))
        wander(hole(python, source[:at], source[at:]), masks, 4, rng)


GO = [
    ("package p\n\nfunc f(a int) {\n\tif a ", " {\n\t}\n}\n"),
    ("package p\nvar x = []int{1, (2", ")}\n"),
    ("package p\nfunc f() {\n\tx := a /* ", " */\n}\n"),
    ("package p\nfunc f() {\n\tx := a // ", "\n}\n"),
    ("package p\nfunc f() {\n\tg(a", "\n}\n"),
    ("package p\nfunc f() {\n\tx := 'a", "\n}\n"),
    ("package p\nfunc f() {\n\tx := `a", "`\n}\n"),
    ("package p\nfunc f() {\n\tx := 0", " + 1\n}\n"),
    ("package p\n", '\nimport "a"\n'),
    ("package p\nimport (\n", ')\nimport "a"\n'),
    ("pa", '\nimport "a"\n'),
    ("", "package p\n"),
    ("", ""),
]


@pytest.mark.parametrize(("left", "right"), GO)
def test_masks_are_exact_in_go(left: str, right: str, folder: Path) -> None:
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    go_hole = hole(language("go"), left, right)
    masks.prepare(go_hole.state)
    wander(go_hole, masks, 3, random.Random(left + right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("", ""),
        ('{"a": [1, {"b', ""),
        ("[1.", " \n"),
        ('{"a', '": 1}'),
        ('{"a": [1, ', "]}"),
        ("[", "}]"),
        ("-", "1]"),
        ("[1", "2]"),
        ('["\\u00', '"]'),
    ],
)
def test_masks_are_exact_in_json(left: str, right: str, folder: Path) -> None:
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    json_hole = hole(language("json"), left, right)
    masks.prepare(json_hole.state)
    wander(json_hole, masks, 5, random.Random(left + right))


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("sums", "", ""),
        ("sums", "(a + ", ") + b"),
        ("sums", "le", "t x"),
        ("words", "ab", "abc"),
        ("words", "a", "ba;"),
    ],
)
def test_masks_are_exact_for_a_grammar_file(name: str, left: str, right: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.lark"
    path.write_text(RULES[name])
    masks = TokenMasks(VOCABULARY, [END], folder=tmp_path)
    place = hole(load_language(name, path), left, right)
    masks.prepare(place.state)
    wander(place, masks, 5, random.Random(0))


def test_within_a_character_and_before_forced_text(folder: Path) -> None:
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    state = hole(language("python"), "x = '", "'\n").state
    outside = hole(language("python"), "x = ", "\n").state
    for pending in (b"\xc3", b"\xe6", b"\xe6\xbc", b"\xf0\x9f"):
        check(DecodingState(state, pending=pending), masks)
        check(DecodingState(outside, pending=pending), masks)
    for forced in (b"re", b"r", b"\xc3", b" ", b"1e"):
        mask = check(DecodingState(outside, forced=forced), masks)
        assert mask.any() and not mask[END]


def test_the_end_may_come_where_the_hole_is_complete_and_special_tokens_never() -> None:
    masks = TokenMasks([None, b"x", b")", None, b"stop"], ends=[0, 4], size=7)
    python = language("python")
    assert masks.allowed(hole(python, "(x", ")\n")).tolist() == [True, True, True, False, True, False, False]
    assert masks.allowed(hole(python, "(", ") + (\n")).tolist() == [False, True, True, False, False, False, False]


def test_constraints_without_groups_are_asked_token_by_token() -> None:
    vocabulary = Vocabulary(Tokenizer.from_str(bytelevel()))
    masks = TokenMasks(vocabulary.bytes_of, [0])
    position = DecodingState(Brackets.hole("([", "])"))
    assert masks.allowed(position).tolist() == one_by_one(position, masks).tolist()


@pytest.mark.parametrize("tokenizer", [bytelevel(), sentencepiece(("▁<PRE>",))], ids=["byte-level", "byte fallback"])
def test_a_tokenizer_gives_its_masks_and_stays_as_it_is(tokenizer: str, folder: Path) -> None:
    loaded = Tokenizer.from_str(tokenizer)
    masks = TokenMasks.for_tokenizer(loaded, [END], folder=folder)
    assert json.loads(loaded.to_str()) == json.loads(tokenizer)
    wander(hole(language("python"), "def f(x):\n    return ", "\n"), masks, 8, random.Random(0))


@pytest.mark.parametrize("name", ["gpt2", "starcoder"])  # benchmarks.decoding does the same with 152,000 tokens
def test_masks_are_exact_for_real_vocabularies(name: str, tmp_path: Path) -> None:
    masks = TokenMasks.for_tokenizer(real(name, tmp_path), [END], folder=tmp_path)
    some = random.Random(0).sample(range(1, masks.size), 6000)
    some += [i for i, s in enumerate(masks.spellings) if s and s[-1] >= 0x80][::4]
    for place in (hole(language("python"), *PLACES[2]), viable(language("python"), "x = f'{a.b(c")):
        assert place is not None
        mask, looks = masks.allowed(place), TokenChecker(place)
        assert not [s for i in some if (s := masks.spellings[i]) and mask[i] != (looks.read(s) is not None)]


def test_masks_are_exact_for_a_prepared_real_vocabulary(tmp_path: Path) -> None:
    """Some tokens of a real vocabulary, more of those special in fields, in random real holes and unusual states."""
    rng, python = random.Random(7), language("python")
    special = re.compile(rb"[\\#}:!=\r\n)'\"]|lambda").search
    spelled = Vocabulary(real("starcoder", tmp_path)).bytes_of
    some = [s for i, s in enumerate(spelled) if s and (i % 12 == 0 or (i % 3 == 0 and special(s)))]
    masks = TokenMasks([None, *some], [END], folder=tmp_path)
    masks.prepare(hole(python, "", "").state)
    for source in stdlib_sources(rng, 3, 8000):
        at = rng.randrange(len(source))
        check(hole(python, source[:at], source[at:]), masks)
    for left in UNUSUAL[:: len(UNUSUAL) // 8]:
        place = viable(python, left)
        assert place is not None
        check(place, masks)


# -- the work done


def test_questions_are_asked_once_for_each_group_and_remembered(folder: Path) -> None:
    python = language("python")
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    state = hole(python, "x = f(a, ", ")\n").state
    masks.prepare(state)
    first = masks.bitmask(state)
    assert masks.bitmask(state) is first
    elsewhere = hole(python, "import os\n\nclass A:\n    y = g.h(1, b(c), ", ")\n    z = 1\n").state
    assert masks.bitmask(elsewhere) is first  # other stacks admitting the same groups


def test_where_a_text_has_come_before_nothing_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also behind other texts leading to the same place."""
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    start = hole(language("json"), "", "").state
    first = start.advance('{"a": [1, ')
    assert first is not None
    masks.prepare(first)
    expected = masks.bitmask(first).copy()
    asked: list[int] = []
    for kind in (partition._Foreseen, partition._Exact):  # pyright: ignore[reportPrivateUsage]
        admitted = kind.admitted
        monkeypatch.setattr(
            kind, "admitted", lambda self, state, admitted=admitted: asked.append(1) or admitted(self, state)
        )
    again, other = start.advance('{"b" : ["x", '), start.advance('{"b": {"a": ')
    assert again is not None and other is not None
    for _ in range(3):
        assert (masks.bitmask(again) == expected).all() and not asked
    assert masks.bitmask(other).any() and asked


@pytest.mark.parametrize("size", [len(VOCABULARY), len(VOCABULARY) - 30, len(VOCABULARY) + 50])
def test_a_mask_made_from_another_is_that_made_anew(size: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, text = random.Random(size), '[{"a": [[1, {"b": [2, [], "c"]}], null]}, "d"'
    made: list[bool] = []

    def mask(self: NearMasks, spread: Spread, admitted: int, make: Callable[[], np.ndarray]) -> np.ndarray:
        anew: list[np.ndarray] = []
        near = original(self, spread, admitted, lambda: anew.append(make()) or anew[0])
        made.append(not anew)
        assert near is (anew or [near])[0] and (near == make()).all()
        return near

    original = NearMasks.mask
    monkeypatch.setattr(NearMasks, "mask", mask)
    masks = TokenMasks(VOCABULARY, [END], size, folder=folder)
    place = hole(language("json"), "", "")
    masks.prepare(place.state)
    for char in text:
        masks.bitmask(place)
        following = place.after(char.encode())
        assert following is not None
        place = following
    python = hole(language("python"), "def f(x):\n    return [x, (", "")
    masks.prepare(python.state)
    for _ in range(40):
        allowed = np.flatnonzero(masks.allowed(python))
        following = python.after(masks.spellings[rng.choice(allowed[allowed > 1].tolist())] or b"")
        assert following is not None
        python = following
    assert made.count(True) > 10 and made.count(False) > 3


def test_kept_masks_are_bounded_by_their_size(folder: Path) -> None:
    text_masks = masks_module.VocabularyMasks(VOCABULARY, 1_000_000, folder)
    for number in range(200):
        made = text_masks.kept(number, lambda: np.zeros(31_250, dtype=np.int32))
        assert text_masks.kept(number, lambda: np.ones(1, dtype=np.int32)) is made
    kept = [number for number in range(200) if len(text_masks.kept(number, lambda: np.zeros(1, dtype=np.int32))) > 1]
    assert 0 < len(kept) * 125_000 <= masks_module._KEPT_BYTES  # pyright: ignore[reportPrivateUsage]


def test_what_stacks_admit_is_read_no_deeper_than_texts_pop(folder: Path) -> None:
    """The same place in ever deeper brackets is no new work."""
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    python = language("python")
    made = []
    for depth in (40, 60, 80):
        state = hole(python, "x = " + "f(" * depth, ")" * depth).state
        masks.bitmask(state)
        made.append(partition_of(state).foresight.made)  # type: ignore[attr-defined]
    assert made[0] == made[1] == made[2]


def test_a_long_session_with_masks_stays_within_the_bound(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of masks counts; engines grown too large are dropped, and freed."""
    bound, version = 1_200, "3.11"
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", bound)
    python = Language("python", version, lambda: new_runtime(version))
    masks = TokenMasks(VOCABULARY, [END], folder=folder)
    masks.prepare(hole(language("python"), "", "").state)
    engines: list[weakref.ref] = []
    largest = by_masks = 0
    rng = random.Random(2)
    for _ in range(60):
        left = "x = " + "".join(rng.choice(["f(", "[a, ", "{b: ", "(lambda: ", "g.h[", "-", "not "]) for _ in range(9))
        state = python.hole(left, "").state
        assert state is not None
        engine = state_of(state).context.engine
        if not engines or engines[-1]() is not engine:
            engines.append(weakref.ref(engine))
        for text in ("", "a", "a.b", "f'{a", "1", "'"):
            after = state.advance(text)
            assert after is not None
            before = engine.size
            masks.bitmask(after)
            largest, by_masks = max(largest, engine.size), by_masks + engine.size - before
    assert by_masks > 4 * bound  # masks make them grow
    assert largest < 2 * bound and len(engines) > 3
    del after
    del state, engine
    for _ in range(200):
        python.runtime()
    gc.collect()
    assert sum(engine() is not None for engine in engines) <= 2


# -- the cache


def prepared_file(folder: Path, spellings: list[bytes | None] = VOCABULARY[:120]) -> tuple[TokenMasks, Path]:
    masks = TokenMasks(spellings, [END], folder=folder)
    masks.prepare(hole(language("json"), "[", "]").state)
    (path,) = folder.glob("*.masks")
    return masks, path


def built(folder: Path) -> bool:
    """Whether preparing builds anew, and whether the result is right."""
    seen: list[int] = []
    masks = TokenMasks(VOCABULARY[:120], [END], folder=folder)
    place = hole(language("json"), '{"a": ', "}")
    masks.prepare(place.state, lambda done, total: seen.append(done))
    check(place, masks)
    return bool(seen)


def test_what_is_prepared_is_used_in_the_next_process(tmp_path: Path) -> None:
    prepared_file(tmp_path)
    assert not built(tmp_path)


@pytest.mark.parametrize("damage", ["empty", "half", "one bit", "header", "magic", "text", "folder"])
def test_a_damaged_file_is_as_none(damage: str, tmp_path: Path) -> None:
    _, path = prepared_file(tmp_path)
    content = bytearray(path.read_bytes())
    if damage == "half":
        del content[len(content) // 2 :]
    elif damage == "one bit":
        content[-200] ^= 1
    elif damage == "header":
        content[40] ^= 0xFF
    elif damage == "magic":
        content[0] = 0
    elif damage == "text":
        content = bytearray(gzip.compress(content))
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"" if damage == "empty" else content)
    assert built(tmp_path)
    assert damage == "folder" or not built(tmp_path)  # it was mended


def test_another_vocabulary_and_another_language_have_files_of_their_own(tmp_path: Path) -> None:
    prepared_file(tmp_path)
    TokenMasks(VOCABULARY[:121], [END], folder=tmp_path).prepare(hole(language("json"), "[", "]").state)
    assert len(list(tmp_path.glob("*.masks"))) == 2
    grammar = tmp_path / "x.lark"
    grammar.write_text(RULES["sums"])
    TokenMasks(VOCABULARY[:120], [END], folder=tmp_path).prepare(hole(load_language("x", grammar), "", "").state)
    assert len(list(tmp_path.glob("*.masks"))) == 4, "where nothing comes behind the hole, and where something does"


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert built(blocked / "masks")
    assert built(blocked / "masks")


def test_a_reader_keeps_what_it_has_while_another_writes(tmp_path: Path) -> None:
    """Both builds of one file end the same, and a mapped file outlives its name."""
    masks, path = prepared_file(tmp_path)
    before = store.read(path, 120)
    assert before is not None
    store.write(path, before)
    path.unlink()
    check(hole(language("json"), "[", "]"), masks)
    assert before.groups.max() > 0 and not list(tmp_path.glob("*.tmp"))


def test_old_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_KEPT_FILES", 2)
    for size in (100, 101, 102):
        TokenMasks(VOCABULARY[:size], [END], folder=tmp_path).prepare(hole(language("json"), "[", "]").state)
    assert len(list(tmp_path.glob("*.masks"))) == 2


def prepare_elsewhere(folder: Path) -> list[bool]:
    """Prepare in a thread; the list receives whether it built the groups."""
    done: list[bool] = []
    threading.Thread(target=lambda: done.append(built(folder)), daemon=True).start()
    return done


def until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def test_of_several_that_prepare_one_builds_and_the_others_wait(tmp_path: Path) -> None:
    _, path = prepared_file(tmp_path)
    content = path.read_bytes()
    path.unlink()
    lock = store.lock_of(path)
    assert store.acquire(lock) and not store.acquire(store.lock_of(path))
    done = prepare_elsewhere(tmp_path)
    time.sleep(0.3)
    assert not done
    path.write_bytes(content)
    assert until(lambda: bool(done)) and done == [False]
    lock.release()
    assert store.acquire(lock)


@pytest.mark.parametrize("way", ["gives up", "is gone"])
def test_who_waits_builds_where_the_other_did_not_end(way: str, tmp_path: Path) -> None:
    _, path = prepared_file(tmp_path)
    path.unlink()
    if way == "is gone":  # the system releases the lock of a process at its end
        code = "import sys, time; from filelock import FileLock; lock = FileLock(sys.argv[1]); lock.acquire(); print(1, flush=True); time.sleep(60)"
        command = [sys.executable, "-c", code, str(path.with_suffix(".lock"))]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
            assert other.stdout is not None and other.stdout.readline()
            done = prepare_elsewhere(tmp_path)
            time.sleep(0.3)
            assert not done
            other.kill()
    else:
        lock = store.lock_of(path)
        assert store.acquire(lock)
        done = prepare_elsewhere(tmp_path)
        time.sleep(0.3)
        assert not done
        lock.release()
    assert until(lambda: bool(done)) and done == [True]
    assert path.exists()

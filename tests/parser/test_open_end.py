"""Right contexts that claim to restrict no text restrict none, by the decision from both sides."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from suture.parser import Language, language, load_language
from suture.parser.completability.prestar import Completability
from suture.parser.glr.suffix import SuffixContext, SuffixText
from suture.parser.languages.generic.language import CompletabilityCache

from ..support.inside import runtime_of

_BLANK = "%ignore /[ \\n]+/\n%ignore /#[^\\n]*/"
OPEN = {  # with the pieces of random texts
    "sums": (
        f'start: sum\nsum: term | sum "+" term\nterm: N | "(" sum ")" | "let" N\nN: /[a-z]+/\n{_BLANK}',
        "a le let + ( ) # #c",
    ),
    "numbers": (f'start: N (("." | "..") N)*\nN: /[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?/\n{_BLANK}', "1 1. .. . .1 e 1e- e1"),
    "strings": (f'start: (S | "[" start "]")*\nS: /"([^"\\\\]|\\\\["u][a-f])*"/\n{_BLANK}', '" \\ u \\"a \\ua [ ] "a"'),
    "comments": (
        'start: ("/" N)+\nN: /[a-z]+/\nC: /\\/\\*([^*]|\\*[^\\/])*\\*\\//\n%ignore C\n%ignore /[ \\n]/',
        "/ * a /* */ **/",
    ),
}
RESTRICTED = {
    "no blank": ('start: N "1"\nN: /[0-9]+/', "1 2 12"),
    "words": ('start: N "if"\nN: /[a-z]+/', "a if i"),
}  # fmt: skip
BLANKS = ("", "\n", " \n\n")


def own(source: str, tmp_path: Path) -> Language:
    path = tmp_path / "g.lark"
    path.write_text(source)
    return load_language(f"open-{hash(source)}", path)


def judged(lang: Language, pieces: Sequence[str], rights: tuple[str, ...], seed: str) -> tuple[int, int, int]:
    """Of random viable texts before right contexts: (those before contexts that claim to restrict none, which must all be completable; others
    that can be completed; others that cannot)."""
    runtime, rng = runtime_of(lang), random.Random(seed)
    cache, engine = runtime.bridging, runtime.engine
    assert isinstance(cache, CompletabilityCache)
    free = others = refused = 0
    for text in rights:
        right = SuffixContext(engine, SuffixText(text), len(text))
        needed = cache.where_needed(right) is not None
        exact = Completability(SuffixContext(engine, SuffixText(text), len(text)), cache.anytext, cache.brackets)
        for _ in range(300):
            left = engine.start
            for piece in rng.choices([*pieces, " "], k=rng.randrange(8)):
                read = engine.read_text(left, piece)
                if read is not None:
                    left = read
            truth = exact(left)
            assert needed or truth, (text, left.lex)
            free, others, refused = free + (not needed), others + (needed and truth), refused + (not truth)
    return free, others, refused


@pytest.mark.parametrize("name", OPEN)
def test_blank_right_contexts_restrict_nothing(name: str, tmp_path: Path) -> None:
    source, pieces = OPEN[name]
    free, others, refused = judged(own(source, tmp_path), pieces.split(" "), (*BLANKS, "a", ")", "]"), name)
    assert free >= 600 and others + refused >= 900, "a right context with a symbol is decided from both sides"


@pytest.mark.parametrize("name", RESTRICTED)
def test_an_end_that_restricts_texts_is_decided_from_both_sides(name: str, tmp_path: Path) -> None:
    source, pieces = RESTRICTED[name]
    free, _, refused = judged(own(source, tmp_path), pieces.split(" "), ("",), name)
    assert not free
    assert refused


def test_json_ends_anywhere() -> None:
    pieces = ["{", "}", "[", "]", ",", ":", '"a"', '"a', "1", "-1", "1.5e", "tr", "true", "null", "\\u00", "\\"]
    free, others, _ = judged(language("json"), pieces, (*BLANKS, "]", "}"), "json")
    assert free == 900 and others


def random_grammar(rng: random.Random) -> str:
    """A few rules over symbols, some of which continue like others."""
    symbols = rng.sample(['"a"', '"ab"', '"b"', '"("', '")"', "N", "M", '"ba"', '"1."'], 5)
    rules = [
        f"r{i}: " + " | ".join(" ".join(rng.choices([*symbols, "r0", "r1"], k=rng.randrange(1, 4))) for _ in range(3))
        for i in range(2)
    ]
    ends = "r0: " + rng.choice(symbols) + " | " + rules[0].partition(": ")[2], f"{rules[1]} | {rng.choice(symbols)}"
    blank = rng.choice(['%ignore " "', "%ignore / +|#a*/", "", '%ignore "ab"'])
    named = [
        line for name, line in (("N", "N: /[0-9]+(\\.[0-9]+)?/"), ("M", "M: /a[ab]*|1b/")) if name in " ".join(ends)
    ]
    return "\n".join(("start: r0 r1*", *ends, *named, blank)) + "\n"


def test_random_grammars(tmp_path: Path) -> None:
    pieces = [*"ab()1.# ", "ab", "1.", "1.5"]
    found = [
        judged(own(random_grammar(random.Random(seed)), tmp_path), pieces, ("", " ", "a"), str(seed))
        for seed in range(40)
    ]
    assert sum(free > 0 for free, _, _ in found) > 8 and sum(refused > 0 for _, _, refused in found) > 8, found

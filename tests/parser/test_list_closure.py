"""Languages that are lists: decisions from each side alone agree with those from both sides together."""

import random
from itertools import product
from pathlib import Path

import pytest
from suture.parser import load_language
from suture.parser.completability.prestar import Completability
from suture.parser.languages.generic.language import CompletabilityCache

from ..support.inside import runtime_of

GRAMMARS = {  # with the pieces of random files
    "statements": (
        'start: stat*\nstat: NAME "=" expr ";" | "{" stat* "}"\nexpr: NAME | "(" expr ")"\nNAME: /[a-z]+/\n%ignore /[ \\n]+/',
        "a b = ; { } ( )",
    ),
    "separated": ('start: [stat] (";" [stat])*\nstat: NAME ["(" start ")"]\nNAME: /[a-z]+/\n%ignore " "', "a ; ( )"),
    "last": (
        'start: block\nblock: stat* [last]\nstat: "do" block "end" | NAME "(" ")"\nlast: "return" [NAME]\n'
        "NAME: /[a-z]+/\n%ignore /[ \\n]+/\n%ignore /#[^\\n]*/",
        "do end return a ( ) # \n",
    ),
    "header": (
        'start: "package" NAME ";" imports decls\nimports: ("import" NAME ";")*\ndecls: ("func" NAME body)*\n'
        'body: "{" (NAME ";")* "}"\nNAME: /[a-z]+/\n%ignore " "',
        "package import func a ; { }",
    ),
    "continued": (  # a symbol that may end before a space and may continue with one, but not with two
        'start: item*\nitem: DATE "," | NAME "," | "[" item* "]"\nDATE: /[0-9]+([ t][0-9]:)?/\nNAME: /[a-z]+/\n%ignore " "',
        "a , [ ] 1 2 2: t2",
    ),
    "strings": (
        'start: item*\nitem: STRING | NAME "," | "[" item* "]"\nSTRING: /"[^"]*"/\nNAME: /[a-z]+/\n%ignore " "',
        'a , [ ] "',
    ),
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_it_says_what_both_sides_say(name: str, tmp_path: Path) -> None:
    source, words = GRAMMARS[name]
    path = tmp_path / "g.lark"
    path.write_text(source)
    runtime = runtime_of(load_language(f"list-{name}", path))
    cache, engine, rng = runtime.bridging, runtime.engine, random.Random(name)
    assert isinstance(cache, CompletabilityCache) and cache.closure.anchors
    pieces = [*words.split(" "), *words.split(" "), " "]
    found = told = 0
    for _ in range(150):
        right = runtime_right(engine, "".join(rng.choice(pieces) for _ in range(rng.randrange(6))))
        decider = cache.of(right)
        exact = Completability(runtime_right(engine, right.text), cache.anytext, cache.brackets)
        for _ in range(8):
            left = engine.read_text(engine.start, " ".join(rng.choice(pieces) for _ in range(rng.randrange(7))))
            if left is None:
                continue
            truth = exact(left)
            fast = cache.closure.reaches(left, decider.anchors)
            assert truth or not fast, (name, right.text)
            assert decider(left) == truth, (name, right.text)
            found, told = found + truth, told + fast
    assert found > 50 and told > found * (0.3 if name == "header" else 0.6), (found, told)


def runtime_right(engine, text):  # type: ignore[no-untyped-def]
    from suture.parser.glr.suffix import SuffixContext, SuffixText

    return SuffixContext(engine, SuffixText(text), len(text))


def test_languages_that_are_no_lists_have_no_anchors(tmp_path: Path) -> None:
    for number, source in enumerate(
        (
            'start: expr\nexpr: NAME | "(" expr ")"\nNAME: /[a-z]+/\n%ignore " "',
            "start: (A | B)*\nA: /a/\nB: /b+/",  # no blank separates symbols
        )
    ):
        path = tmp_path / f"{number}.lark"
        path.write_text(source)
        cache = runtime_of(load_language(f"no-list-{number}", path)).bridging
        assert isinstance(cache, CompletabilityCache) and not cache.closure.anchors


def test_every_short_bridge_is_found(tmp_path: Path) -> None:
    """Wherever a text of at most two symbols connects two contexts, the search finds one."""
    source, words = GRAMMARS["statements"]
    path = tmp_path / "g.lark"
    path.write_text(source)
    lang = load_language("list-bridges", path)
    symbols = [word for word in words.split(" ") if word]
    texts = [" ".join(word) for count in range(4) for word in product(symbols, repeat=count)]
    rng = random.Random(1)
    for _ in range(60):
        left, right = rng.choice(texts), rng.choice(texts)
        found = lang.hole(left, right)
        connects = any(accepted(lang, f"{left} {middle} {right}") for middle in texts[: 1 + 7 + 49])
        if connects:
            assert found.viable and found.state is not None and found.state.bridges(), (left, right)


def accepted(lang, text):  # type: ignore[no-untyped-def]
    found = lang.hole(text, "")
    return found.viable and found.state.complete

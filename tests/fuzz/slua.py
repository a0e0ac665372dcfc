"""Random scripts of sLua, run in real Lua and compared with an interpreter; and corrupted ones, to be refused.

    python -m tests.fuzz.slua --scripts 1000 --writer uniform      tokens of the embedded vocabulary, all with the same probability
    python -m tests.fuzz.slua --scripts 1000 --writer symbols      symbols, each kind with the same probability
    python -m tests.fuzz.slua --scripts 100 --writer embedded      the embedded model
    python -m tests.fuzz.slua --mutants 1000                       each class of corruption

Prints the counts; ends with 1 and the text at the first that is wrong.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from time import monotonic, process_time

from suture import slua
from suture.parser.languages.slua.endings import shortest_ending
from suture.parser.languages.slua.state import PrefixState

from tests.support.slua_scripts import DELVE, SCRIPTS, delve_api, random_script, run_both

BUDGET = 200
"""The most tokens of a script."""


_DRAWS = 40
"""Tokens drawn blindly before all fitting ones are looked up; inside a string nearly every one fits."""


def uniform_writer() -> Callable[[random.Random, PrefixState], str]:
    """Draws fitting tokens with equal probabilities: the distribution of masked uniform logits."""
    from suture.model import load

    spellings = [spelling for spelling in load().vocabulary.bytes_of if spelling]
    texts = [text for text in (spelling.decode("utf-8", "ignore") for spelling in spellings) if text]
    trie = _trie(texts)

    def write(rng: random.Random, state: PrefixState) -> str:
        text = ""
        for _ in range(BUDGET):
            if state.finished:
                break
            drawn = (rng.choice(texts) for _ in range(_DRAWS))
            token = next((t for t in drawn if state.advance(t) is not None), None) or rng.choice(
                [*_fitting(trie, state)]
            )
            after = state.advance(token)
            assert after is not None
            text, state = text + token, after
        return text + shortest_ending(state)

    return write


class _Trie:
    """Tokens by their characters; `count` tokens end here."""

    def __init__(self) -> None:
        self.next: dict[str, _Trie] = {}
        self.count = 0


def _trie(texts: list[str]) -> _Trie:
    root = _Trie()
    for text in texts:
        node = root
        for char in text:
            node = node.next.setdefault(char, _Trie())
        node.count += 1
    return root


def _fitting(node: _Trie, state: PrefixState, text: str = "") -> Iterator[str]:
    """The fitting tokens, each as often as in the vocabulary."""
    for char, child in node.next.items():
        after = state.advance(char)
        if after is not None:
            yield from [text + char] * child.count
            yield from _fitting(child, after, text + char)


def symbol_writer() -> Callable[[random.Random, PrefixState], str]:
    """Draws whole symbols."""
    return lambda rng, state: random_script(rng, state, rng.choice((20, 60, BUDGET)))


def run_scripts(
    numbers: Iterator[int], seed: int, states: int, write: Callable[[random.Random, PrefixState], str]
) -> Counter[str]:
    """Write, check, translate and run scripts, each in some states of the host."""
    api = slua.Api(delve_api())
    found: Counter[str] = Counter()
    for index in numbers:
        rng = random.Random(seed * 1_000_003 + index)
        kind = rng.choice(api.kinds)
        text = write(rng, api.beginning(kind, comments=False) if write.__name__ == "write" else api.beginning(kind))
        script = api.script(text, kind)
        outcome = run_both(script, delve_api(), index, states)
        if outcome not in ("same", "exhausted"):
            print(text, outcome, sep="\n")
            sys.exit(1)
        found[outcome] += 1
    return found


def _swapped(rng: random.Random, pattern: str, new: list[str]) -> Callable[[str], str | None]:
    def change(text: str) -> str | None:
        places = list(re.finditer(pattern, text))
        if not places:
            return None
        place = rng.choice(places)
        return text[: place.start()] + rng.choice(new) + text[place.end() :]

    return change


def corruptions(rng: random.Random) -> dict[str, Callable[[str], str | None]]:
    """The errors of unconstrained models, by the paper: each makes a script invalid at a random place."""
    code = r"(?<![\w\"'])"
    return {
        "wrong type of an expression": _swapped(
            rng, r"(?<=[(+*/] )?\b\d+\b(?=[;,)])(?![^\"\n]*\" *\.\.)", ["true", "user_", "{ }"]
        ),
        "undefined effect": _swapped(
            rng, r"g_effects\.\w+", ["g_effects.frost", "g_effects.venom2", "g_effects.thorn"]
        ),
        "invented hook": _swapped(
            rng, r"\b(OnTurnEnd|OnActivate|OnDamageReceived|Do) =", ["OnHit =", "OnDeath =", "OnTick ="]
        ),
        "invented function or field": _swapped(
            rng,
            r"\.(Damage|GetCoord|Apply|Push|Heal|GetLevel|stacks|Remove)\b",
            [".Smite", ".Kill", ".GetPos", ".stack"],
        ),
        "foreign syntax of functions": _swapped(rng, r"function\((?=[^)])", ["fn(", "lambda(", "(", "function f("]),
        "missing semicolon": _swapped(rng, r"(?<=[\w)}]);(?=\s)", [" "]),
        "missing type": _swapped(rng, r": (number|\([^)]*\) -> number) =", [" =", ": int =", ": any ="]),
        "superfluous type": _swapped(rng, r"(?<=function\()(\w+)", ["a: number", "a: Actor"]),
        "template not followed": _swapped(rng, r"New(Talent|Effect)\(\{", ["New({", "NewSpell({", "register({", "{("]),
        "undefined local": _swapped(
            rng, code + r"(user|target|self|params|bite|near|far|radius)\b(?=[.(; ])(?! *[,:=)])", ["usr", "tgt"]
        ),
        "index instead of a point": _swapped(rng, r"\.(Damage|stacks|GetLevel|x|y)\b", ["['Damage']", "[1]"]),
        "colon instead of a point": _swapped(rng, r"(?<=\w)\.(?=[A-Z]\w+\()", [":"]),
        "nil": _swapped(rng, r"(?<= )(user|self|true|\d+)(?=[;,)])", ["nil"]),
        "argument missing": _swapped(rng, r"\((\w+(\.\w+)?), ", ["("]),
    }


def run_mutants(count: int, seed: int) -> Counter[str]:
    """Corrupt the example's scripts; every mutant must be refused, at or before the end of the symbol after the change."""
    rng = random.Random(seed)
    apis = {name: delve_api(SCRIPTS[:at]) for at, name in enumerate(SCRIPTS)}
    texts = {name: (DELVE / "scripts" / f"{name}.slua").read_text().split("\n", 1)[1] for name in SCRIPTS}
    found: Counter[str] = Counter()
    for name, change in corruptions(rng).items():
        while found[name] < count:
            which = rng.choice(SCRIPTS)
            text = texts[which]
            mutant = change(text)
            if mutant is None or _in_string(text, _first_difference(text, mutant)):
                continue
            problem = slua.Api(apis[which]).check(mutant)
            at = _first_difference(text, mutant)
            if problem is None or problem.offset < at or problem.start > _symbols_after(mutant, at, 40):
                print(name, mutant, problem, sep="\n")
                sys.exit(1)
            found[name] += 1
    return found


def _first_difference(a: str, b: str) -> int:
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _in_string(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line.count('"') % 2 == 1


def _symbols_after(text: str, at: int, count: int) -> int:
    return min(len(text), at + count)


def _embedded(numbers: Iterator[int], seed: int, states: int) -> Counter[str]:
    from suture.model import Options, load

    model, api, found = load(), slua.Api(delve_api()), Counter[str]()
    for index in numbers:
        kind = api.kinds[index % len(api.kinds)]
        options = Options(max_tokens=BUDGET, temperature=1.0, seed=seed * 1_000_003 + index)
        script = slua.generate(api, kind, "lightning that jumps to enemies", model, options=options)
        outcome = run_both(script, delve_api(), index, states)
        if outcome not in ("same", "exhausted"):
            print(script.text, outcome, sep="\n")
            sys.exit(1)
        found[outcome] += 1
    return found


def _numbers(first: int, count: int, seconds: float) -> Iterator[int]:
    """Numbers of scripts from the first on, until the time is up."""
    end = monotonic() + seconds
    for number in range(first, first + count):
        if monotonic() > end:
            return
        yield number


def main() -> Iterator[str]:
    """Run what the command line asks for."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--scripts", type=int, default=0)
    arguments.add_argument("--mutants", type=int, default=0)
    arguments.add_argument("--writer", choices=("uniform", "symbols", "embedded"), default="uniform")
    arguments.add_argument("--states", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument(
        "--first", type=int, default=0, help="number of the first script, to go on where a run ended"
    )
    arguments.add_argument("--seconds", type=float, default=1e9, help="begin no script later")
    asked = arguments.parse_args()
    started = process_time()
    numbers = _numbers(asked.first, asked.scripts, asked.seconds)
    if asked.scripts and asked.writer == "embedded":
        yield f"embedded, from number {asked.first}: {dict(_embedded(numbers, asked.seed, asked.states))}"
    elif asked.scripts:
        write = uniform_writer() if asked.writer == "uniform" else symbol_writer()
        found = run_scripts(numbers, asked.seed, asked.states, write)
        yield f"{asked.writer}, from number {asked.first}: {dict(found)}"
    if asked.mutants:
        yield f"refused: {dict(run_mutants(asked.mutants, asked.seed))}"
    yield f"{process_time() - started:.0f} s of processor time"


if __name__ == "__main__":
    for line in main():
        print(line, flush=True)

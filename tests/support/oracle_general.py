"""Slow, independent answers for languages given as grammar files: Lark's own lexer, and the emptiness of grammar x automaton."""

import random
from collections import defaultdict
from itertools import product

from lark import Lark, UnexpectedInput
from lark.common import ParserConf
from lark.exceptions import GrammarError
from lark.load_grammar import load_grammar
from lark.parsers.lalr_analysis import LALR_Analyzer

Rules = dict[str, list[tuple[str, ...]]]
TERMINALS = {
    "fixed": ['"a"', '"b"', '"ab"', '"ba"', '"aa"', '"aab"', '"c"', '"ac"'],
    "regexp": [
        "/a+/",
        "/a+b?/",
        "/ab*a/",
        "/[ab]+/",
        "/a*?b/",
        "/b(a|b)*?a/",
        "/ab|a/",
        "/a|ab/",
        "/(ab)+/",
        "/c[^b]/",
        "/[^a]/",
    ],
    "ignored": ["/c/", "/c+/", "/cb*/", "/ca*?b/", "/b/"],
}


def reaches(rules: Rules, start: str, parts: list[str]) -> bool:
    """Whether some text of the grammar is in a regular language (Bar-Hillel). parts: terminals, with "*" for any terminals."""
    loops, edges = set(), []
    for part in parts:
        if part == "*":
            loops.add(len(edges))
        else:
            edges.append(part)
    n = len(edges) + 1
    relation: dict[str, list[int]] = defaultdict(lambda: [0] * n)  # symbol -> from -> bit mask of to
    terminals = {s for alternatives in rules.values() for rhs in alternatives for s in rhs if s not in rules}
    for p, terminal in enumerate(edges):
        relation[terminal][p] |= 1 << p + 1
    for p in loops:
        for terminal in terminals:
            relation[terminal][p] |= 1 << p
    changed = True
    while changed:
        changed = False
        for lhs, alternatives in rules.items():
            for rhs, p in product(alternatives, range(n)):
                now = 1 << p
                for symbol in rhs:
                    after = 0
                    for q in range(n):
                        if now >> q & 1:
                            after |= relation[symbol][q]
                    now = after
                if now & ~relation[lhs][p]:
                    relation[lhs][p] |= now
                    changed = True
    return bool(relation[start][0] >> n - 1 & 1)


def random_rules(rng: random.Random, terminals: list[str]) -> Rules:
    """Rules for start and up to four more, with epsilon, recursion of all kinds, ambiguity and useless symbols as it comes."""
    names = ["start", "p", "q", "r", "s"][: rng.randint(1, 5)]
    lengths = (0, 1, 1, 2, 2, 2, 3, 3, 4)
    return {
        name: list(
            dict.fromkeys(
                tuple(rng.choice(names if rng.random() < 0.45 else terminals) for _ in range(rng.choice(lengths)))
                for _ in range(rng.randint(1, 4))
            )
        )
        for name in names
    }


def random_terminals(rng: random.Random) -> tuple[list[str], str]:
    """(terminals for rules, the definitions of all)."""
    lines, names = [], []
    count = rng.randint(1, 4)
    for pattern in rng.sample(TERMINALS["fixed"] + TERMINALS["regexp"], count):
        name = f"T{len(names)}"
        names.append(name)
        priority = f".{rng.randint(-1, 2)}" if rng.random() < 0.2 else ""
        lines.append(f"{name}{priority}: {pattern}")
    if rng.random() < 0.6:
        lines += [f"I: {rng.choice(TERMINALS['ignored'])}", "%ignore I"]
    return names, "\n".join(lines)


def as_file(rules: Rules, definitions: str) -> str:
    """The grammar in Lark's notation."""
    lines = [f"{name}: " + " | ".join(" ".join(rhs) for rhs in alternatives) for name, alternatives in rules.items()]
    return "\n".join([*lines, definitions, ""])


def has_conflicts(source: str) -> bool:
    """Whether Lark's LALR parser accepts this grammar only with a conflict resolved."""
    rules = load_grammar(source, "<grammar>", [], True)[0].compile(["start"], "*")[1]
    try:
        LALR_Analyzer(ParserConf(rules, {}, ["start"]), strict=True).compute_lalr()
    except GrammarError:
        return True
    return False


class Oracle:
    """Membership of a text: Lark's basic lexer, then grammar x text."""

    def __init__(self, rules: Rules, source: str) -> None:
        self._rules = rules
        self._lark = Lark(source, parser="earley", lexer="basic")
        self._known: dict[str, bool] = {}

    def tokens(self, text: str) -> list[str] | None:
        try:
            return [token.type for token in self._lark.lex(text)]
        except UnexpectedInput:
            return None

    def member(self, text: str) -> bool:
        known = self._known.get(text)
        if known is None:
            tokens = self.tokens(text)
            known = self._known[text] = tokens is not None and reaches(self._rules, "start", tokens)
        return known

    def completable(self, left: str, right: str, alphabet: str, length: int) -> bool:
        """Whether there is a middle of at most this length."""
        middles = ("".join(m) for n in range(length + 1) for m in product(alphabet, repeat=n))
        return any(self.member(left + middle + right) for middle in middles)

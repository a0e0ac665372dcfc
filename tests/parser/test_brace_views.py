"""Views of broken files in languages with braces: as in the unbroken file, undefined names are refused."""

from __future__ import annotations

import random
import re
from itertools import product
from typing import NamedTuple

import pytest
from suture.parser import HoleState, language


class Sample(NamedTuple):
    """A valid file; | is the hole, and something may be broken at each of $top, $inner (in a function) and $list (in brackets)."""

    language: str
    text: str
    taken: tuple[str, ...]
    refused: tuple[str, ...]


GO = Sample(
    "go",
    """package p

import "os"

$top
func total(prices []int) int {
	known := len(prices)
	$inner
	for i, price := range prices {
		if price > i {
			|
		}
	}
	$inner
	return known + len(list)
}

var list = []string{
	"a",
	$list
	os.DevNull,
}

type kept struct {
	a int
}
$top
""",
    ("known++", "price = known", "total(prices)", "list = nil", "_ = kept{}"),
    ("zqx()", "price = zqx"),
)
TYPESCRIPT = Sample(
    "typescript",
    """import { base } from "./base";
$top
export function total(prices: number[]): number {
  const known = base(prices);
  $inner
  for (const price of prices) {
    if (price > known) {
      |
    }
  }
  $inner
  return known + list.length;
}

const list = [
  "a",
  $list
  base,
];

class Kept {
  a = 1;

  method(): void {
    list.push("b");
  }
}
$top
""",
    ("base(known)", "price + known", "total(prices)", "list", "new Kept()"),
    ("zqx()", "base(zqx)"),
)
JAVASCRIPT = TYPESCRIPT._replace(language="javascript", text=re.sub(r": (?:number(?:\[\])?|void)", "", TYPESCRIPT.text))
TSX = TYPESCRIPT._replace(
    language="typescriptreact",
    text=TYPESCRIPT.text + "export const page = () => (\n  <div>\n    <p>{list.length}</p>\n  </div>\n);\n",
)
SAMPLES = {one.language: one for one in (GO, TYPESCRIPT, JAVASCRIPT, TSX)}
COMMON = {
    "a closer too many": "}",
    "an open call": "foo(a, ",
    "words": "foo bar baz",
    "a quote": 'x = "abc',
    "a template": "{{#each items}}",
    "half a template": "{% if x %}",
    "a conflict": "<<<<<<< HEAD\n{inner}\n=======\n{inner}\n>>>>>>> branch",
}
WORKS = {
    "go": {
        **COMMON,
        "a header": "func broken(",
        "a header without a body": "func broken(a int) {",
        "a condition": "if a ==",
        "a loop": "for i := range",
        "half a declaration": "x :=",
        "a type": "type broken struct {",
        "else": "} else {",
        "a column": "\t\tx y",
        "a literal": "x := []int{1,",
        "a word": "va",
    },
    "typescript": {
        **COMMON,
        "a header": "function broken(",
        "a header without a body": "function broken(a) {",
        "a condition": "if (a ==",
        "a loop": "for (const i of",
        "half a declaration": "const x =",
        "a class": "class Broken {",
        "else": "} else {",
        "an interface": "interface",
        "an import": "import { a",
        "an arrow": "export const f = (",
        "a try": "try {",
        "a literal": "x = [1,",
        "an open template": "x = `a ${b",
    },
}
PLACES = ("$top", "$inner", "$list")


def broken(sample: Sample, works: list[tuple[str, int]]) -> tuple[str, str] | None:
    """Both contexts of a sample with unfinished code at the places of these numbers; None if it lacks such places."""
    text, places = sample.text, [match.span() for match in re.finditer(r"\$\w+", sample.text)]
    for number, place in reversed(list(enumerate(places))):
        said = next((work for work, at in works if at == number), "")
        start = text.rfind("\n", 0, place[0]) + 1 if said.startswith("<") else place[0]
        text = text[:start] + said + text[place[1] :]
    left, right = text.split("|")
    return left, right


def takes(state: HoleState, text: str) -> bool:
    after = state.advance(text)
    return after is not None and after.complete


def check(sample: Sample, works: list[tuple[str, int]], end: str = "\n") -> None:
    """True names are accepted and wrong ones refused."""
    contexts = broken(sample, works)
    assert contexts is not None
    left, right = (text.replace("\n", end) for text in contexts)
    session = language(sample.language).session()
    session.doubts = True
    session.elsewhere = frozenset()
    text = left + right
    hole = session.mended(session.hole(text, len(left), level="names"), text, len(left), level="names")
    assert hole.state is not None
    assert [one for one in sample.taken if not takes(hole.state, one)] == [], hole.hidden
    assert [one for one in sample.refused if takes(hole.state, one)] == [], hole.hidden


ONE = [
    (name, work, place) for name in SAMPLES for work, place in product(WORKS.get(name, WORKS["typescript"]), range(5))
]


@pytest.mark.parametrize("name", list(SAMPLES))
def test_the_samples_are_judged_without_anything_broken(name: str) -> None:
    check(SAMPLES[name], [])


@pytest.mark.parametrize(("place", "end"), [*((place, "\n") for place in range(5)), (0, "\r\n"), (3, "\r\n")])
@pytest.mark.parametrize("name", list(SAMPLES))
def test_names_are_judged_beside_one_broken_place(name: str, place: int, end: str) -> None:
    failed = list[str]()
    for kind, work in WORKS.get(name, WORKS["typescript"]).items():
        try:
            check(SAMPLES[name], [(work, place)], end)
        except AssertionError as problem:
            failed.append(f"{kind}: {problem}")
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", list(SAMPLES))
def test_names_are_judged_beside_two_broken_places(name: str, seed: int) -> None:
    """Of twelve pairs at most one may fail."""
    rng, works, failed = random.Random(seed), list(WORKS.get(name, WORKS["typescript"]).items()), list[str]()
    for _ in range(12):
        chosen = rng.sample(works, 2)
        places = rng.sample(range(5), 2)
        try:
            check(SAMPLES[name], [(work, place) for (_, work), place in zip(chosen, places, strict=True)])
        except AssertionError as problem:
            failed.append(f"{[kind for kind, _ in chosen]} {places}: {problem}")
    assert len(failed) <= 1, "\n".join(failed)

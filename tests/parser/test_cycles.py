"""No cycles: what nobody refers to is freed at once, since a process that freezes its heap runs full collections only in pauses, and each one
stops every thread for as long as there are objects."""

from __future__ import annotations

import gc
import random
import sys
import weakref
from collections import Counter
from pathlib import Path

import pytest
from suture.parser import Language, Session, language, load_language

from ..support.inside import runtime_of

GRAMMARS = Path(__file__).parents[1] / "data/grammars"
EXAMPLES = Path(__file__).parents[2] / "examples/grammars"
TYPESCRIPT = """import { a, b as c } from "./other";
export class Point<T> extends Base { x = 1; get y(): number { return this.x + c; } }
function area(p: Point<number>, ...rest: string[]) {
    const { x, y = 2 } = p;
    for (const r of rest) { if (/[a-z]+/.test(r)) { return `${x} ${y}`; } }
    return x * y;
}
"""
TEXTS = {
    "python": """import os
from a import b as c
class Point(c):
    x: int = 1
    def area(self, *rest, y=2):
        for r in rest:
            if (z := r) and os.path.exists(z):
                return f"{self.x} {y}"
        return [self.x * y for y in rest]
def main():
    try:
        print(Point().area(1, y=3))
    except (OSError, ValueError) as error:
        raise SystemExit(error)
""",
    "go": """package p
import "fmt"
type Point[T any] struct { x, y T }
func (p Point[T]) Area(rest ...string) (n int, err error) {
	for i, r := range rest {
		if r == "" { return i, nil }
		fmt.Println(p.x, r)
	}
	return n, err
}
""",
    "typescript": TYPESCRIPT,
    "javascript": TYPESCRIPT.replace("<T>", "")
    .replace(": number", "")
    .replace(": Point<number>", "")
    .replace(": string[]", ""),
    "typescriptreact": TYPESCRIPT + "const view = <ul id={x}>{rest.map((r) => <li key={r}>{r} text</li>)}</ul>;\n",
    "json": '{"a": [1, 2, {"b": null}],\n "c": {"d": "text", "e": [true, [], {}]},\n "f": -1.5e3\n}\n',
    "minic": (GRAMMARS / "minic.txt").read_text(),
    "sections": "server:\n    name = web\n    ports = [80, 443,\n        8080]\n    limits:\n        memory = 512\n        - cpu\nclient:\n    retry = 3\n",
}
MINIC, SECTIONS = GRAMMARS / "minic.lark", EXAMPLES / "sections.lark"
WORDS = ("x", "(", " foo", "return x", ")", "\n", ".", ' "')


def loaded(name: str) -> Language:
    files = {"minic": MINIC, "sections": SECTIONS}
    return (load_language(name, files[name]) if name in files else language(name)).renewed()


def edit(session: Session, text: str, rng: random.Random) -> None:
    """Cut the rest of a line, ask for everything there, write on, and read ahead."""
    offset = rng.randrange(len(text))
    end = text.find("\n", offset)
    cut = text[:offset] + text[end:]
    hole = session.hole(cut, offset)
    if hole.state is None or not hole.state.complete:
        hole = session.mended(hole, cut, offset)
    state = hole.state
    for word in (text[offset:end], *WORDS):
        if state is not None:
            state = state.advance(word) or state
    if state is not None and rng.random() < 0.5:
        state.bridges()
    session.hole(text[:offset] + rng.choice("([{\"'") + text[end:], offset + 1)
    session.foresee(cut)


@pytest.mark.parametrize("name", TEXTS)
def test_a_document_and_an_engine_are_freed_without_a_collection(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own, rng = loaded(name), random.Random(1)
    edit(loaded(name).session(), TEXTS[name], rng)  # fills what all engines share
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        session = own.session()
        session.level = "names"
        for _ in range(5):
            edit(session, TEXTS[name], rng)
        size, engine = runtime_of(own).engine.size, weakref.ref(runtime_of(own).engine)
        session.forget()
        del session
        monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 0)
        own.release(lambda: False)
        gc.collect()
        left = Counter(type(one).__name__ for one in gc.garbage if type(one).__module__.startswith("suture."))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert engine() is None
    assert left.total() < size / 100, left

"""All kinds of candidates: their generators, and descriptions of their proposals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from . import generators, lines
from .around import Around, Candidate


class Kind(NamedTuple):
    """A kind of candidates."""

    generator: Callable[[Around], Iterator[Candidate]]
    proposes: str


KINDS = {
    "imported": Kind(
        generators.imports,
        "after `from module import`: names that the file uses but does not bind, and that the module has",
    ),
    "only name": Kind(generators.imports, "the same: the only public name that the module defines itself"),
    "module": Kind(generators.imports, "after `import`: a standard module that the file uses but does not import"),
    "kept": Kind(generators.attributes, "after `self.name =`: the parameter `name`"),
    "keeps next": Kind(
        generators.attributes, "in `__init__`, behind `self.name = name`: the same for the next parameter"
    ),
    "passed": Kind(generators.arguments, "after `name=` in a call: the parameter `name`"),
    "passed variable": Kind(generators.arguments, "the same for a variable that is bound above"),
    "named alike": Kind(
        generators.arguments, "after `name(`: the names of the required parameters, where variables have them"
    ),
    "others alike": Kind(generators.arguments, "the same behind the first argument"),
    "taken by base": Kind(
        generators.arguments, "after `super().method(`: the method's parameters that the base class's method has"
    ),
    "receiver below": Kind(
        generators.parameters,
        "after `def name(` above a body that uses what a method takes first, and no other name that nothing binds: `self` or `cls`",
    ),
    "used below": Kind(
        generators.parameters,
        "the same above a body that uses one name that nothing binds, behind what a method takes first",
    ),
    "kind of method": Kind(
        generators.decorators,
        "after `@` above a method in a class: `classmethod` if it takes `cls`, `staticmethod` if it takes no receiver, `name.setter` below the property `name`",
    ),
    "failed": Kind(
        generators.failures, "after `return` below `if err != nil`: what a function that gives an error gives then"
    ),
    "analogous": Kind(
        lines.alike,
        'the rest of a line that is begun as the two above are, each with one name of its own, where that rest has the name again: `c=data["c"]` below `a=data["a"]` and `b=data["b"]`',
    ),
    "next alike": Kind(
        lines.alike,
        'the whole next line below two lines with one name each that they have at least twice, where another name follows these in a listing: `"end": shift.end,` below `"id": shift.id,` and `"start": shift.start,`',
    ),
    "next listed": Kind(lines.alike, "the same where each line has its name once"),
}


def made(around: Around, kinds: Collection[str]) -> Iterator[Candidate]:
    """The candidates of some kinds."""
    for generator in dict.fromkeys(KINDS[kind].generator for kind in kinds):
        yield from (candidate for candidate in generator(around) if candidate.kind in kinds)

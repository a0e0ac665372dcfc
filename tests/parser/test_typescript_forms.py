"""Constructs crossed with their possible places are judged like TypeScript's parser and checker, or acorn."""

import random

import pytest

from ..fuzz import typescript_forms as forms
from ..support import oracle_typescript as oracle


@pytest.mark.parametrize("family", forms.FAMILIES)
def test_whole_files_are_judged_as_the_oracles_do(family: str) -> None:
    """A small part of `make fuzz`."""
    oracle.needed()
    assert forms.whole(random.Random(11), 40, family) == (40, [])


@pytest.mark.parametrize("family", forms.FAMILIES)
def test_holes_are_judged_as_whole_files_are(family: str) -> None:
    asked, found = forms.holes(random.Random(12), 8, family)
    assert asked and not found


@pytest.mark.parametrize(
    ("left", "middle", "right"),
    [
        ("const ctx", " = await ctx", "\n  .b(() => {});\nctx.c();\n"),
        ("const { a", " } =", "\n  a.b;\n"),
        ("for (const a of", " ", "\n  a.b) ;\n"),
        ("export {};\nlet a = 1, b", " = [", "\n  b,\n];\n"),
    ],
)
def test_a_value_behind_the_hole_reads_what_is_being_declared(left: str, middle: str, right: str) -> None:
    form = forms.Form("tsx", left + middle + right)
    assert not forms.accepts(form) and not forms.accepts(form, left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ('import { a } from "b";\nd = [a];\ng = ({} = ', ") => 1;\n"),
        ("const a = 1;\nd = [a, {}];\nconst g = ({ h = {} } = ", ") => 1;\n"),
        ("const a = 1;\nlet x, y;\n[x = a] = [", "];\n({ z: x = a } = y);\n"),
    ],
)
def test_a_pattern_assigns_to_its_own_names_alone(left: str, right: str) -> None:
    form = forms.Form("ts", left + "x" + right)
    assert forms.accepts(form) and forms.accepts(form, left, right)


@pytest.mark.parametrize("before", ["x = ", "let x = ", "const { x } = "])
@pytest.mark.parametrize(
    ("type_", "taken"),
    [
        *((f"({part})", False) for part in ("B", "this", "{ B }", "{ a: B, ...c }", "[B, { C }]", "[]", "readonly []")),
        *(
            (f"({part})", True)
            for part in ("B | C", "(B)", "keyof B", "B[]", "{ a?: B }", "{ a; B }", "[B[]]", "[a: B]")
        ),
        *((type_, True) for type_ in ("(B)[]", "keyof (B)", "readonly (B)[]", "B | ((C) => D)")),
        *((type_, False) for type_ in ("B | (C)", "| (C) => D", "B & (C) => D", "keyof", "(B) => keyof", "C | infer")),
    ],
)
def test_brackets_before_an_arrow_are_parameters_where_they_can_be(before: str, type_: str, taken: bool) -> None:
    form = forms.Form("ts", f"{before}(y): {type_} => 1")
    assert forms.accepts(form) == taken
    if oracle.missing() is None:
        assert (not oracle.typescript(form.text, "ts")) == taken


@pytest.mark.parametrize(
    ("cast", "taken"),
    [
        *((f"<T>{operand}", False) for operand in ("(a)", "({ a })", "(a, b)")),
        *((f"<T>{operand}", True) for operand in ("a", "[a]", "(a)[0]", "(a)(b)")),
        *((cast, True) for cast in ("<T[]>(a)", "<{ a: b }>(a)", "<T><U>(a)", "-<T>(a)", "(<T>(a))")),
    ],
)
@pytest.mark.parametrize("place", ["switch (x) { case $: y => z }", "x = v ? w ? $ : y => z : u"])
def test_a_cast_before_a_colon_is_an_arrow_function_where_it_can_be(place: str, cast: str, taken: bool) -> None:
    form = forms.Form("ts", place.replace("$", cast))
    assert forms.accepts(form) == taken
    assert forms.accepts(forms.Form("ts", form.text.replace("y => z", "y")))
    if oracle.missing() is None:
        assert (not oracle.typescript(form.text, "ts")) == taken

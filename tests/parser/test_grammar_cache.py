"""Compiled grammars in the cache: equal parts once, only files of this user, and additions made from a language's tables."""

import dataclasses
import marshal
from pathlib import Path
from typing import Any

import pytest
from suture.parser.grammar import cache
from suture.parser.languages.typescript import tables as typescript
from suture.parser.languages.typescript.dialect import grammar_text

SOURCE = 'start: a+\na: "x" "y" | "x" "(" a ")" | "z"\n'


@pytest.fixture
def grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "cache")
    path = tmp_path / "own.lark"
    path.write_text(SOURCE)
    return path


def fields(tables: object) -> dict[str, Any]:
    return {name: value for name, value in vars(tables).items() if not name.startswith("_")}


def twice(compiled: cache.Compiled) -> cache.Compiled:
    return dataclasses.replace(compiled, more=[*compiled.tables.terminals] * 2)


def once(compiled: cache.Compiled) -> cache.Compiled:
    return dataclasses.replace(compiled, more=("once", {"x": frozenset((1, 2))}))


def test_what_a_language_makes_of_its_tables_is_kept(grammar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cache.load(grammar, "start", finish=once)
    plain = cache.load(grammar, "start")
    monkeypatch.setattr(cache, "compile_now", None)  # now they are in the cache
    again = cache.load(grammar, "start", finish=once)
    assert again.more == first.more == once(plain).more and fields(again.tables) == fields(first.tables)
    assert cache.load(grammar, "start").more is None


def test_equal_rows_are_one_object_also_in_tables_just_compiled(grammar: Path) -> None:
    """Else the first session of a user held twice as much: 40 MB more with the tables of all languages."""
    first, again = (cache.load(grammar, "start").tables for _ in range(2))
    rows = [{id(row) for row in tables.reduce} for tables in (first, again)]
    assert len(rows[0]) == len(rows[1]) < len(first.reduce)


def test_another_program_makes_other_tables(grammar: Path, tmp_path: Path) -> None:
    """A changed program makes them again."""
    made: list[str] = []
    for said in ("a", "b", "a"):
        program = tmp_path / "program.py"
        program.write_text(
            f"import dataclasses\ndef finish(compiled): return dataclasses.replace(compiled, more='{said}')\n"
        )
        names: dict[str, Any] = {}
        exec(compile(program.read_text(), str(program), "exec"), names)
        made.append(cache.load(grammar, "start", finish=names["finish"]).more)
    assert made == ["a", "b", "a"]


def test_files_of_other_users_are_not_read(grammar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forged file has a right checksum, and could crash its reader."""
    cache.load(grammar, "start", finish=once)
    (kept,) = (grammar.parent / "cache").iterdir()
    forged = dataclasses.replace(cache.load(grammar, "start", finish=once), more="forged")
    kept.write_bytes(cache.as_bytes(forged))
    assert cache.load(grammar, "start", finish=once).more == "forged"  # it is our own
    monkeypatch.setattr(cache, "_OWNERS", frozenset((kept.stat().st_uid + 1,)))
    assert cache.load(grammar, "start", finish=once).more == once(forged).more


def test_equal_parts_are_one_object_and_nothing_else_is_changed(grammar: Path) -> None:
    compiled = cache.compile_now(grammar, "start")
    odd = [
        [1, True, 1.0],
        [1, 1, 1],
        (1, 2),
        [1, 2],
        {1: 2},
        {True: 2},
        {1: 2},
        None,
        b"a",
        "a",
        frozenset((1,)),
        {},
        [],
        (),
    ]
    content = cache.as_bytes(dataclasses.replace(compiled, more=odd))
    *_, tables, _, more = marshal.loads(content.partition(b"\n")[2])
    assert repr(more) == repr(odd) and more[4] is more[6] and more[4] is not more[5]
    assert tables == fields(compiled.tables)
    rows = [row for name in ("shift", "reduce", "goto") for row in tables[name]]
    assert len({id(row) for row in rows}) == len({repr(row) for row in rows}) < len(rows)


def test_the_tables_of_a_dialect_are_those_of_its_grammar() -> None:
    source = grammar_text((Path(typescript.__file__).with_name("typescript.lark")).read_text(), dialect="js")
    path = Path(typescript.__file__).with_name("typescript.lark")
    loaded = typescript.dialect_tables("js")
    made = typescript._finished(cache.compile_now(path, "start", source, declared=True))  # pyright: ignore[reportPrivateUsage]
    assert fields(made.tables) == fields(loaded.wide.tables)
    assert made.more == (
        loaded.wide.behind,
        loaded.wide.probes,
        loaded.texts,
        loaded.brackets,
        vars(loaded.rules),
    )

"""Scripts under edit: the sources of their API, and holes in scripts broken elsewhere."""

import os
import shutil
import sys

import pytest
from suture.parser import Cancelled, language
from suture.parser.languages.slua import workspace
from suture.parser.languages.slua.api import Api
from suture.parser.languages.slua.hole import ScriptHoleState
from suture.parser.languages.slua.right import RightContext

from ..support.slua_scripts import DELVE, SCRIPTS

TEXT = (DELVE / "scripts" / "fireball.slua").read_text()


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(DELVE, tmp_path / "delve") / "scripts"


def hole(path, marked):
    left, right = marked.split("|")
    return language("slua").hole(left, right, path=path)


def at(left, gone="", text=TEXT):
    """The text with a mark in place of the removed piece."""
    offset = text.index(left + gone) + len(left)
    return text[:offset] + "|" + text[offset + len(gone) :]


def test_the_api_is_the_nearest_above_with_what_other_scripts_register(folder):
    for name in SCRIPTS:
        text = (folder / f"{name}.slua").read_text()
        found = hole(folder / f"{name}.slua", "|" + text)
        assert found.viable and found.state is not None and found.state.complete, name
    (folder / "game.slua-api").write_text("-- nearer, and without any script")
    session = language("slua").session(folder / "x.slua")
    assert session.hole("", 0).state is None
    assert session.problem == "the API declares no kind of script"


def test_no_api_is_taken_from_outside_the_workspace(folder):
    inside, outside = str(folder.parent), str(folder)
    assert language("slua").session(folder / "x.slua", inside).problem is None
    assert "no *.slua-api file" in str(language("slua").session(folder / "x.slua", outside).problem)
    assert "save it" in str(language("slua").session().problem)


def test_an_api_is_a_bounded_file_of_the_users_own(folder, monkeypatch):
    api = folder.parent / "delve.slua-api"
    monkeypatch.setattr(workspace, "_MOST_BYTES", 100)
    assert "it is larger than" in str(language("slua").session(folder / "x.slua").problem)
    monkeypatch.undo()
    api.write_text("record {")
    assert str(language("slua").session(folder / "y.slua").problem).startswith(f"{api}:1: expected the name")
    api.write_bytes(b"\xff")
    os.utime(api, (1, 1))
    assert "not UTF-8" in str(language("slua").session(folder / "z.slua").problem)
    api.unlink()
    os.mkfifo(api)  # nobody writes to it
    assert "no *.slua-api file" in str(language("slua").session(folder / "a.slua").problem)


def test_files_that_change_are_read_again(folder, monkeypatch):
    monkeypatch.setattr(workspace, "_KNOWN_S", -1.0)
    session = language("slua").session(folder / "x.slua")
    marked = at("target.", "Damage((user.GetAttack() + 6) / (1 + far), user);")
    before, after = marked.split("|")

    def known(text):
        state = session.hole(before + after, len(before)).state
        return state is not None and state.advance(text) is not None

    assert known("Damage(1, user);") and not known("Smite();")
    api = folder.parent / "delve.slua-api"
    api.write_text(api.read_text().replace("  Heal:", "  Smite: () -> void,\n  Heal:"))
    assert known("Smite();")
    (folder / "chill.slua").write_text((folder / "venom.slua").read_text().replace('"venom"', '"chill"'))
    assert hole(folder / "x.slua", TEXT.replace("target.Push", "g_effects.chill|.WithEffect")).state is not None


def test_scripts_register_in_any_order(folder):
    api = Api.load(folder.parent / "delve.slua-api")
    texts = [(folder / f"{name}.slua").read_text() for name in SCRIPTS]
    surroundings = workspace.Surroundings()
    found = [surroundings._with_scripts(api, some) for some in (texts, texts[::-1], [*texts, "do broken"])]
    fields = [set(one.tables["Effects"].fields) for one in found]
    assert fields == [{"venom", "thorns"}] * 3


JUNK = "        local junk = = 1;\n"


@pytest.mark.parametrize(
    ("marked", "fallback"),
    [
        (at("target.Push(", "at, 2"), "none"),
        (at("target.Push(", "at, 2").replace("        local far", JUNK + "        local far"), "left"),
        (
            at("target.Damage(", "(user.GetAttack() + 6) / (1 + far), user").replace(
                "        if far", JUNK + "        if far"
            ),
            "right",
        ),
        (
            at("target.Damage(", "(user.GetAttack() + 6) / (1 + far), user")
            .replace("        local far", JUNK + "        local far")
            .replace("        if far", JUNK + "        if far"),
            "both",
        ),
        (at("target.Push(", "at, 2").replace("target.Push", "target.Pish"), "dead"),
    ],
)
def test_lines_that_are_broken_elsewhere_are_left_out(folder, marked, fallback):
    found = hole(folder / "x.slua", marked)
    assert found.fallback == fallback
    if found.state is not None:
        (bridge,) = found.state.bridges()
        ended = found.state.advance(bridge)
        assert ended is not None and ended.complete


def test_reading_can_be_given_up(folder):
    session = language("slua").session(folder / "x.slua")
    with pytest.raises(Cancelled):
        session.hole(TEXT, len(TEXT) // 2, lambda: True)


def test_what_grows_is_let_go(folder, monkeypatch):
    scripts = language("slua")
    session = scripts.session(folder / "x.slua")
    assert session.hole(TEXT, 100).viable
    before = scripts.runtime()
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", before.size - 1)
    assert session.hole(TEXT, 200).viable
    assert scripts.runtime() is not before
    scripts.release(lambda: False)
    assert not scripts.has_retired or scripts.runtime().size > 0


def test_explanations_name_types_and_places(folder):
    session = language("slua").session(folder / "x.slua")
    left, right = at("target.", "Push(at, 2);").split("|")
    found = session.hole(left + right, len(left))
    explainer = session.explainer()
    assert found.state is not None
    explained = explainer.explain(found.state, left)
    assert explained.wanted.startswith("a field of Actor that leads to a call")
    assert {one.name for one in explained.accepted} >= {"Damage", "Push"} and explained.within == "an operator"
    assert [block.header.split()[0] for block in explained.blocks] == [
        "do",
        "Do",
        "g_level.ForEachActorWithin(at,",
        "if",
    ]
    rejected = explainer.why_rejected(found.state, "Fly();", left)
    assert rejected is not None and rejected.offset == 1
    assert (
        found.state.refusal("Fly")
        == "found 'Fly', expected a field of Actor that leads to a call or can be assigned to (such as Damage, ForEachEffect, GetAttack, GetCoord, GetHealth, GetLevel, GetMaxHealth, Heal, ...)"
    )
    broken = explainer.why_left_breaks(left + "Fly();")
    assert broken is not None and broken.offset == len(left) + 1
    assert explainer.why_not_complete(found.state, left) is not None


def test_a_right_context_that_is_read_as_one_string_can_be_stopped(folder):
    """A text that connects two others may open a string: the right context was then read to its end, however long, without a check."""
    text = TEXT[: TEXT.index('"') + 1]
    state = language("slua").session(folder / "long.slua").hole(text, len(text)).state
    assert isinstance(state, ScriptHoleState)
    right, asked = RightContext("a" * 50_000), []

    def stop():
        asked.append(0)
        return len(asked) == 3

    right.stop = stop
    assert not right.accepts(state.prefix) and len(asked) == 3

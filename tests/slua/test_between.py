"""Holes in scripts: what is complete is a script, and what was there before is complete."""

import random
import re

import pytest
from suture import slua
from suture.parser.hole import HoleState

from tests.support.slua_scripts import DELVE, SCRIPTS, delve_api

TEXTS = {name: (DELVE / "scripts" / f"{name}.slua").read_text() for name in SCRIPTS}


def hole(name, start, end):
    api = slua.Api(delve_api(SCRIPTS[: SCRIPTS.index(name)]))
    text = TEXTS[name]
    return api, slua.between(api, text[:start], text[end:])


def after(state, text) -> HoleState:
    """The state after a text that is taken."""
    found = state.advance(text)
    assert found is not None
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_between_two_lines_anything_may_come_that_leaves_a_script(name):
    text = TEXTS[name]
    for found in list(re.finditer("\n", text))[::7]:
        at = found.end()
        api, state = hole(name, at, at)
        assert state is not None and state.complete
        for more in ("", "-- a note\n", "local zz: number = 1;", "end", "if true then", "g_game.Log('');", "}", "x"):
            after = state.advance(more)
            ok = api.check(text[:at] + more + text[at:]) is None
            assert (after is not None and after.complete) == ok, (more, text[:at])


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("fireball", "    range = 7,\n"),
        ("fireball", "Fireball"),
        ("fireball", "user.GetAttack() + 6"),
        ("fireball", "g_level.Distance(at, target.GetCoord());"),
        ("fireball", "if far > 0 and target.IsEnemyOf(user) then\n"),
        ("fireball", "(at, 2)"),
        ("fireball", "  local radius: number = 2;\n"),
        ("fireball", "        target.Push(at, 2);\n        end\n"),
        ("bramble_coat", "local near: number = 0;"),
        ("bramble_coat", "near + 1; end\n"),
        ("bramble_coat", "other.IsE"),
        ("venom", "return g_math.Clamp(stacks * (1 + level / 4), 1, 12);"),
        ("thorns", "a"),
    ],
)
def test_what_was_taken_out_is_connected_again(name, gone):
    text = TEXTS[name]
    start = text.index(gone)
    api, state = hole(name, start, start + len(gone))
    assert state is not None
    original = state.advance(gone)
    assert original is not None and original.complete and original.stays_in_hole
    (bridge,) = state.bridges()
    ended = state.advance(bridge)
    assert ended is not None and ended.complete
    api.script(text[:start] + bridge + text[start + len(gone) :])


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_complete_is_a_script(seed):
    rng = random.Random(seed)
    name = rng.choice(SCRIPTS)
    text = TEXTS[name]
    start = rng.randrange(len(text))
    end = min(len(text), start + rng.randrange(12))
    api, state = hole(name, start, end)
    if state is None:
        return
    middle = ""
    for _ in range(60):
        char = rng.choice([*"abcdefg ();.=,\n", *text[start:end], "end", "local"])
        after = state.advance(char)
        if after is None:
            continue
        state, middle = after, middle + char
        assert state.complete == (api.check(text[:start] + middle + text[end:]) is None)


def test_closing_what_goes_on_leaves_the_hole():
    text = TEXTS["fireball"]
    at = text.index("(user.GetAttack() + 6)") + len("(user.GetAttack()")
    _, state = hole("fireball", at, at)
    assert after(state, " + 1").stays_in_hole
    assert not after(state, " + 1)").stays_in_hole


@pytest.mark.parametrize(
    ("name", "before", "more", "stays"),
    [
        ("fireball", "        local far", "local near: number = 1;", True),
        ("fireball", "        local far", "local far", False),  # the right context defines it again
        ("fireball", "        local far", "if true then local far: number = 1; end", True),
        ("fireball", "        target.Push", "return;", False),  # nothing can follow
        ("fireball", "    range = 7", "cooldown", True),
        ("fireball", "    cooldown = 5", "range = 3, ", False),
        ("bramble_coat", "      local near", "local near2: string = ''; near2 = 'a';", True),
    ],
)
def test_what_the_right_context_defines_is_not_defined_before_it(name, before, more, stays):
    at = TEXTS[name].index(before)
    _, state = hole(name, at, at)
    reached: HoleState | None = state
    for char in more + " ":
        reached = reached.advance(char) if reached is not None else None
    if name == "fireball" and more == "cooldown":
        assert reached is None  # it is given already
    else:
        assert reached is not None and reached.stays_in_hole == stays


def test_the_characters_that_are_missing_are_those_of_the_short_way():
    text = TEXTS["fireball"]
    at = text.index("        local far")
    _, state = hole("fireball", at, at)
    assert state is not None
    assert state.missing == 0
    assert after(state, "target.Heal(").missing == len("0);")
    assert after(state, "if true then ").missing == len("end")


def test_what_cannot_be_connected_is_none():
    api = slua.Api(delve_api())
    assert slua.between(api, "do interface", "") is None
    assert slua.between(api, "do ", "} end") is None
    state = slua.between(api, "do ", "")
    assert state is not None and not state.complete
    assert after(state, state.bridges()[0]).complete


def test_characters_in_bytes_are_taken_in_strings_only():
    text = TEXTS["fireball"]
    at = text.index("Fireball")
    _, state = hole("fireball", at, at)
    assert state is not None
    assert state.admits("é".encode()[:1]) and not state.admits(b"\xed\xa0")
    _, state = hole("fireball", 0, 0)
    assert state is not None
    assert not state.admits("é".encode()[:1])

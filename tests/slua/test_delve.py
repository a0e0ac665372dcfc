"""The example: the game goes on, whatever scripts are in it."""

import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("lupa.lua54")

from suture import slua

from tests.support.slua_scripts import DELVE


@pytest.fixture
def delve(monkeypatch):
    monkeypatch.syspath_prepend(str(DELVE))
    for name in ("delve", "world"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import delve
    import world

    yield SimpleNamespace(main=delve.main, world=world)
    for name in ("delve", "world"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("seed", range(3))
def test_nonsense_scripts_break_nothing(delve, seed, capsys):
    world = delve.main(["--random", "--auto", "150", "--seed", str(seed)])
    assert world.turn == 150
    assert sum(world.outcomes.values()) > 10
    assert "Scripts ended" in capsys.readouterr().out


def test_the_game_can_be_played(delve, monkeypatch, capsys):
    lines = iter(["talents", "e", "fireball", "bramble_coat", "what", "wish a shield", "wait", "quit"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    world = delve.main(["--random", "--seed", "5"])
    shown = capsys.readouterr().out
    assert "fireball: Burns everybody within 2 cells." in shown
    assert "Hero has Thorns." in shown and "You have learned" in shown
    assert world.turn == 3


def arena(delve):
    """A world with the hero and one ogre beside it, far from everybody else."""
    world = delve.world.World(1)
    world.walls.clear()
    world.add_all()
    ogre = delve.world.Actor(world, "Ogre", "o", (3, 7), 1000, 5)
    world.hero.at, world.actors = (2, 7), [world.hero, ogre]
    return world, ogre


def test_venom_stacks_and_a_second_dart_doubles_it(delve):
    world, ogre = arena(delve)
    world.use(world.hero, "venom_dart", ogre.at)
    assert ogre.effects[0].stacks == 3  # 2 and the hero's level
    world.turn = 10
    world.use(world.hero, "venom_dart", ogre.at)
    assert ogre.effects[0].stacks == 9
    before = ogre.health
    world.end_turn()
    assert before - ogre.health == 9 * 1.25
    assert ogre.effects[0].stacks == 8
    assert ogre.effects[0].describe() == "Loses 10 health each turn."


def test_shields_that_reflect_each_other_stop_at_the_games_limit(delve):
    world, ogre = arena(delve)
    world.hero.health = world.hero.max_health = 1000
    thorns = world.effects.thorns
    for actor in (world.hero, ogre):
        thorns.Apply(actor, actor, SimpleNamespace(share=100.0, turns=5.0))
    ogre.Damage(16, world.hero)
    assert (1000 - ogre.health, 1000 - world.hero.health) == (32, 32)  # three hooks deep


def test_any_number_does(delve):
    world, _ = arena(delve)
    text = """do NewTalent({ id = "odd", name = "", cooldown = 1/0, range = 0/0, GetDescription = function(u) return ""; end,
      Do = function(user, at)
        local far: Coord = { x = 1e999, y = 0/0 };
        user.MoveTo(far); user.Push(far, 1/0); user.Damage(0/0, user); user.Heal(-1/0); user.Damage(-5, user);
        g_level.SpawnTrap(far, 1e300); g_level.ForEachActorWithin(far, 1/0, function(a) a.Push(far, 9); end);
        g_game.Log(g_str.FromNumber(g_game.RandomInt(0/0, 1/0) + g_math.Floor(1/0) + g_math.Sqrt(-1)));
      end }); end"""
    assert world.add(world.host.api.script(text)) == "odd"
    world.ask(world.talents["odd"].Do, world.hero, delve.world.Coord(float("nan"), 1e300))
    assert world.hero.health == 40


def test_what_does_not_end_fizzles(delve):
    world, _ = arena(delve)
    text = """do NewTalent({ id = "slow", name = "", cooldown = 0, range = 0, GetDescription = function(u) return ""; end,
      Do = function(user, at) for i = 1, 1e4 do for j = 1, 1e4 do user.Heal(0); end end end }); end"""
    world.add(world.host.api.script(text))
    world.use(world.hero, "slow", world.hero.at)
    assert world.messages[-1] == "The magic fizzles." and world.outcomes["instructions"] == 1


def test_effects_that_scripts_register_are_there_for_the_next(delve):
    world = delve.world.World(2)
    api = world.host.api
    with pytest.raises(slua.ScriptError, match="found 'g_effects'"):
        api.script((DELVE / "scripts" / "venom_dart.slua").read_text())
    world.add(api.script((DELVE / "scripts" / "venom.slua").read_text()))
    world.host.api.script((DELVE / "scripts" / "venom_dart.slua").read_text())

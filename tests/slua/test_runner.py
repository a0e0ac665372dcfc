"""Scripts in real Lua: the same calls as an interpreter of their trees makes, and never an error."""

import random
from types import SimpleNamespace

import pytest

pytest.importorskip("lupa.lua54")

from suture import slua

from tests.support.slua_scripts import DELVE, SCRIPTS, Recorder, delve_api, random_script
from tests.support.slua_scripts import run_both as run_both_ways

API = slua.Api.parse("""\
record Coord { x: number, y: number }
class Actor { name: string, mut hp: number, At: () -> Coord, Is: (o: Actor) -> boolean, Hit: (n: number) -> void }
class Game {
  Log: (text: string) -> void, Text: (n: number) -> string, Each: (f: (a: Actor) -> void) -> void, Two: () -> number,
  static Max: (a: number, b: number) -> number,
}
global g: Game
record Def { id: string, Do: (a: Actor, at: Coord) -> number, Maybe?: (n: number) -> string }
script def { do locals... New(Def); end }
""")


class Actor:
    def __init__(self, name="bob"):
        self.name, self.hp = name, 10

    def At(self):
        return {"x": 1, "y": 2}

    def Is(self, other):
        return self is other

    def Hit(self, n):
        self.hp -= n


class Game:
    def __init__(self):
        self.log, self.actors = [], [Actor("ann"), Actor("bob")]

    def Log(self, text):
        self.log.append(text)

    def Text(self, n):
        return f"{n:g}"

    def Each(self, f):
        for actor in self.actors:
            f(actor)

    def Two(self):
        return 2  # an integer

    @staticmethod
    def Max(a, b):
        return max(a, b)


def host(game=None, **budget):
    return API.bind({"g": game or Game(), "Actor": Actor}, slua.Budget(**budget))


def run(body, game=None, arguments=None, **budget):
    """What the function of a script gives."""
    game = game or Game()
    at = host(game, **budget)
    loaded = at.load(API.script(f'do New({{ id = "x", Do = function(a, at) {body} end }}); end'))
    ((_, record),) = loaded.registered
    return at.run(record.Do, *(arguments or (game.actors[0], {"x": 3, "y": 4})))


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("return at.x + at.y;", 7),
        ("return 7 % 0;", "nan"),
        ("return -7 % 3;", 2),
        ("return g.Two() % (g.Two() - 2);", "nan"),
        ("return 2 ^ -1 ^ 2;", 0.5),
        ("return -2 ^ 2;", -4),
        ("local n: number = 0; while true do n = n + 1; end return n;", 100),
        ("local n: number = 0; for i = 1e16, 1e17 do n = n + 1; end return n;", 10_000),
        ("local n: number = 0; for i = 3, 1, -0.5 do n = n + i; end return n;", 10),
        ("for i = 1, 2 do for j = 1, 2 do break; end return i; end return 9;", 1),
        ("local n: number = 0; g.Each(function(one) n = n + one.hp; end); return n;", 20),
        ("local f: (number) -> void = a.Hit; f(3); return a.hp;", 7),
        ("a.hp = 1; return a.hp;", 1),
        ("if a == a and a.Is(a) and not (a.At() == a.At()) then return 1; end return 0;", 1),
        ("local n: number = 1; do local n: number = 2; end return n;", 1),
        ("return 0x1F;", 31),
        ("local big: number = 1e999; return -big;", "-inf"),
    ],
)
def test_what_scripts_compute(body, value):
    result = run(body)
    assert result.outcome == "done"
    assert result.value == value or str(result.value) == value


def test_strings_come_out_as_text():
    game = Game()
    run(r"""g.Log("ü" .. '\x41\065\n' .. g.Text(g.Two()) .. "\xff"); return 0;""", game)
    assert game.log == ["üAA\n2�"]


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (
            "for i = 1, 1e4 do for j = 1, 1e4 do at.x = j; end end return 0;".replace(
                "at.x = j;", "local k: number = j;"
            ),
            "instructions",
        ),
        ('local s: string = "a"; for i = 1, 1000 do s = s .. s; end return 0;', "memory"),
        (
            "g.Each(function(one) for i = 1, 1e4 do for j = 1, 1e4 do local k: number = j; end end end); return 0;",
            "instructions",
        ),
    ],
)
def test_what_does_not_end_has_a_defined_result(body, outcome):
    game = Game()
    assert run(body, game, instructions=100_000, memory=4 * 2**20).outcome == outcome


def test_a_host_that_goes_on_after_the_budget_is_spent_gets_no_further():
    class Stubborn(Game):
        def Each(self, f):
            for _ in range(3):
                try:
                    f(self.actors[0])
                except slua.OutOfBudget as end:
                    self.log.append(end.resource)
            raise slua.OutOfBudget("instructions")

    game = Stubborn()
    body = "g.Each(function(one) for i = 1, 1e4 do for j = 1, 1e4 do local k: number = j; end end end); return 0;"
    assert run(body, game, instructions=50_000).outcome == "instructions"
    assert game.log == ["instructions"] * 3


def test_after_an_exhausted_run_the_next_has_its_whole_budget():
    game = Game()
    at = host(game, instructions=100_000)
    text = 'do New({id="x", Do=function(a, at) for i=1,at.x do for j=1,1e4 do local k: number = j; end end return 1; end}); end'
    ((_, record),) = at.load(API.script(text)).registered
    assert at.run(record.Do, game.actors[0], {"x": 1e4, "y": 0}).outcome == "instructions"
    assert at.run(record.Do, game.actors[0], {"x": 1, "y": 0}).value == 1


def test_scripts_see_nothing_but_the_api():
    at = host()
    lua = "New({id = tostring == nil and os == nil and python == nil and debug == nil and _G == nil and 'no' or 'yes'})"
    result = at.runner.load(lua)
    assert result.registered[0][1].id == "no"


def test_optional_fields_are_none_or_functions():
    at = host()
    ((_, record),) = at.load(API.script('do New({id="x", Do=function(a, at) return 1; end}); end')).registered
    assert record.Maybe is None and record.id == "x"
    text = 'do New({id="y", Do=function(a, at) return 1; end, Maybe=function(n) return "z"; end}); end'
    ((_, record),) = at.load(API.script(text)).registered
    assert record.Maybe(3) == "z"


def test_binding_names_everything_that_is_missing():
    class Poor:
        def Log(self):
            pass

        def Text(self, n, *more):
            pass

        Two = 2

    with pytest.raises(slua.BindingError) as error:
        API.bind({"g": Poor()})
    assert str(error.value) == (
        "the host lacks class Actor, 1 parameters of g.Log, function g.Each, function g.Two, function g.Max"
    ) or set(str(error.value).removeprefix("the host lacks ").split(", ")) == {
        "class Actor", "1 parameters of g.Log", "function g.Each", "function g.Two", "function g.Max"
    }  # fmt: skip


def test_a_host_that_breaks_its_own_api_is_named():
    class Wrong(Game):
        def Two(self):
            return "two"

        def Text(self, n):
            raise ZeroDivisionError("oh")

    with pytest.raises(slua.HostError, match=r"Game.Two gave 'two', expected number"):
        run("return g.Two();", Wrong())
    with pytest.raises(slua.HostError, match=r"Game.Text failed: ZeroDivisionError\('oh'\)"):
        run("g.Log(g.Text(1)); return 0;", Wrong())
    with pytest.raises(slua.HostError, match="called with 1 arguments"):
        run("return 0;", arguments=(Actor(),))


def test_the_example_scripts_run():
    api = slua.Api(delve_api(()))
    recorder = Recorder(delve_api(), 1)
    at = api.bind(recorder.implementations)
    for name in SCRIPTS:
        loaded = at.load(at.api.script((DELVE / "scripts" / f"{name}.slua").read_text()))
        assert loaded.outcome == "done"
        ((_, record),) = loaded.registered
        assert record.id == name


@pytest.mark.parametrize("bounds", ["1, 0 % 0", "0 % 0, 1", "1, 0", "0, 1, -1", "1, 0 % 0, -2", "1, 3, 2"])
def test_loops_over_what_is_no_number_are_those_of_lua(bounds):
    text = f"""do
  NewTalent({{ id = "a", name = "a", cooldown = 1, range = 1, GetDescription = function(user) return ""; end,
    Do = function(user, at) for i = {bounds} do g_game.Log(g_str.FromNumber(i)); end end }});
end
"""
    assert run_both_ways(slua.Api(delve_api()).script(text), delve_api(), 1) == "same"


@pytest.mark.parametrize("seed", range(25))
def test_translations_make_the_calls_that_the_tree_makes(seed):
    rng = random.Random(seed)
    api = slua.Api(delve_api())
    text = random_script(rng, api.beginning(rng.choice(api.kinds)), rng.choice([20, 60, 200]))
    assert run_both_ways(api.script(text), delve_api(), seed) in ("same", "exhausted")


def test_records_reach_the_host_as_what_it_wants():
    class Coord:
        def __init__(self, x, y):
            self.x, self.y = x, y

    seen = []

    class Watching(Game):
        def At(self, at):
            seen.append(at)

    api = slua.Api.parse("""
        record Coord { x: number, y: number } class Game { At: (at: Coord) -> void } global g: Game
        record Def { Do: () -> void } script def { do locals... New(Def); end }""")
    for make, kind in ((Coord, Coord), (None, SimpleNamespace)):
        at = api.bind({"g": Watching()} | ({"Coord": make} if make else {}))
        ((_, record),) = at.load(api.script("do New({Do = function() g.At({x = 1, y = 2}); end}); end")).registered
        record.Do()
        assert isinstance(seen[-1], kind) and (seen[-1].x, seen[-1].y) == (1, 2)

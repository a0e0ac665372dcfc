"""sLua: accepted scripts, whose every prefix is accepted and can be ended."""

import random

import pytest
from suture.parser.languages.slua.api import Api, ApiError
from suture.parser.languages.slua.check import check
from suture.parser.languages.slua.endings import shortest_ending
from suture.parser.languages.slua.parse import ParseError, parse
from suture.parser.languages.slua.state import beginning

from tests.support.slua_scripts import DELVE, SCRIPTS, delve_api, mutants, random_script

API = Api.parse("""\
-- A place.
record Coord { x: number, mut y: number }
record Odd { need: Lost, }
class Lost { Nothing: () -> void }
class Actor { name: string, mut hp: number, GetCoord: () -> Coord, Damage: (amount: number) -> void, Is: (o: Actor) -> boolean }
class Game {
  WithActorAt: (at: Coord, found: (a: Actor) -> void) -> void, Log: (text: string) -> void,
  Find: (lost: Lost) -> Actor, Choose: (by: (a: Actor) -> Actor) -> number,
}
global g_game: Game
record Def { id: string, Do: (user: Actor, at: Coord) -> void, Rate?: (user: Actor) -> number }
script talent { do locals... New(Def); end }
""")


def talent(body: str = "", top: str = "") -> str:
    """A script whose body is that of a function of (user, at)."""
    return f'do {top} New({{ id = "x", Do = function(user, at) {body} end }}); end'


def viable_to(text: str, api: Api = API) -> int:
    """The number of a text's characters that begin some script."""
    state = beginning(api)
    for at, char in enumerate(text):
        after = state.read(char)
        if after is None:
            return at
        state = after
    return len(text)


GOOD = [
    "",
    "local n: number = 0x1F + 1.5e-3 * -2 ^ -3 % 4; n = - -n;",
    "local s: string = 'a' .. \"\\x41\\065\\n\" .. (user.name); user.hp = at.x;",
    "if 1 < 2 and not (user.Is(user) == true) or 's' ~= user.name then elseif user == user then else end",
    "while true do break; end; for i = 1, 2, -0.5 do local k: number = i; end",
    "do local f: (number, string) -> boolean = function(a, b) if a > 1 then return b == ''; else return false; end end; end",
    "local c: Coord = { y = 2, x = 1, }; c.y = c.x; at = c; user = user;",
    "g_game.WithActorAt({x = 1, y = 2}, function(other) other.Damage(1); end);",
    "local f: (number) -> void = user.Damage; f(1); local g: (number) -> void = f;",
    "local n: number = g_game.Choose(function(one) return one; end);",
    "if true then return; end -- no\n --[[ a ] long\n one]]",
    "local user2: Actor = user; for user3 = 1, 2 do local user2b: number = user3; end",
    "local n: number = 1; do local n: string = ''; end",
    "local b: boolean = (1 < 2) == (2 < 1); b = not not b == b;",
]
BAD = [  # ‸ marks the character at which no script continues
    ("local n: number = 1.‸.2;", "no number ends in a point"),
    ("local n: number = ‸'a';", "another type"),
    ("local n: number = (user.‸name);", "no way from a string to a number"),
    ("local n: number = 1 ‸== 2;", "a boolean"),
    ("local b: boolean = 1 < 2 ‸< 3;", "comparisons do not chain"),
    ("local b: boolean = user‸;", "an actor is no boolean"),
    ("local b: boolean = user == ‸nil;", "there is no nil"),
    ("user.‸Nod();", "no such function"),
    ("g_game.Log(‸1);", "another type"),
    ("g_game.Log(‸);", "an argument is missing"),
    ("g_game.Log('a'‸, 'b');", "an argument too much"),
    ("g_game.‸Find(user);", "nothing is a Lost"),
    ("local o: ‸Odd = {};", "no Odd can be built"),
    ("‸nobody.Log('');", "an undefined name"),
    ("user.‸name = 'x';", "a field that scripts cannot change"),
    ("at.‸x = 1;", "the same of a record"),
    ("user.hp = 1 ‸end", "no semicolon"),
    ("local n ‸= 1;", "no type"),
    ("local n: number‸;", "no value"),
    ("local f: () -> void = function() end; f ‸= function() end;", "functions cannot be replaced"),
    ("local f: () -> void = function() f‸(); end;", "a function does not know itself"),
    ("for i = 1, 2, 0‸ do end", "a step of 0"),
    ("for i = 1, 2, 0‸e1 do end", "the same"),
    ("for i = 1, 2 do i‸ = 1; end", "the variable of a loop is not changed"),
    ("‸break;", "no loop"),
    ("return ‸1;", "the function returns nothing"),
    ("return; ‸user.hp = 1;", "nothing comes after return"),
    ("local f: () -> number = function() if true then return 1; end ‸end;", "a path without return"),
    ("local user‸ : number = 1;", "taken"),
    ("local g_game‸ : number = 1;", "a global"),
    ("local number‸ : number = 1;", "a type"),
    ("local goto‸ : number = 1;", "a keyword"),
    ("local _ENV‸ : number = 1;", "Lua's own name"),
    ("local __slu‸a_1: number = 1;", "the translation's own names"),
    ("local s: string = '\\‸z';", "an unknown escape"),
    ("local s: string = '\\25‸6';", "more than a byte"),
    ("local s: string = '‸\n';", "a string on two lines"),
    ("local s: string = ‸[[a]];", "long brackets"),
    ("user‸:Damage(1);", "a point, not a colon"),
    ("user‸['hp'] = 1;", "no index"),
    ("local c: Coord = { x = 1 ‸};", "a required field"),
    ("local c: Coord = { x = 1, ‸x = 2, y = 2 };", "a field twice"),
    ("local a: Actor = ‸{};", "a class"),
    ("local f: (number) -> void = function(a‸: number) end;", "parameters carry no types"),
    ("f‸unction f() end", "functions are values"),
    ("local n: number = 1 /‸/ 2;", "no such operator"),
    ("user.hp ‸+= 1;", "no such assignment"),
    ("local a‸" + "a" * 50 + ": number = 1;", "a name of more than 50 characters"),
    ("do local user‸ : number = 1; end", "hides an actor, which may be needed"),
    ("g_game.WithActorAt(at, function(at‸ ) end);", "the same"),
]


@pytest.mark.parametrize("body", GOOD)
def test_good_scripts_and_all_their_prefixes_are_viable(body):
    text = talent(body)
    assert viable_to(text) == len(text), text[: viable_to(text)]
    assert check(text, API) is None
    assert parse(text, API).kind == "talent"


@pytest.mark.parametrize(("body", "why"), BAD)
def test_bad_scripts_are_refused_at_the_right_character(body, why):
    if body.startswith("local a‸"):  # 50 characters are taken
        body = "local " + "a" * 50 + "‸a: number = 1;"
    marked = talent(body)
    text = marked.replace("‸", "")
    assert text[: viable_to(text)] == marked[: marked.index("‸")], why
    problem = check(text, API)
    assert problem is not None and problem.offset == marked.index("‸")
    with pytest.raises(ParseError):
        parse(text, API)
        raise AssertionError(f"the other parser takes it: {text}")


def test_every_prefix_of_the_examples_is_viable_and_can_be_ended():
    api = delve_api(())
    for name in SCRIPTS:
        text = (DELVE / "scripts" / f"{name}.slua").read_text()
        state = beginning(api)
        for at, char in enumerate(text):
            if at % 31 == 0:
                ended = state.advance(shortest_ending(state))
                assert ended is not None and ended.finished
            after = state.read(char)
            assert after is not None, text[: at + 1]
            state = after
        assert state.finished
        api = delve_api(SCRIPTS[: SCRIPTS.index(name) + 1])


@pytest.mark.parametrize("seed", range(12))
def test_both_parsers_agree_on_random_scripts_and_their_mutants(seed):
    api = delve_api()
    rng = random.Random(seed)
    text = random_script(rng, beginning(api), rng.choice((10, 30, 80)))
    assert check(text, api) is None
    parse(text, api)
    for mutant in mutants(rng, text, 15):
        try:
            parse(mutant, api)
            accepted = True
        except ParseError:
            accepted = False
        assert (check(mutant, api) is None) == accepted, mutant


def test_every_viable_state_can_be_ended_also_at_the_limits_of_nesting():
    """A text that only opens brackets, blocks and functions is stopped while there is still a way out."""
    api = delve_api()
    for opener in ("(", "not ", "- ", "{x=", "if true then ", "for i=1,2 do ", "do ", "'a'..", "2^", "2%"):
        state = beginning(api).advance(
            "do local b: boolean = " if opener in ("(", "not ") else "do local f: () -> void = function() "
        )
        assert state is not None
        if opener not in ("(", "not ", "if true then ", "for i=1,2 do ", "do "):
            state = state.advance("g_level.Distance({x=" if opener != "'a'.." else "g_game.Log(")
            assert state is not None
        count = 0
        while (after := state.advance(opener)) is not None or (
            opener.startswith("for") and (after := state.advance(f"for i{count}=1,2 do ")) is not None
        ):
            state, count = after, count + 1
            assert count < 200
            ending = shortest_ending(state)
            assert (ended := state.advance(ending)) is not None and ended.finished
        assert count or opener == "{x=", opener


def test_names_may_be_as_many_as_lua_takes():
    state = beginning(API)
    text = "do "
    for count in range(200):
        more = f"local n{count}: number = 1;"
        if state.advance(text + more) is None:
            break
        text += more
    assert count == 80


def test_messages_name_what_was_expected():
    text = talent("user.Damge(1);")
    problem = check(text, API)
    assert problem is not None
    assert problem.message == (
        "found 'Damge', expected a field of Actor that leads to a call or can be assigned to"
        " (such as Damage, GetCoord, Is, hp)"
    )
    assert text[problem.start : problem.end] == "Damge"
    assert problem.place(text) == (1, text.index("Damge"))
    problem = check(talent("local n: number = user"), API)
    assert problem is not None and problem.message == "found 'end', expected '.'"
    problem = check("do\n  local n: number = 1;", API)
    assert (
        problem is not None
        and problem.message == "the text ends too early; expected a definition or the last call (such as 'local', New)"
    )
    assert problem.place("do\n  local n: number = 1;") == (2, 22)


def test_comments_can_be_refused():
    assert check(talent("-- no\n"), API) is None
    problem = check(talent("-- no\n"), API, comments=False)
    assert problem is not None and problem.message == "a comment is not allowed here"
    assert check(talent("local n: number = - -1 - 1;"), API, comments=False) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("record A { x: numbr }", "1: unknown type 'numbr'"),
        ("record A { x: number, x: number }", "1: 'x' is declared twice"),
        ("record A { }\nclass A { }", "2: 'A' is declared twice"),
        ("class A { x?: number }", "1: a class has no optional fields"),
        ("class A { mut f: () -> void }", "1: 'f' is a function, which cannot be assigned to"),
        ("class A { f: () -> (() -> void) }", "1: a function cannot return a function"),
        ("class A { f: (g: (h: () -> void) -> void) -> void }", "1: a callback cannot take a function"),
        ("global g: A", "1: global 'g' needs a class, and 'A' is none"),
        ("class A { } global end: A", "1: 'end' cannot be the name of a global"),
        ("class A { x: number", "1: expected ',' or '}', found 'end of file'"),
        ("record A { } script s { do locals... New(B); end }", "1: New takes a record, and 'B' is none"),
        ("record A { } script s { interface P; }", "1: script 's' has no do block"),
        (
            "record A { p: P } script s { interface P; do locals... N(A); end }",
            "1: the interface 'P' can only be the type of a parameter",
        ),
        ("blah", "1: expected record, class, global or script, found 'blah'"),
        ("record A { x: number } §", "1: unexpected '§'"),
        ("record __slua_A { }", "1: '__slua_A' cannot be the name of a record"),
    ],
)
def test_errors_in_api_files_name_the_line(text, message):
    with pytest.raises(ApiError, match="^" + message.replace("(", r"\(").replace(")", r"\)").replace("?", r"\?") + "$"):
        Api.parse(text)


def test_kinds_of_which_there_is_no_script_are_refused():
    api = Api.parse("class Lost { } record D { x: Lost } script s { do locals... N(D); end }")
    with pytest.raises(ApiError, match="a D cannot be built"):
        beginning(api)


def test_what_scripts_register_is_known_to_later_ones():
    api = delve_api(())
    text = (DELVE / "scripts" / "venom_dart.slua").read_text()
    problem = check(text, api)
    assert problem is not None and text[problem.start : problem.end] == "g_effects"  # it leads nowhere yet
    assert check(text, delve_api(("venom",))) is None
    again = (DELVE / "scripts" / "venom.slua").read_text()
    problem = check(again, delve_api(("venom",)))
    assert problem is not None and problem.message.startswith(
        "found '\"venom\"', expected a name in quotes that is not taken"
    )

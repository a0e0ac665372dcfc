"""The example grammar files, against the programs whose languages they describe."""

import random
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from suture.parser import Language, load_language

from ..support.inside import runtime_of

GRAMMARS = Path(__file__).parents[2] / "examples" / "grammars"
QUERIES = [
    "SELECT 1",
    "select a, b as c, t.*, count(*) from t where x > 1 and y is not null group by a having count(*) > 2 order by a desc limit 10",
    "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x+1 FROM c WHERE x < 10) SELECT x FROM c",
    "SELECT a FROM t LEFT JOIN u ON t.id = u.id NATURAL JOIN v, w INNER JOIN z USING (a, b)",
    "SELECT CASE WHEN a THEN 'x' ELSE \"y\" END, CAST(a AS VARCHAR(10, 2)), -a || ~b, b IN (1, 2), d BETWEEN 1 AND 2 AND e",
    "SELECT sum(a) FILTER (WHERE b) OVER (PARTITION BY c ORDER BY d ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t",
    "SELECT * FROM (SELECT 1 AS a) AS q WHERE EXISTS (SELECT 2) AND (a, b) = (1, 2) -- c\n",
    "VALUES (1, 'a'), (2, x'ab')",
    "SELECT a FROM t EXCEPT SELECT b FROM u INTERSECT SELECT c COLLATE nocase FROM w /* c */",
    "SELECT ?1, :n, a ISNULL, b NOT NULL, 1.5e3 + .5 FROM [a b], `c` WHERE d NOT IN (SELECT 1)",
]
SQL_WORDS = [
    "(",
    ")",
    ",",
    "select",
    "from",
    "where",
    "and",
    "not",
    "null",
    "1",
    "'s'",
    "x",
    "*",
    ".",
    "join",
    "on",
    "as",
    "in",
    "between",
    "is",
    "=",
    "-",
    "union",
    "order_by",
    "limit",
    "group_by",
    "case",
    "end",
    "when",
    "then",
    "exists",
    "values",
    "distinct",
    "all",
    "like",
    "cast",
    "||",
    "x'ab'",
    "left",
    "natural",
    "isnull",
]
LUA = """
local function map(t, f)
  local out <const> = {}
  for i, v in ipairs(t) do
    out[i] = f(v, i)
  end
  return out
end
-- a comment
local M = {name = "x", [1] = 'y', 3; 4} --[[ another
]]
function M:go(a, ...)
  if a == nil then return self.x elseif a > 1 then a = a - 1 else a = {...} end
  for i = 1, 10, 2 do goto done end
  ::done::
  repeat local z = #a // 2 until z ~= 0x1F and not a.b:c "s"
  return map(a, function(x) return x * 2 .. [==[s]==] end)
end
return M
"""
LUA_WORDS = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "=",
    "==",
    "..",
    "...",
    ".",
    ":",
    "::",
    "-",
    "#",
    "not",
    "and",
    "or",
    "nil",
    "1",
    '"s"',
    "x",
    "end",
    "do",
    "then",
    "local",
    "function",
    "return",
    "if",
    "else",
    "while",
    "for",
    "in",
    "repeat",
    "until",
    "break",
]


def taken(lang: Language, text: str) -> bool:
    """Whether a text is a file, by the engine alone, without a hole's way of handling a broken one."""
    engine = runtime_of(lang).engine
    left = engine.read_text(engine.start, text)
    tokens = None if left is None else engine.lexer.finish(left.lex)
    return left is not None and tokens is not None and engine.feed(left.frame, left.stacks, tokens) is not None


def sqlite_takes(text: str) -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("explain " + text).close()
    except (sqlite3.Error, sqlite3.Warning) as error:
        return not re.search(r"syntax error|incomplete input|unrecognized token|unknown join", str(error))
    finally:
        connection.close()
    return True


def lua_takes() -> Callable[[str], bool]:
    lua54 = pytest.importorskip("lupa.lua54")
    load = lua54.LuaRuntime().eval("function(s) local _, e = load(s) return e end")

    def takes(text: str) -> bool:
        error = load(text)
        return error is None or bool(re.search(r"label|outside|const variable|break|goto|multiple to-be-closed", error))

    return takes


def mutants(sources: list[str], words: list[str], rng: random.Random, count: int) -> list[str]:
    out = []
    for _ in range(count):
        pieces = re.findall(r"'[^']*'|\"[^\"]*\"|\w+|\s+|.", rng.choice(sources), re.S)
        at, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        word = f" {rng.choice(words)} ".replace("_", " ")
        change = rng.randrange(4)
        if change == 0:
            pieces.insert(at, word)
        elif change == 1:
            pieces[at] = " "
        elif change == 2:
            pieces[at] = word
        else:
            pieces[at], pieces[other] = pieces[other], pieces[at]
        out.append("".join(pieces))
    return out


def check(lang: Language, takes: Callable[[str], bool], sources: list[str], words: list[str], known: str) -> None:
    """Sources are accepted, accepted texts parse (except for a known gap), and holes end valid."""
    rng = random.Random(1)
    assert all(taken(lang, source) and takes(source) for source in sources)
    both = 0
    for text in mutants(sources, words, rng, 1_500):
        if taken(lang, text) and not re.search(known, text):
            assert takes(text) or not text.strip(), text
            both += 1
    assert both > 100
    session, missed = lang.session(), 0
    for _ in range(60):
        source = rng.choice(sources)
        start = rng.randrange(len(source))
        end = min(len(source), start + rng.choice((1, 5, 20, 60)))
        left, right = source[:start], source[end:]
        state = session.hole(left + right, start).state
        assert state is not None, (left, right)
        middle = state.advance(source[start:end])
        assert middle is not None and middle.complete, (left, source[start:end], right)
        bridges = state.bridges()
        missed += not bridges
        texts = [left + bridge + right for bridge in bridges]
        assert [text for text in texts if text.strip() and not takes(text) and not re.search(known, text)] == []
    assert missed <= 1  # the search is given up where many words other than brackets have to be closed


def test_sqlite() -> None:
    lang = load_language("sqlite", GRAMMARS / "sqlite.lark", patterns=["*.sql"])
    check(lang, sqlite_takes, QUERIES, SQL_WORDS, r"\bfirst\b|(?<!\d)\.\d+[a-zA-Z]")


def test_lua() -> None:
    lang = load_language("lua", GRAMMARS / "lua.lark", patterns=["*.lua"])
    check(lang, lua_takes(), [LUA], LUA_WORDS, r"(?<!\d)\.\d+[a-zA-Z]")


LUA_CASES = [
    ("a = b\n(f)()", True),
    ("a = b (c).d = 1", False),
    ("local x (f)()", True),
    ("a = 1 (f)()", True),
    ("repeat until 1\n(f)()", True),
    ("repeat until a\n(f).x = 1", False),
    ("return 1 x()", False),
    ("(a) = 1", False),
    ("(a).b, c = 1", True),
    ("const = 1 close = const", True),
    ("x = [==[ ]=] ]==]", True),
    ("a()", True),
    ("a", False),
    ("f() ; (g)()", True),
    ("::a:: return;", True),
    ("local x <const>, y <close> = 1", True),
    ("a = 3x = 4", False),
    ("a = 1..2", False),
    ("a = 0x1p4 .. 3. .. .5e1", True),
    ("a = 0x1p4 .. 3 .. .5e1", True),
]


@pytest.mark.parametrize(("text", "valid"), LUA_CASES)
def test_lua_cases(text: str, valid: bool) -> None:
    lang = load_language("lua", GRAMMARS / "lua.lark", patterns=["*.lua"])
    assert taken(lang, text) == valid


def test_lua_cases_are_what_lua_says() -> None:
    takes = lua_takes()
    assert [text for text, valid in LUA_CASES if takes(text) != valid] == []

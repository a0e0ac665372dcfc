"""Every construct in every place: statement × position and expression × context, as short texts for the static semantics.

A text is a statement in blocks. A place for an expression is filled with another place, a few deep, and at last with an expression of meaning
to the compiler. Pairs of statements cover the interactions within a scope. Each text is judged as a whole file and as a hole in it.
`semantics.disagreements` judges them; campaigns: `python -m tests.fuzz --kinds constructs,scopes,beginnings,nests,named-constructs`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..support import oracles
from .python import Sample

_UNPARSED = 0.05
"""The share of unparsable texts to ask about."""

EXPRESSIONS = (
    *("x", "1", "'a'", "b'a'", "f''", "f'{x}'", "f'a{x!r:>{y}}'", "'a' f''", "f'{x}' 'a'", "'a' 'b'", "None", "...", "()", "[]", "{}"),
    *("(yield)", "(yield x)", "(yield from x)", "yield", "yield x", "yield from x", "await x", "(await x)", "(a := 1)", "(x := y)"),
    *("[x for x in y]", "(x for x in y)", "{x for x in y}", "{x: 1 for x in y}", "[x async for x in y]", "(x async for x in y)"),
    *("{x async for x in y}", "{1: 2 async for x in y}", "[await x for x in y]", "(await x for x in y)", "[x for x in await y]"),
    *("[x for x in y if await z]", "[x for x in y if (a := x)]", "[a := 1 for x in y]", "[x := 1 for x in y]", "[x for x in (a := y)]"),
    *("[x for z in y for x in (a := z)]", "((a := 1) for x in y)", "[(yield) for x in y]", "[x for x in (yield)]", "{(a := 1): x for x in y}"),
    *("[[x async for x in y] for z in w]", "[(x async for x in y) for z in w]", "[[x for x in y] async for z in w]"),
    *("([x async for x in y] for z in w)", "[x for x in [z async for z in y]]", "[[(a := 1) for x in y] for z in w]", "f(x for x in y)"),
    *("lambda: 1", "lambda: x", "lambda: (yield)", "lambda: (a := 1)", "lambda x: x", "lambda x, x: 1", "lambda: await x", "lambda *x, y=1: y"),
    *("lambda: [x async for x in y]", "lambda: (x async for x in y)", "lambda: [a := 1 for x in y]", "lambda a=(yield): 1", "lambda __debug__: 1"),
    *("f(a=1, a=2)", "f(a=1, **b)", "f(*x, a=1)", "f(**x, *y)", "f(__debug__=1)", "f(x for x in y, 1)", "__debug__", "x.__debug__", "(__debug__ := 1)"),
    *("*x", "*x,", "(*x,)", "(*x)", "[*x]", "*x, y", "x,", "x, *y", "{*x}", "{**x}", "x[*y]", "x[*y, 1]", "x[(*y,)]", "x[y:z]", "x[y, z:w]"),
    *("super()", "__class__", "not x", "x if y else z", "x < y < z", "x.y", "x[y]", "f(x)", "-1", "1 + 2j", "x @ y", "(x)", "x, y", "1_0", "0o7"),
    *("T", "int", "list[T]", "'T'", "print(x)", "x is not y", "(x for x in y if x)", "[x for x, y in z]", "[x for x.y in z]", "[x for x[a := 1] in z]"),
    *("f'{f'{x}'}'", "f'{x!r:{f'{y}'}}'", "f'{'a'.join(x)}'", "f'{'\\n'.join(x)}'", "f'{\nx # c\n}'", "f'{x:{y:{z}}}'", "f'{lambda: 1}'", "f'{(lambda: 1)}'", "f'{x!r:^{y}.{z}}'"),
    *("f'''{\nx\n}'''", "rf'{x:\\d}'", "f'{{{x}}}'", "f'{x = }'", "f'{*x, }'", "f'{yield}'", "f'{x:{{}}}'", "f'{f\"{x}\"}'", "f'{x['a']}'", "f'{x:%H:%M}'", "f'{x!r}' f'{y}'"),
    *("f'{await x}'", "f'{(x := 1)}'", "f'{x:=5}'", "f'{[x async for x in y]}'", "f'{f'{await x}'}'", "f'{f'{(x := y)}'}'", "f'{lambda x: 1}'", "f'{x if y else z}'", "f'{x,}'"),
    *("[x for *x, y in z]", "[x for (x := y) in z]", "[_ for _ in y]", "[i for i in range(5) if (j := 0) for j in range(5)]", "lambda: lambda: (yield)"),
)  # fmt: skip

CONTEXTS = (
    *("(@)", "[@]", "{@}", "(@,)", "[@, x]", "{@: x}", "{x: @}", "{*@}", "{**@}", "[*@]", "(*@,)", "f(@)", "f(x, @)", "f(k=@)", "f(*@)", "f(**@)"),
    *("x[@]", "x[@:]", "x[:@]", "x[y, @]", "x[*@]", "x[(@)]", "(@).a", "(@)[x]", "(@)(x)", "@ + x", "x + @", "not @", "-@", "x < @", "@ and x"),
    *("x if @ else y", "@ if x else y", "x if y else @", "x is @", "lambda: @", "lambda a=@: x", "lambda: (@)", "lambda *, a=@: a", "await @"),
    *("[@ for x in y]", "(@ for x in y)", "{@ for x in y}", "{@: x for x in y}", "{x: @ for x in y}", "[x for x in @]", "(x for x in @)"),
    *("[x for x in y if @]", "(x for x in y if @)", "[x for x in y for z in @]", "(x for x in y for z in @)", "[x for x in y if z if @]"),
    *("[@ async for x in y]", "(@ async for x in y)", "[x async for x in @]", "(x async for x in @)", "[x async for x in y if @]"),
    *("[x for x[@] in y]", "[x for x in y async for z in @]", "f(@ for x in y)", "f(x for x in @)", "{x: y for x in @}", "{x for x in @}"),
    *("f'{@}'", "f'{(@)}'", "f'{(@)!r}'", "f'a{x:{@}}b'", "f'{x:{(@)}}'", "f'{(@)=}'", "f'{x}{(@)}'", "f'''{(@)}'''", "rf'{(@)}'", "'a' f'{(@)}' 'b'"),
    *("(b := @)", "(b := (@))", "(yield @)", "(yield from @)", "(await (@))", "@, x", "x, @", "*@, x", "((@))", "f(b := @)", "x[b := @]", "x[b := (@):]"),
)  # fmt: skip
"""The expressions around an expression."""

STATEMENTS = (
    *("@", "x = @", "x = y = @", "x: @", "x: @ = 1", "x: int = @", "x[@]: int", "x[@]: int = 1", "(@).a: int", "(x): @", "(x): @ = 1", "x[y].a: @"),
    *("x += @", "x[@] += 1", "(@).a += 1", "(@).a = 1", "x[@] = 1", "x, y[@] = z", "[x, y[@]] = z", "del x[@]", "del (@).a", "del x, y[@]"),
    *("return @", "raise @", "raise x from @", "assert @", "assert x, @", "for x in @: pass", "for x[@] in y: pass", "for (@).a in y: pass"),
    *("if @: pass", "if x: pass\nelif @: pass", "while @: pass", "with @: pass", "with @ as x: pass", "with (@ as x): pass", "with x as y[@]: pass"),
    *("with x, @: pass", "with x as (y, z[@]): pass", "try: pass\nexcept @: pass", "try: pass\nexcept @ as caught: pass", "try: pass\nexcept* @: pass"),
    *("match @:\n    case 1: pass", "match x:\n    case 1 if @: pass", "match x, @:\n    case _: pass", "match (@):\n    case x: pass", "match @,:\n    case 1: pass"),
    *("match x:\n    case x if @: pass\n    case y: pass", "match x:\n    case x.y(z=1) if (@): pass", "match -@:\n    case 1: pass", "match [@]:\n    case 1: pass"),
    *("def f(a=@): pass", "def f(a: @): pass", "def f(*a: @): pass", "def f(*a: *@): pass", "def f(**a: @): pass", "def f() -> @: pass", "def f(*, a: @ = 1): pass"),
    *("async def f(a=@): pass", "async def f(a: @): pass", "async def f() -> @: pass", "def f(a: int = @, /): pass"),
    *("@(@)\ndef f(): pass".replace("@(@)", "@@"), "@@\nclass A: pass", "class A(@): pass", "class A(k=@): pass", "class A(*@): pass", "class A(**@): pass"),
    *("def f[T: @](): pass", "def f[T = @](): pass", "def f[*T = @](): pass", "def f[**T = @](): pass", "def f[T: (int, @)](): pass", "def f[T](a: @): pass"),
    *("def f[T](a=@): pass", "def f[T]() -> @: pass", "async def f[T](a: @ = 1): pass", "class A[T](@): pass", "class A[T](k=@): pass", "class A[T: @]: pass"),
    *("class A[T = @]: pass", "class A[T](*@): pass", "@@\ndef f[T](): pass", "@@\nclass A[T]: pass", "type X = @", "type X[T] = @", "type X[T: @] = int"),
    *("type X[T = @] = int", "type X[*T = @] = int", "type X[T: (int, @)] = T", "type X[T] = list[@]", "async with @ as x: pass", "async for x in @: pass"),
    *("def f[T: (int, str) = @, *Ts = *tuple[int], **P = [int]](*a: *Ts, **k: P.kwargs): pass", "class A[T: @ = int, *Ts]: pass", "type X[*Ts = *@] = tuple[*Ts]"),
    *("def f[T = int, U = @](): pass", "def f[*Ts](*a: *Ts) -> tuple[*Ts, @]: pass", "class A[T](B[T, @], k=T): pass", "type X[T] = (lambda: @)", "def f[T](a: T = @) -> T: pass"),
    *("try: pass\nexcept* (@, y): pass", "try: @\nexcept* x as y: raise", "try: pass\nexcept* x:\n    try: @\n    except y: pass", "with (@ as x, y as z,): pass", "with (@): pass", "with (@,) as x: pass"),
    *("for x in *@, y: pass", "x[@, *y] = z", "print(f'{f'{@}'}')", "print(f'{'a'}{@}')", "print(f'''{\n@\n}''')", "print(f'{x:{@}}')", "print(f'{@!r:>{y}}')", "print(f'{@:{'>'}{10}}')"),
    *("async for x[@] in y: pass", "print(@)", "x = yield @", "x = await @", "@; x", "x; @", "global x; @", "print(f'{@}')", "x = lambda: @"),
)  # fmt: skip
"""Places for an expression, as statements."""

PLAIN = (
    *("return", "return x", "break", "continue", "pass", "del x", "del (x)", "del x, y", "del (x, y)", "del [x]", "del (*x,)", "del [*x]", "del *x", "del *x,"),
    *("del __debug__", "del x.__debug__", "x: int", "x: int = 1", "(x): int", "(x): int = 1", "x.y: int", "x[y]: int", "x[(*a,)]: int", "x[*a]: int", "x[a, *b]: int"),
    *("x += 1", "x = 1", "global x", "global x, y", "nonlocal x", "nonlocal __class__", "global __class__", "nonlocal x, y", "global __debug__", "nonlocal __debug__"),
    *("from os import *", "from .x import *", "from __future__ import annotations", "from __future__ import nothing", "from __future__ import braces"),
    *("from .__future__ import nested_scopes", "from .__future__ import nothing", "from __future__ import nested_scopes", "from __future__ import *", "from .__future__ import *"),
    *("from __future__ import (division as x)", "from __future__ import annotations as x, division", "import __future__", "from . import __future__", "import x", "import x.y"),
    *("import x.y as z", "import __debug__", "import a.__debug__", "from x import y", "from x import __debug__", "from __debug__ import x", "import x as __debug__"),
    *("a, *b, *c = x", "*a, b = x", "*a, = x", "*a = x", "[*a] = x", "(*a,) = x", "(*a) = x", "a, (*b, c) = x", "[*a, *b] = x", "a = *b", "a = *b,", "a = *b, c"),
    *("x: int = *a", "x: int = *a, b", "x: *a", "x: *a, b", "x += *a", "x += *a, b", "for x in *a: pass", "for x in *a, b: pass", "for *x in a: pass", "for *x, in a: pass"),
    *("for *x, *y in a: pass", "return *a", "return *a,", "return *a, b", "yield *a", "yield *a, b", "x = yield *a, b", "raise", "assert x", "with x as y: pass"),
    *("with x as *y: pass", "with x as (*y,): pass", "with x as (*y, *z): pass", "with (x as y, z as w): pass", "with (x, y): pass", "with (x as y), z: pass"),
    *("async with x: pass", "async for x in y: pass", "async for x in y: break", "for x in y: break", "while x: continue", "for x in y: pass\nelse: break"),
    *("while x: pass\nelse: continue", "try: pass\nfinally: continue", "try: continue\nfinally: pass", "try: pass\nexcept: pass", "try: pass\nexcept: pass\nexcept x: pass"),
    *("try: pass\nexcept x: pass\nexcept: pass", "try: pass\nexcept* x: pass", "try: pass\nexcept* x: break", "try: pass\nexcept* x: return", "try: pass\nexcept* x: continue"),
    *("try: pass\nexcept* x:\n    for y in z: break", "try: return\nexcept* x: pass", "try: pass\nexcept* x: pass\nelse: return", "try: pass\nexcept* x: pass\nfinally: return"),
    *("try: pass\nexcept x as __debug__: pass", "try: pass\nexcept x as y: pass", "try: pass\nexcept* x as y: pass\nexcept* z: pass", "def f(x, x): pass", "def f(x, *x): pass"),
    *("def f(__debug__): pass", "def __debug__(): pass", "class __debug__: pass", "class A: pass", "class A(x=1, x=2): pass", "class A(__debug__=1): pass", "def f(): return x"),
    *("def f(): yield x", "def f(): nonlocal x", "def f(): global x", "def f(): x = 1", "async def f(): return 1", "async def f(): yield 1; return 1", "async def f(): yield; return"),
    *("async def f(): yield from x", "async def f(): await x", "async def f(): x: await y", "def f(): x: await y", "def f(): x: (yield)", "def f(): x: int; x = 1", "lambda: 1"),
    *("class A: x = 1", "class A: return 1", "class A: nonlocal __class__", "class A: nonlocal x", "class A: global x", "class A: x: int; global x", "class A: x; global x"),
    *("class A: (a := 1)", "class A: [a := 1 for x in y]", "class A: f(lambda: [a := 1 for x in y])", "class A: type X = lambda: 1", "class A: type X = [x for x in y]"),
    *("class A: type X = int", "class A: type X[T: lambda: 1] = T", "class A: type X[T] = lambda: T", "class A: type X = (x for x in y)", "class A: type X = [[x for x in y] for z in w]"),
    *("class A: def f[T: lambda: 1](): pass".replace("A: def", "A:\n    def"), "class A:\n    def f[T: [x for x in y]](): pass", "class A:\n    class B[T: lambda: 1]: pass"),
    *("class A:\n    def f[T](a: lambda: 1): pass", "class A:\n    def f[T](a: [x for x in y]): pass", "class A:\n    def f[T](a=lambda: 1): pass", "class A:\n    class B[T](lambda: 1): pass"),
    *("class A:\n    class B[T]([x for x in y]): pass", "class A[T]: type X = lambda: 1", "class A[T]: type X = T", "class A[T]: nonlocal T", "class A[T]: global T", "class A[T]: T = 1"),
    *("class A[T]:\n    def f(self): nonlocal T", "def f[T](): nonlocal T", "def f[T](): global T", "def f[T](T): pass", "def f[T, T](): pass", "def f[__debug__](): pass", "def f[T, *T](): pass"),
    *("class A[T, T]: pass", "type X = int", "type X[T] = T", "type X[T, T] = int", "type X[T, *T] = int", "type X[T, **T] = int", "type X[__debug__] = int", "type __debug__ = int"),
    *("type X[T = int, U] = T", "def f[T = int, U](): pass", "class A[T = int, *U]: pass", "type X[*T = *x] = int", "def f[*T = *x](): pass", "type X[T: int = x] = T", "type x = x"),
    *("type X = yield", "type X[T] = (yield)", "type X = await x", "type = 1", "type[x] = 1", "type.x = 1", "type: int = 1", "type, x = y", "match = 1", "case = 1", "print(match, case, type)"),
    *("type x", "type (x)", "type\\\n X = int", "match[x]", "match(x)", "match * x", "match -x", "match x:\n    case y: pass", "match (x, y): \n    case _: pass\n    case 1: pass"),
    *("match x:\n    case _: pass", "match x:\n    case 1: break", "match x:\n    case 1: return", "match x,:\n    case [a, a]: pass", "match *x, y:\n    case _: pass", "match x:\n    case a | 1: pass"),
    *("'doc'", "('doc')", "(('doc'))", "('doc',)", "'doc' 'more'", "('doc' 'more')", "b'doc'", "(b'doc')", "f'doc'", "(f'doc')", "u'doc'", "r'doc'", "'doc'; x", "'doc'; 'doc'", "'doc' + 'x'"),
    *("('doc')\\\n", "'doc'.x", "('doc').x", "...", "1", "None", "'doc' if x else y", "'''doc'''", "('''\ndoc''')", "'doc' f''", "'doc' b''", "'doc' % x", "t'doc'", "(\n'doc'\n)", "-'doc'"),
)  # fmt: skip

PATTERNS = (
    *("a", "_", "1", "-1", "1+2j", "-1-2j", "1.5", "1j", "'a'", "b'a'", "'a' 'b'", "f''", "f'{x}'", "'a' f''", "f'a' 'b'", "f'{undefinedname}'", "None", "True", "x.y", "x.y.z"),
    *("rf''", "b'a' b'b'", "'''a'''", "u'a'", "r'a'", "0x1", "1_0", "(a)", "((a))", "(1)", "(a, )", "()", "[]", "x.__debug__", "__debug__", "__debug__.x", "t''", "'a' b'b'", "- 1", "-1j", "1-2J"),
)  # fmt: skip
PATTERN_CONTEXTS = (
    *("@", "(@)", "[@]", "[@, b]", "[b, @]", "@, b", "@,", "*_, @", "(@, *c)", "@ | 1", "1 | @", "@ | @", "(@ | b) as d", "@ as a", "@ as d", "(@) as d", "(@ as d)", "{1: @}", "{1: @, 2: b}"),
    *("{1: @, **a}", "{1: b, **c}", "A(@)", "A(@, b)", "A(b=@)", "A(b=@, b=1)", "A(b=@, c=d)", "x.A(@)", "[@] | [@]", "[a, @]", "{@: b}", "{@: b, 1: c}", "{@: b, @: c}", "{1: b, @: c}", "[*a, @]"),
    *("[*_, @, *_]", "A(__debug__=@)", "A(@,)", "{@: _, **rest}", "{'a': @}", "{'a': b, 'a': @}", "{x.y: @, x.y: 1}", "{-1: @, -1: b}", "{None: @, None: b}", "{True: b, 1: @}", "{0: b, False: @}"),
    *("{1+0j: b, 1: @}", "{'ab': b, 'a' 'b': @}", "{b'a': b, 'a': @}", "{1.0: b, 1: @}", "{-0: b, 0: @}", "{x.y: b, x.z: @}", "A(x=@, y=a)", "[[@]]", "((@), b)", "[@, [a]]", "[1 | @, b]", "(1 | 2) | @"),
)  # fmt: skip
CASES = (
    "case @: pass", "case @: pass\n    case 1: pass", "case 1: pass\n    case @: pass", "case @ if x: pass\n    case y: pass", "case @: x = 1", "case @: return", "case @ if (yield): pass", "case @ if (a := 1): pass", "case @: pass\n    case _: pass",
)  # fmt: skip

BLOCKS = (
    *("def f():", "def f(x):", "async def f():", "async def f(x, *y):", "class A:", "class A(x):", "for x in y:", "while x:", "if x:", "with x as y:", "try:", "else:", "except:", "finally:"),
    *("except E as x:", "except* E:", "match x:", "case x:", "case 1:", "def f[T](x: T):", "class A[T]:", "async def f[T]():", "async for x in y:", "async with x:", "elif x:", "def x():", "def f(*, a):"),
    *("def f() -> x:", "lambda:", "@x"),
)  # fmt: skip
_LIKELY_BLOCKS = (
    *BLOCKS[:10],
    "if x:",
    "def f():",
    "async def f():",
    "class A:",
    "class A:",
    "def f[T](x: T):",
    "class A[T]:",
)
_AFTER = {"try:": ("except x: pass", "finally: pass", "except* x: pass"), "match x:": ("",)}
_BEFORE = {
    "else:": ("if x: pass", "for x in y: pass", "while x: pass", "try: pass\nexcept: pass"),
    "elif x:": ("if x: pass",),
    "except:": ("try: pass", "try: pass\nexcept x: pass", "try: return"),
    "finally:": ("try: pass", "try: pass\nexcept x: pass"),
    "except E as x:": ("try: pass",),
    "except* E:": ("try: pass",),
    "case x:": ("match x:",),
    "case 1:": ("match x:",),
}
_FUTURE = "from __future__ import annotations\n"
_COMPOUND = re.compile(r"(?:def|class|for|with|if|try|match|while|async)\b|@")
_DECLARATIONS = ("global x", "nonlocal x")


def _indented(text: str, by: str = "    ") -> str:
    return "\n".join(by + line if line.strip() else line for line in text.split("\n"))


def _with_header(header: str, body: str, rng: random.Random) -> str:
    """A whole compound statement, its body on the header's line where possible."""
    inline = (
        "\n" not in body
        and not body.startswith(("@", "class ", "def ", "if ", "for ", "while "))
        and rng.random() < 0.3
    )
    whole = f"{header} {body}" if inline else f"{header}\n{_indented(body)}"
    if header == "lambda:":
        return f"x = lambda: ({body})"
    if header == "@x":
        return f"@x\n{body}"
    if header == "match x:":
        return f"match x:\n    case 1:\n{_indented(body, ' ' * 8)}"
    before = rng.choice(_BEFORE.get(header, ("",)))
    if before == "match x:":
        return f"match x:\n{_indented(whole)}"
    after = rng.choice(_AFTER.get(header, ("",)))
    return "\n".join(part for part in (before, whole, after) if part)


def _expression(rng: random.Random) -> str:
    found = rng.choice(EXPRESSIONS)
    for _ in range(rng.choice((0, 0, 1, 1, 1, 2, 3))):
        found = rng.choice(CONTEXTS).replace("@", found)
    return found


def _pattern(rng: random.Random) -> str:
    found = rng.choice(PATTERNS)
    for _ in range(rng.choice((0, 1, 1, 2))):
        found = rng.choice(PATTERN_CONTEXTS).replace("@", found)
    return f"match x:\n    {rng.choice(CASES).replace('@', found)}"


def statement(rng: random.Random) -> str:
    """A statement with a part that the compiler may refuse."""
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(PLAIN)
    if kind < 0.35:
        return _pattern(rng)
    place, expression = rng.choice(STATEMENTS), _expression(rng)
    at = place.rindex("@")
    return place[:at] + expression + place[at + 1 :]


def in_blocks(text: str, rng: random.Random, depths: Sequence[int] = (0, 0, 1, 1, 1, 2, 2, 3)) -> str:
    """The statement in blocks, behind a semicolon, or with others around it."""
    if "\n" not in text and rng.random() < 0.15:
        text = rng.choice((f"pass; {text}", f"{text}; pass", f"x; {text};", f"x = 1; {text}; y", f"{text};"))
    if "\n" not in text and rng.random() < 0.1:
        text = (
            rng.choice(
                (
                    "if x: ",
                    "for x in y: ",
                    "class A: ",
                    "def f(): ",
                    "async def f(): ",
                    "with x: ",
                    "while x: ",
                    "else: ",
                )
            )
            + text
        )
        if text.startswith("else"):
            text = "if x: pass\n" + text
    for _ in range(rng.choice(depths)):
        if rng.random() < 0.2:
            text = rng.choice(
                (
                    f"x = 1\n{text}",
                    f"{text}\nx",
                    f"'doc'\n{text}",
                    f"{text}\n{rng.choice(PLAIN)}",
                    f"{rng.choice(PLAIN)}\n{text}",
                )
            )
        text = _with_header(rng.choice(_LIKELY_BLOCKS if rng.random() < 0.6 else BLOCKS), text, rng)
    return text + "\n"


def _cut(text: str, rng: random.Random) -> Sample:
    """The text as a whole file, before or behind an empty hole, or with a hole in it."""
    begin = rng.randrange(len(text))
    end = rng.randrange(begin, len(text)) + 1
    at = rng.randrange(len(text) + 1)
    return rng.choice(
        (
            Sample("", text, ""),
            Sample(text[:at], "", text[at:]),
            Sample(text[:begin], text[begin:end], text[end:]),
            Sample(text[:begin], text[begin:], ""),
            Sample("", text[:end], text[end:]),
        )
    )


def _samples(make: Callable[[random.Random], str], rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Cut texts: those that parse in the version, and a few others."""
    oracle = oracles.find(version)
    texts = [make(rng) for _ in range(count)]
    parsed = oracle.verdicts(texts) if oracle is not None else [True] * count
    for text, valid in zip(texts, parsed, strict=True):
        if valid or rng.random() < _UNPARSED:
            yield _cut(text, rng)


def construct(rng: random.Random) -> str:
    """A statement in its blocks."""
    text = in_blocks(statement(rng), rng)
    if rng.random() < 0.15:
        text = rng.choice(("", "'doc'\n", "('doc')\n", "# comment\n", "'doc'; ", "'doc'\n'doc'\n")) + _FUTURE + text
    return text


_ABOUT_X = (
    *("x", "x = 1", "x: int", "x: int = 1", "(x): int", "(x): int = 1", "x += 1", "del x", "global x", "nonlocal x", "global x; x = 1", "nonlocal x; x = 1", "import x", "import x.y", "import y as x"),
    *("from y import x", "def x(): pass", "class x: pass", "for x in y: pass", "with y as x: pass", "(x := 1)", "[x := 1 for z in y]", "[x for x in y]", "[z for z in y if x]", "lambda: x", "lambda x: x"),
    *("lambda z=x: z", "x.y = 1", "x.y: int", "x[0]: int", "x[0] = 1", "f'{x}'", "f'{(x := 1)}'", "try: pass\nexcept y as x: pass", "match y:\n    case x: pass", "match y:\n    case [*x]: pass", "type x = int"),
    *("type Y[x] = x", "type Y = x", "def g(): return x", "def g(): nonlocal x", "def g(): global x", "def g(x): pass", "def g(z=x): pass", "def g(z: x): pass", "def g() -> x: pass", "def g[x](z: x): pass"),
    *("def g(): x = 1", "def g():\n    def h(): nonlocal x", "class A: x = 1", "class A: x", "class A: nonlocal x", "class A: global x", "class A(x): pass", "class A[x]: pass", "class A:\n    def g(self): nonlocal x"),
    *("class A[x]:\n    def g(self): nonlocal x", "def g[x]():\n    def h(): nonlocal x", "@x\ndef g(): pass", "async def g(): await x", "async def x(): pass", "for x, y in z: pass", "(x, y) = z", "[x, *y] = z", "print(x)"),
    *("y: x", "y: x = 1", "y: (x := 1)", "x = yield", "return x", "x: (yield)", "def g(z: (x := 1)): pass", "def g(z=(x := 1)): pass", "class A((x := 1)): pass", "from x import *", "if (x := 1): pass", "while x: x = 1"),
    *("lambda: (x := 1)", "def x[T](): pass", "def g[T: x](): pass", "def g[T](z: (x := 1)): pass", "with y as (x, z): pass", "for z in y: x", "assert (x := 1)", "{x: 1 for x in y}", "[z for z in (lambda: x)()]"),
    *("def g():\n    global x\n    def h(): nonlocal x", "def g():\n    x = 1\n    def h(): nonlocal x", "def g():\n    nonlocal x\n    def h(): nonlocal x", "def g():\n    class A: nonlocal x"),
    *("class A:\n    x = 1\n    def g(self): nonlocal x", "class A:\n    global x\n    def g(self): nonlocal x", "class A:\n    nonlocal x\n    def g(self): nonlocal x", "def g():\n    x: int\n    def h(): nonlocal x"),
)  # fmt: skip
"""Statements about a name."""
_SCOPES = (
    *("def f():", "def f(x):", "def f(*x):", "def f(*, x):", "def f(x, /):", "async def f():", "class A:", "class x:", "def x():", "def f[x]():", "class A[x]:", "def f(y=x):", "if x:", "for x in y:"),
    *("with y as x:", "while x:", "try:", "except y as x:", "else:", "finally:", "def f(y: x):", "def f() -> x:"),
)  # fmt: skip


def scopes(rng: random.Random) -> str:
    """Statements about one name in a scope and in those around it."""
    text = rng.choice(_ABOUT_X)
    for depth in range(rng.choice((1, 2, 2, 3))):
        if rng.random() < 0.8:
            other = rng.choice(_DECLARATIONS if rng.random() < 0.25 else _ABOUT_X)
            simple = "\n" not in text + other and not _COMPOUND.match(text) and not _COMPOUND.match(other)
            between = "; " if simple and rng.random() < 0.15 else "\n"
            text = f"{other}{between}{text}" if rng.random() < 0.5 else f"{text}{between}{other}"
        if depth or rng.random() < 0.9:
            text = _with_header(rng.choice(_SCOPES[:12] if rng.random() < 0.7 else _SCOPES), text, rng)
    if rng.random() < 0.5:
        other = rng.choice(_ABOUT_X)
        text = f"{other}\n{text}" if rng.random() < 0.6 else f"{text}\n{other}"
    return (_FUTURE if rng.random() < 0.1 else "") + text + "\n"


_FIRST = (
    *("'doc'", "('doc')", "(('doc'))", "('doc' 'more')", "('doc'\n 'more')", "('doc',)", "b'doc'", "(b'doc')", "f'doc'", "(f'doc')", "'doc' f''", "u'doc'", "(u'doc')", "r'doc'", "'''doc'''", "'doc'.x"),
    *("('doc').x", "'doc'; 'doc'", "'doc';", "; ", "1", "...", "pass", "# comment", "", "import x", "from __future__ import division", "from __future__ import division, generators", "x: int"),
    *("from __future__ import (nested_scopes,)", "from .__future__ import nested_scopes", "from .__future__ import nothing", "from ..__future__ import division", "from __future__ import annotations"),
    *("from __future__ import nothing", "from __future__ import braces", "from __future__ import barry_as_FLUFL", "from . import __future__", "import __future__", "from __future__ import *"),
    *("from __future__.x import division", "if x: from __future__ import division", "def f(): from __future__ import division", "class A: from .__future__ import division", "'doc' if x else y", "'doc',"),
    *("pass; from __future__ import division", "'doc'; from __future__ import division", "from __future__ import division; from __future__ import generators", "from .__future__ import *", "-1", "t'doc'"),
    *("'doc' + 'x'", "('doc')()", "('doc') + 'x'", "'doc'()", "'doc'[0]", "not 'doc'", "(yield)", "'doc' 'more' + 'x'", "def f(): 'doc'", "(\n# comment\n'doc'\n)", "('doc'\n)", "'doc'\\\n", "x = 'doc'", "'doc' = x"),
    *("def f(): from .__future__ import nested_scopes", "class A:\n    from __future__ import division", "if x:\n    from __future__ import division", "from __future__ import nested_scopes as division", "from .__future__ import annotations"),
)  # fmt: skip


def beginning(rng: random.Random) -> str:
    """The lines possible before a future import."""
    lines = [rng.choice(_FIRST) for _ in range(rng.choice((1, 2, 2, 3, 4)))]
    text = "".join(line + rng.choice(("\n", "\n", "\n", "; ", "\n\n", "  # comment\n")) for line in lines)
    return text.rstrip("; \n") + "\n"


_NESTING = (
    *("for x in y:", "while x:", "with x:", "try:", "try: x\nexcept:", "if x:", "try: x\nfinally:", "with x as y, z:", "try: x\nexcept x as y:"),
    *("for x in y: pass\nelse:", "try: x\nexcept* y:", "if x: pass\nelse:", "match x:\n case 1:"),
)  # fmt: skip
_INNERMOST = (
    "x",
    "yield",
    "for x in y: pass",
    "with x: pass",
    "if x: pass",
    "try: x\nfinally: x",
    "def f():\n with x: pass",
)
_OUTERMOST = ("def f():", "class A:", "async def f():", "if x:", "def f[T]():", "class A[T]:")
_ENDS_TRY = ("except: pass", "finally: pass", "except x: pass", "except: pass\nfinally: pass")


def nest(rng: random.Random) -> str:
    """Nested blocks, about as deep as the compiler accepts."""
    chosen = rng.choice((_NESTING, _NESTING[:4], _NESTING[:3], _NESTING[:1], _NESTING[4:]))
    text = rng.choice(_INNERMOST)
    for _ in range(rng.randrange(17, 24)):
        header = rng.choice(chosen)
        text = f"{header}\n{_indented(text, '  ' if header.startswith('match') else ' ')}"
        if header == "try:":
            text += "\n" + rng.choice(_ENDS_TRY)
    return (f"{rng.choice(_OUTERMOST)}\n{_indented(text, ' ')}" if rng.random() < 0.6 else text) + "\n"


def _kind(make: Callable[[random.Random], str]) -> Callable[[random.Random, int, str], Iterator[Sample]]:
    return partial(_samples, make)


KINDS = {"constructs": _kind(construct), "scopes": _kind(scopes), "beginnings": _kind(beginning), "nests": _kind(nest)}
"""See python.py."""

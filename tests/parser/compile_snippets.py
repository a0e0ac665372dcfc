"""Short files that parse, with the verdicts of `compile()`: errors of the compiler and of symtable.c, and their valid twins."""

DELETES_STARRED = ("del *a\n", "del (*x,)\n", "del [*x]\n")
"""Taken by the parser of Python 3.8 only: lines are read by the newest grammar."""
ALWAYS = """
return 1
return
class A:\\n    return 1
def f():\\n    return 1
if x:\\n    return
yield 1
x = yield
def f():\\n    yield 1
class A:\\n    yield 1
lambda: (yield)
def f():\\n    return [(yield x) for x in y]
def f():\\n    return ((yield x) for x in y)
def f():\\n    return {(yield x): 1 for x in y}
def f():\\n    return [x for x in (yield y)]
def f():\\n    return [x for x in y for z in (yield y)]
await x
def f():\\n    await x
async def f():\\n    await x
async def f():\\n    def g():\\n        await x
async def f():\\n    lambda: await x
async def f():\\n    class A:\\n        await x
async def f():\\n    yield from x
async def f():\\n    yield x
async def f():\\n    yield x\\n    return
async def f():\\n    yield x\\n    return 1
async def f():\\n    return 1\\n    yield x
async def f():\\n    return 1
async with x: pass
async for x in y: pass
def f():\\n    async with x: pass
def f():\\n    async for x in y: pass
async def f():\\n    async with x: pass
async def f():\\n    async for x in y: pass
async def f():\\n    return [x async for x in y]
def f():\\n    return [x async for x in y]
def f():\\n    return (x async for x in y)
(x async for x in y)
[x async for x in y]
def f():\\n    return [await x for x in y]
def f():\\n    return (await x for x in y)
(await x for x in y)
def f():\\n    return (x for x in await y)
async def f():\\n    return [[x async for x in y] for z in w]
async def f():\\n    return ([x async for x in y] for z in w)
async def f():\\n    return [(x async for x in y) for z in w]
async def f():\\n    return [[await x for x in y] for z in w]
async def f():\\n    return [[await x for x in y] async for z in w]
def f():\\n    return ([x async for x in y] async for z in w)
async def f():\\n    return {x: [y async for y in z] for x in w}
lambda: [x async for x in y]
async def f():\\n    lambda: [x async for x in y]
async def f():\\n    lambda: (x async for x in y)
break
continue
for x in y:\\n    break
for x in y:\\n    continue
while x:\\n    break
while x:\\n    pass\\nelse:\\n    break
for x in y:\\n    pass\\nelse:\\n    continue
for x in y:\\n    def f():\\n        break
for x in y:\\n    class A:\\n        break
for x in y:\\n    if z:\\n        break
for x in y:\\n    try:\\n        pass\\n    finally:\\n        continue
for x in y:\\n    try:\\n        continue\\n    finally:\\n        pass
if x:\\n    break
def f():\\n    continue
with x:\\n    break
def f(a, a): pass
def f(a, *a): pass
def f(a, b, /, c, *, a): pass
def f(a, **a): pass
lambda a, a: 0
lambda a, *, a: 0
def f(a, b=1, *c, d, **e): pass
f(a=1, a=2)
f(a=1, b=2)
f(a=1, **a, a=2)
class A(a=1, a=2): pass
class A(metaclass=1, b=2): pass
f(x)(a=1)(a=1)
f(a=1, b=g(a=1))
x = 1\\nglobal x
def f():\\n    x = 1\\n    global x
def f():\\n    print(x)\\n    global x
def f():\\n    global x\\n    x = 1
def f(x):\\n    global x
def f():\\n    x: int\\n    global x
def f():\\n    global x\\n    x: int
def f():\\n    global x\\n    x: int = 1
def f():\\n    global x\\n    (x): int = 1
global x\\nx: int = 1
print(x)\\nglobal x
global x
def f():\\n    import x\\n    global x
def f():\\n    for x in y: pass\\n    global x
def f():\\n    [x for x in y]\\n    global x
def f():\\n    [y for x in y]\\n    global y
def f():\\n    [z for x in y]\\n    global z
def f():\\n    lambda: z\\n    global z
def f():\\n    lambda z=z: z\\n    global z
def f():\\n    def g(): return z\\n    global z
def f():\\n    def x(): pass\\n    global x
def f():\\n    class x: pass\\n    global x
def f():\\n    x.y = 1\\n    global x
def f():\\n    del x\\n    global x
def f():\\n    (x := 1)\\n    global x
def f():\\n    [x := 1 for y in z]\\n    global x
def f():\\n    global x, x
def f():\\n    global x\\n    global x
nonlocal x
def f():\\n    nonlocal x
x = 1\\ndef f():\\n    nonlocal x
def f():\\n    x = 1\\n    def g():\\n        nonlocal x
def f(x):\\n    def g():\\n        nonlocal x
def f():\\n    def g():\\n        nonlocal x\\n    x = 1
def f():\\n    x = 1\\n    def g():\\n        x = 1\\n        nonlocal x
def f():\\n    x = 1\\n    def g():\\n        nonlocal x\\n        global x
def f():\\n    x = 1\\n    def g(x):\\n        nonlocal x
def f():\\n    x = 1\\n    def g():\\n        def h():\\n            nonlocal x
def f():\\n    global x\\n    def g():\\n        nonlocal x
def f():\\n    x = 1\\n    def g():\\n        global x\\n        def h():\\n            nonlocal x
def f():\\n    x = 1\\n    class A:\\n        nonlocal x
class A:\\n    x = 1\\n    def f():\\n        nonlocal x
class A:\\n    nonlocal x
def f():\\n    x: int\\n    def g():\\n        nonlocal x
def f():\\n    (x): int\\n    def g():\\n        nonlocal x
def f():\\n    def x(): pass\\n    def g():\\n        nonlocal x
def f():\\n    [(x := 1) for y in z]\\n    def g():\\n        nonlocal x
def f():\\n    [x for x in z]\\n    def g():\\n        nonlocal x
def f():\\n    del x\\n    def g():\\n        nonlocal x
def f():\\n    try: pass\\n    except E as x: pass\\n    def g():\\n        nonlocal x
def f():\\n    import a.b\\n    def g():\\n        nonlocal a
def f():\\n    import a.b as c\\n    def g():\\n        nonlocal a
def f():\\n    from a import b\\n    def g():\\n        nonlocal b
def f():\\n    nonlocal __class__
class A:\\n    def f(self):\\n        nonlocal __class__
[x := 1 for x in y]
[(x := 1) for y in z]
[x := 1 for y in z for x in w]
[y for x in y if (x := 1)]
[y for y in (x := z)]
[y for y in z for w in (x := z)]
[y for y in (lambda: (x := z))()]
[y for y in [(x := w) for w in z]]
[[(x := 1) for y in z] for x in w]
[[(x := 1) for x in z] for y in w]
[(lambda: (x := 1)) for x in w]
[x for x in y if (z := x)]
[i for i in range(5) if (j := 0) for j in range(5)]
[i for i in range(5) for j in range(5) if (j := 0)]
class A:\\n    [(x := 1) for y in z]
class A:\\n    (x := 1)
class A:\\n    lambda: [(x := 1) for y in z]
class A:\\n    def f(self):\\n        [(x := 1) for y in z]
def f():\\n    class A:\\n        [y for y in z]
lambda: (x := 1)
*a, *b = c
*a, b = c
*a = c
[*a, *b] = c
[*a] = c
(*a,) = c
*a, (*b, c) = d
x = *a
x = *a, b
*a
*a, b
*a,
print(*a, *b)
for *a in b: pass
for *a, b in c: pass
for *a, *b in c: pass
for a in *b: pass
for a in *b, c: pass
[a for *a in b]
[a for *a, b in c]
with a as *b: pass
with a as (*b,): pass
with a as (*b, *c): pass
def f():\\n    return *a
def f():\\n    return *a, b
def f():\\n    yield *a
def f():\\n    yield *a, b
def f():\\n    x = yield *a
x += *a
x += *a,
x: int = *a
x: int = *a, b
del *a
del a, b
del (a, b)
f'{*a}'
f'{*a,}'
f'{*a, b}'
f'{x!r:{y}}'
x[*a]
x[*a, b]
x[*a:b]
def f():\\n    from x import *
class A:\\n    from x import *
from x import *
if x:\\n    from y import *
from __future__ import annotations
'doc'\\nfrom __future__ import annotations
'doc'\\n'more'\\nfrom __future__ import annotations
'doc'.x\\nfrom __future__ import annotations
b'doc'\\nfrom __future__ import annotations
x\\nfrom __future__ import annotations
import x\\nfrom __future__ import annotations
from __future__ import division\\nfrom __future__ import annotations
from __future__ import division\\nx\\nfrom __future__ import annotations
from __future__ import nested_scopes, generators as g
from __future__ import braces
from __future__ import nothing
from __future__ import annotations, nothing
from __future__ import *
if x:\\n    from __future__ import annotations
def f():\\n    from __future__ import annotations
from __future__ import (annotations)
__debug__ = 1
x.__debug__ = 1
x.__debug__
x = __debug__
del __debug__
del x.__debug__
def f(__debug__): pass
def __debug__(): pass
class __debug__: pass
f(__debug__=1)
class A(__debug__=1): pass
lambda __debug__: 0
import __debug__
import x as __debug__
from x import __debug__
from x import y as __debug__
for __debug__ in x: pass
with x as __debug__: pass
(__debug__ := 1)
x.__debug__ += 1
__debug__ += 1
__debug__: int
__debug__: int = 1
x.__debug__: int = 1
x.__debug__: int
[x for __debug__ in y]
(__debug__, x) = y
[x.__debug__, x] = y
global __debug__
try: pass\\nexcept x as __debug__: pass
for x.__debug__ in y: pass
try:\\n    pass\\nexcept:\\n    pass\\nexcept x:\\n    pass
try:\\n    pass\\nexcept x:\\n    pass\\nexcept:\\n    pass
try:\\n    pass\\nexcept:\\n    pass\\nelse:\\n    pass
try:\\n    pass\\nexcept:\\n    try: pass\\n    except: pass\\nfinally: pass
try: pass\\nexcept: pass\\nexcept: pass
def f():\\n    try: pass\\n    finally: return
x = lambda a, b=(yield): a
def f(x=(yield)): pass
def f(x=await y): pass
async def f(x=await y): pass
async def f():\\n    def g(x=await y): pass
@(yield)\\ndef f(): pass
def f(x: (yield)): pass
def f() -> (yield): pass
def f():\\n    x: (yield)
x: (yield)
x: (yield) = 1
def f(x: (y := 1)): pass
x: (y := 1)
from __future__ import annotations\\nx: (y := 1)
from __future__ import annotations\\ndef f(x: (y := 1)): pass
from __future__ import annotations\\ndef f():\\n    def g(x: (yield)): pass
from __future__ import annotations\\ndef f():\\n    x: (yield)
from __future__ import annotations\\nx: [y for y in z]
from __future__ import annotations\\nasync def f():\\n    x: (await y)
from __future__ import annotations\\nasync def f():\\n    def g() -> (await y): pass
class A((yield)): pass
def f():\\n    class A((yield)): pass
async def f():\\n    class A(await x): pass
raise x from y
def f():\\n    raise (yield) from y
assert x, y
for x in y: break
while x: continue
def f(): return
def f(): global x; x = 1
def f(): x = 1; global x
class A: x = 1; global x
class A:\\n    global x\\n    x = 1
class A:\\n    x = 1\\n    global x
def f():\\n    with x as y: pass\\n    global y
def f():\\n    x = 1\\n    def g():\\n        print(x)\\n        nonlocal x
def f():\\n    x = 1\\n    def g():\\n        nonlocal x, y
def f(x, /, **kwargs): nonlocal x
async def f():\\n    async with a as b, c as d: pass
async def f():\\n    [x for x in [await y]]
async def f():\\n    return (await x for x in [await y])
def f():\\n    return [x for x in [y async for y in z]]
def f():\\n    return (x for x in [y async for y in z])
def f():\\n    return (x for x in (y async for y in z))
def f():\\n    return [x for x in (y async for y in z)]
def f():\\n    return (x for x in y if await z)
async def f():\\n    return {await x: y for x in z}
async def f():\\n    await x\\n    yield y\\n    lambda: (yield from z)
async def f():\\n    def g(): yield from x
async def f():\\n    return lambda: (yield)
async def f():\\n    return 1\\n    def g(): yield
lambda: (yield from x)
f(lambda x, x: 1)
def f(): return lambda: (x := 1)
(lambda: 1)\\nbreak
def f(): x: await y
def f(): x: (yield)
async def f():\\n    x: (yield)\\n    return 1
def f():\\n    x: await y\\n    yield\\n    return 1
def f(): x: [a async for a in b]
x: [a async for a in b]
class A: x: [a async for a in b]
def f(): (x): (__debug__ := 1) = 1
def f(): x.y: f(a=1, a=2)
class A: x.y: f(a=1, a=2)
def f(a: lambda: await b): pass
from __future__ import annotations\\nx: f(a=1, a=2)
from __future__ import annotations\\n(x): f(a=1, a=2)
from __future__ import annotations\\nx.y: [await a for a in b]
from __future__ import annotations\\nx: (lambda a, a: 1)
from __future__ import annotations\\nx: [a := 1 for b in c]
from __future__ import annotations\\nclass A: x: [a := 1 for b in c]
from __future__ import annotations\\ndef f(a: [b async for b in c]): pass
from __future__ import annotations\\ndef f(a: [b for *b, *c in d]): pass
x[(*a,)]: int
x[(*a,)]: int = 1
x[b, (*a,)]: int
x[(*a,):b]: int
x[((*a,))]: int
x[(*a,) + b]: int
x[b:c, (*a,)]: int
def f(): x[(*a,)]: int
x[*a]: int
x[*a, b]: int
x[*a]: int = 1
del (*x,)
del [*x]
pass; from __future__ import annotations
('doc')\\nfrom __future__ import annotations
(('doc'\\n 'more'))\\nfrom __future__ import annotations
('doc',)\\nfrom __future__ import annotations
(f'doc')\\nfrom __future__ import annotations
'doc' f''\\nfrom __future__ import annotations
'doc'; from __future__ import division\\nfrom __future__ import annotations
'doc'; 'doc'\\nfrom __future__ import annotations
('doc') + 'x'\\nfrom __future__ import annotations
from .__future__ import nested_scopes
from .__future__ import nothing
from .__future__ import *
pass\\nfrom .__future__ import nested_scopes
def f(): from .__future__ import nested_scopes
'doc'; from __future__ import annotations\\ndef f(a: [b async for b in c]): pass
from __future__ import (\\n  annotations)\\ndef f(a: [b async for b in c]): pass
from .__future__ import annotations\\ndef f(a: [b async for b in c]): pass
class A: nonlocal __class__
class A:\\n    def f(): nonlocal __class__
class A:\\n    def f():\\n        class B: nonlocal __class__
class A:\\n    def f(): nonlocal __classdict__
f'{i for i in x}'
f'{i for i in (j := x)}'
f'{(i := 0) for i in x}'
f'{await x for x in y}'
f'{x async for x in y}'
f'{i for i in x!r:>{y}}'
f'{i for i in x=}'
f'{a:{i for i in x}}'
f'{*a}'
[x for x[a := 1] in z]
[x for x[[a := 1 for b in c]] in z]
[x for x[lambda: (a := 1)] in z]
class C: nonlocal __class__
x = 1\\nfrom .__future__ import nested_scopes
from __future__ import annotations\\ndef f(): x: await y
from __future__ import annotations\\nx: await y
('a')\\nfrom __future__ import annotations
async def f(): f'{await x for x in y}'
x.y: f(a=1, a=2)
(x): f(a=1, a=2)
x[y]: f(a=1, a=2) = z
def f():\\n    x: [await y for y in z]
def f():\\n    x: lambda: await y
def f():\\n    x.y: lambda: [y async for y in z]
async def f():\\n    x: [y async for y in z] = y
async def f():\\n    def g(x: [y async for y in z]): pass
async def f():\\n    def g() -> {await y for y in z}: pass
from __future__ import annotations\\nx: [y async for y in z]
from __future__ import annotations\\ndef f(x: lambda: await y): pass
from __future__ import annotations\\nx: f(__debug__=1)
def f():\\n    x: lambda __debug__: 1
def f():\\n    del x, y.__debug__
(x.__debug__) += 1
""".strip().splitlines()

MATCH = """
match x:\\n    case a: pass\\n    case b: pass
match x:\\n    case _: pass\\n    case b: pass
match x:\\n    case a if b: pass\\n    case b: pass
match x:\\n    case 1: pass\\n    case b: pass
match x:\\n    case (a): pass\\n    case b: pass
match x:\\n    case _ as a: pass\\n    case b: pass
match x:\\n    case a as b: pass\\n    case c: pass
match x:\\n    case 1 | a: pass
match x:\\n    case a | 1: pass
match x:\\n    case _ | 1: pass
match x:\\n    case 1 | _: pass\\n    case 2: pass
match x:\\n    case 1 | _: pass
match x:\\n    case [a] | [b]: pass
match x:\\n    case [a] | (a, 1): pass
match x:\\n    case [a, a]: pass
match x:\\n    case [a, *a]: pass
match x:\\n    case [*a, *b]: pass
match x:\\n    case *a, *b: pass
match x:\\n    case [*_, *_]: pass
match x:\\n    case *a, b: pass\\n    case c: pass
match x:\\n    case a, : pass\\n    case c: pass
match x:\\n    case [_]: pass\\n    case c: pass
match x:\\n    case A(b=1, b=2): pass
match x:\\n    case A(b=1, c=2): pass
match x:\\n    case A(b, c=b): pass
match x:\\n    case {1: a, 1: b}: pass
match x:\\n    case {1: a, 2: a}: pass
match x:\\n    case {1: a, 2: b, **c}: pass
match x:\\n    case {'a': a, 'a': b}: pass
match x:\\n    case {'a': a, "a": b}: pass
match x:\\n    case {1: a, True: b}: pass
match x:\\n    case {1: a, 1.0: b}: pass
match x:\\n    case {-1: a, -1: b}: pass
match x:\\n    case {a.b: c, a.b: d}: pass
match x:\\n    case {1: a, **a}: pass
match x:\\n    case (a as b) | (b as a): pass
match x:\\n    case 1 as a | 2 as a: pass
match x:\\n    case (1 as a) | (2 as a): pass
match x:\\n    case [_, _]: pass
match x:\\n    case (a | b) as c: pass
match x:\\n    case [1, (a | 2)]: pass
match x:\\n    case [1, (2 | a)]: pass
match x:\\n    case A(__debug__=1): pass
match x:\\n    case __debug__: pass
match x:\\n    case a.__debug__: pass
match x:\\n    case 1: break
for y in z:\\n    match x:\\n        case 1: break
match x:\\n    case 1: return
match x, *y:\\n    case 1: pass
match *x, y:\\n    case 1: pass
match (x):\\n    case 1: pass
match = 1\\nmatch(x)\\nmatch[x]\\nmatch.x
case = 1\\nmatch = case\\nprint(match, case)
match -x:\\n    case -1: pass
match x:\\n    case (1, 2) | [a, 3] if a: pass
match x:\\n    case {'a': [1, {'b': b}], **rest}: pass
match x:\\n    case A.B(c=d) | E(f=d): pass
match x:\\n    case A.B(c=d) | E(f=g): pass
match x:\\n    case f'': pass
match x:\\n    case 'a' f'': pass
match x:\\n    case f'a' 'b': pass
match x:\\n    case [f'{a}']: pass
match x:\\n    case {f'': a}: pass
match x:\\n    case A(b=f'{undefined}'): pass
match x:\\n    case f'{a:{b}}' | f'{"c"}' as d: pass
match 1 if (yield) else 2:\\n    case _: pass
match f'{[x async for x in y]}':\\n    case _: pass
match {1: 2 async for x in y}:\\n    case _: pass
match x:\\n    case [f'']: pass
match x:\\n    case {f'': 1}: pass
match x:\\n    case {'a' f'': 1}: pass
match x:\\n    case A(f''): pass
match x:\\n    case A(b=f''): pass
match x:\\n    case 1 | f'': pass
""".strip().splitlines()

NEWER = """
try: pass\\nexcept* x: pass
for x in y:\\n    try: pass\\n    except* z: break
for x in y:\\n    try: pass\\n    except* z: continue
def f():\\n    try: pass\\n    except* z: return
def f():\\n    try: pass\\n    except* z:\\n        for x in y: break
def f():\\n    try: pass\\n    except* z:\\n        def g(): return
def f():\\n    try: return\\n    except* z: pass\\n    finally: return
for x in y:\\n    try: pass\\n    except* z: pass\\n    else: break
def f[T](x: T): pass
def f[T, T](x): pass
def f[T](T): pass
class A[T, T]: pass
class A[T](B[T]): pass
type X = int
type X[T] = T
type X[T, T] = T
type X = (yield)
type X = (y := 1)
def f():\\n    type X = (yield)
async def f():\\n    type X = (await y)
def f[T: (yield)](): pass
def f[T: (x := 1)](): pass
class A[T](x := 1): pass
class A[T]((yield)): pass
def g():\\n    class A[T]((yield)): pass
async def g():\\n    class A[T](await x): pass
def g():\\n    def f[T](x: (yield)): pass
def g():\\n    def f[T](x=(yield)): pass
def g():\\n    def f[T](x=(y := 1)): pass
def f[T]():\\n    nonlocal T
def f[T]():\\n    def g():\\n        nonlocal T
class A[T]:\\n    nonlocal T
class A[T]:\\n    def f(self):\\n        nonlocal T
def f[T]():\\n    T = 1
def f[T]():\\n    global T
def f[T]():\\n    T = 1\\n    def g():\\n        nonlocal T
def f[__debug__](): pass
type __debug__ = int
def f[T=int](): pass
def f[T=int, U](): pass
def f[T=int, *U](): pass
def f[*T=int, U=int](): pass
class A[T=int, U]: pass
type X[T=int, U] = T
def f[T=(yield)](): pass
def f[*Ts](*args: *Ts): pass
type = 1\\ntype(x)\\nprint(type)
f'{(lambda: (yield))}'
f'{[(yield) for x in y]}'
pass; type X = (a := 1)
if x: type X[T, T] = int
pass; type X[T, T] = int
if x: type X[__debug__] = int
type X = [x async for x in y]
type X = (x async for x in y)
type X[T: [x async for x in y]] = T
def f[T: [x async for x in y]](): pass
def f[T](a: [x async for x in y]): pass
async def f():\\n    def g[T](a: [x async for x in y]): pass
async def f():\\n    def g[T](a=[x async for x in y]): pass
class A[T]([x async for x in y]): pass
from __future__ import annotations\\ndef f[T](a: [x async for x in y]): pass
class A: type X = lambda: 1
class A: type X = [x for x in y]
class A: type X[T: lambda: 1] = T
class A:\\n    def f[T](a: lambda: 1): pass
class A:\\n    def f[T](a=lambda: 1): pass
class A:\\n    class B[T]((x for x in y)): pass
def f():\\n    type X = lambda: 1
class A[x]:\\n    x = 1\\n    def f(): nonlocal x
class A[x]:\\n    def f(): nonlocal x
class A[x]:\\n    global x\\n    def f(): nonlocal x
def f[x]():\\n    class A:\\n        x = 1\\n        def g(): nonlocal x
type x
type (x)
class A[T: [x async for x in y]]: pass
def f[T = [x async for x in y]](): pass
def f[T]() -> [x async for x in y]: pass
""".strip().splitlines()


def snippets() -> list[str]:
    """All, with their line ends."""
    return [text.replace("\\n", "\n") + "\n" for text in ALWAYS + MATCH + NEWER]

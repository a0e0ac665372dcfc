#!/usr/bin/env bash
# jedi completes no name that a `case` binds, nor one of `except*` or of a `with` in parentheses: the parser below it has no such statements.
#
# Guessed: a parser that has a grammar for "3.14" reads the statements that came with 3.9 to 3.12, so names bound in them complete as those of `for` do.
# Seen with parso 0.8.7 and jedi 0.20.1: the grammars for 3.13 and 3.14 call `match`, `type`, `except*`, `with (… as …):`, `x[*a]`, `for x in *a, b:` and the
# same quotes within an f-string errors; only the type parameters of functions and classes are read. jedi goes on past the error and still completes what the
# block of a `case` assigns, but none of the names above, nor the members of a file that is opened in parentheses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check jedi==0.20.1 parso==0.8.7
cat >"$folder/ask.py" <<'PYTHON'
import jedi
import parso

grammars = [parso.load_grammar(version=version) for version in ("3.13", "3.14")]
for text in (
    "match x:\n    case 1: pass\n",
    "type X = int\n",
    "try: pass\nexcept* E: pass\n",
    "with (a as b, c as d): pass\n",
    "x[*a]\n",
    "for x in *a, b: pass\n",
    "f'{a['b']}'\n",
    "def f[T](x: T): pass\n",
    "class C[T]: pass\n",
):
    print(ascii(text), "read for 3.13, 3.14:", *(not list(grammar.iter_errors(grammar.parse(text))) for grammar in grammars))
for before, word in (
    ("def f(lines):\n    for captured in lines:\n        ", "capt"),
    ("def f(lines):\n    match lines:\n        case [captured, *others]:\n            ", "capt"),
    ("def f(lines):\n    match lines:\n        case {'key': captured}:\n            ", "capt"),
    ("def f(lines):\n    match lines:\n        case str() as captured:\n            ", "capt"),
    ("def f(lines):\n    match lines:\n        case _:\n            captured = 1\n            ", "capt"),
    ("try:\n    pass\nexcept ValueError as captured:\n    ", "capt"),
    ("try:\n    pass\nexcept* ValueError as captured:\n    ", "capt"),
    ("with open('a') as captured:\n    ", "capt"),
    ("with (open('a') as captured):\n    ", "capt"),
    ("with open('a') as captured:\n    ", "captured.readl"),
    ("with (open('a') as captured):\n    ", "captured.readl"),
):
    print(ascii(before + word), "completes to", [each.name for each in jedi.Script(before + word).complete()])
PYTHON
cat >"$folder/seen" <<'SEEN'
'match x:\n    case 1: pass\n' read for 3.13, 3.14: False False
'type X = int\n' read for 3.13, 3.14: False False
'try: pass\nexcept* E: pass\n' read for 3.13, 3.14: False False
'with (a as b, c as d): pass\n' read for 3.13, 3.14: False False
'x[*a]\n' read for 3.13, 3.14: False False
'for x in *a, b: pass\n' read for 3.13, 3.14: False False
"f'{a['b']}'\n" read for 3.13, 3.14: False False
'def f[T](x: T): pass\n' read for 3.13, 3.14: True True
'class C[T]: pass\n' read for 3.13, 3.14: True True
'def f(lines):\n    for captured in lines:\n        capt' completes to ['captured']
'def f(lines):\n    match lines:\n        case [captured, *others]:\n            capt' completes to []
"def f(lines):\n    match lines:\n        case {'key': captured}:\n            capt" completes to []
'def f(lines):\n    match lines:\n        case str() as captured:\n            capt' completes to []
'def f(lines):\n    match lines:\n        case _:\n            captured = 1\n            capt' completes to ['captured']
'try:\n    pass\nexcept ValueError as captured:\n    capt' completes to ['captured']
'try:\n    pass\nexcept* ValueError as captured:\n    capt' completes to []
"with open('a') as captured:\n    capt" completes to ['captured']
"with (open('a') as captured):\n    capt" completes to []
"with open('a') as captured:\n    captured.readl" completes to ['readline', 'readlines']
"with (open('a') as captured):\n    captured.readl" completes to []
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"

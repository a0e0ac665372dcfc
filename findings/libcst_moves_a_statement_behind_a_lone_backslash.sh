#!/usr/bin/env bash
# libcst does not write back a backslash that begins a line, and puts the statement behind it into the block before.
#
# Guessed: libcst keeps every character, so what it has parsed it writes as it was, and the statements are those that Python sees.
# Seen with libcst 1.9.0: of a line that holds a backslash alone, which joins it to the next, nothing is left in the code. Behind a block the joined line
# takes the block's indent: a `print` at the margin becomes a statement of the function above it, in the tree and in the code that is written, where it comes
# after the `return`. Where such a line begins a block the text is refused, as are an annotated name in parentheses and a keyword before `*bases` in a
# class's head.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check libcst==1.9.0
cat >"$folder/ask.py" <<'PYTHON'
import ast

import libcst

for text in (
    "f(\\\n1)\n",
    "\\\nx = 1\n",
    "def f():\n    return 1\n\\\nprint(2)\n",
    "class C:\n    \\\n    x = 1\n",
    "(x): int = 1\n",
    "class C(metaclass=M, *bases): pass\n",
    "f(key=1, *values)\n",
):
    print(ascii(text), "statements of Python:", len(ast.parse(text).body), end=" ")
    try:
        module = libcst.parse_module(text)
    except libcst.ParserSyntaxError:
        print("refused by libcst")
    else:
        print("of libcst:", len(module.body), "written back:", "as it was" if module.code == text else ascii(module.code))
PYTHON
cat >"$folder/seen" <<'SEEN'
'f(\\\n1)\n' statements of Python: 1 of libcst: 1 written back: as it was
'\\\nx = 1\n' statements of Python: 1 of libcst: 1 written back: 'x = 1\n'
'def f():\n    return 1\n\\\nprint(2)\n' statements of Python: 2 of libcst: 1 written back: 'def f():\n    return 1\n    print(2)\n'
'class C:\n    \\\n    x = 1\n' statements of Python: 1 refused by libcst
'(x): int = 1\n' statements of Python: 1 refused by libcst
'class C(metaclass=M, *bases): pass\n' statements of Python: 1 refused by libcst
'f(key=1, *values)\n' statements of Python: 1 of libcst: 1 written back: as it was
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"

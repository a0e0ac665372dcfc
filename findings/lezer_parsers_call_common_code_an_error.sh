#!/usr/bin/env bash
# CodeMirror's parsers of Python and TypeScript call code an error that compilers have read for years.
#
# Guessed: the grammars of an editor that runs on so many pages read the languages of today, but for news of the last releases.
# Seen with @lezer/python 1.1.19 and @lezer/javascript 1.5.6, against Python itself and typescript 6.0.3: an error node stands in the tree of a `yield` that is
# assigned or in parentheses, a starred index or annotation, a decorator that is more than dots and calls, `with` in parentheses and `match` of two values,
# and of `export default class {}`, `do a(); while (b) c()`, `let a!: B`, named members of a tuple, import attributes, `import = require`, variance, the
# predicate of an arrow's type and a bound behind `infer`. `match` of one value, `except*`, `satisfies`, `using` and `accessor` are read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @lezer/python@1.1.19 @lezer/javascript@1.5.6 typescript@6.0.3 >/dev/null
cat >"$folder/ask.py" <<'PYTHON'
import json

TEXTS = (
    "def f(): x = yield",
    "def f(): print((yield))",
    "x[*a]",
    "def f(*a: *T): pass",
    "@a[0].b\ndef f(): pass",
    "with (a as b, c as d): pass",
    "match x, y:\n    case 1, 2: pass",
    "for x in *a, b: pass",
    "lambda x, /, y: 0",
    "{y := 1}",
    "match x:\n    case [1, *y]: pass",
    "try: pass\nexcept* E: pass",
    "if (x := y) > 1: pass",
    "@a.b(c)\ndef f(): pass",
    "with a as b, c as d: pass",
)
for text in TEXTS:
    compile(text, "text", "exec")
print(json.dumps(TEXTS))
PYTHON
cat >"$folder/ask.mjs" <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import { parser as javascript } from "@lezer/javascript";
import { parser as python } from "@lezer/python";
import ts from "typescript";

function hasError(parser, text) {
  let found = false;
  parser.parse(text).iterate({ enter: (node) => void (found ||= node.type.isError) });
  return found;
}

for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  console.log("Python", JSON.stringify(text), "error:", hasError(python, text));
}
for (const text of [
  "export default class {}",
  "do a(); while (b) c()",
  "let a!: B",
  "type A = [a: B, c?: D]",
  "type A = typeof import('a')",
  "type A = (a: B) => a is C",
  "type A = abstract new () => B",
  "class A<in out T> {}",
  "import a from 'b' with { type: 'json' }",
  "import a = require('b')",
  "let a = b satisfies C",
  "using a = b",
  "class A { accessor b = 1 }",
  "type A = B extends infer C extends D ? C : never",
  "import { type A } from 'b'",
]) {
  const options = { module: "nodenext", target: "esnext" };
  const { diagnostics } = ts.transpileModule(text, { compilerOptions: options, reportDiagnostics: true, fileName: "a.mts" });
  if (diagnostics.length) throw new Error(text);
  console.log("TypeScript", JSON.stringify(text), "error:", hasError(javascript.configure({ dialect: "ts" }), text));
}
JAVASCRIPT
cat >"$folder/seen" <<'SEEN'
Python "def f(): x = yield" error: true
Python "def f(): print((yield))" error: true
Python "x[*a]" error: true
Python "def f(*a: *T): pass" error: true
Python "@a[0].b\ndef f(): pass" error: true
Python "with (a as b, c as d): pass" error: true
Python "match x, y:\n    case 1, 2: pass" error: true
Python "for x in *a, b: pass" error: true
Python "lambda x, /, y: 0" error: true
Python "{y := 1}" error: true
Python "match x:\n    case [1, *y]: pass" error: false
Python "try: pass\nexcept* E: pass" error: false
Python "if (x := y) > 1: pass" error: false
Python "@a.b(c)\ndef f(): pass" error: false
Python "with a as b, c as d: pass" error: false
TypeScript "export default class {}" error: true
TypeScript "do a(); while (b) c()" error: true
TypeScript "let a!: B" error: true
TypeScript "type A = [a: B, c?: D]" error: true
TypeScript "type A = typeof import('a')" error: true
TypeScript "type A = (a: B) => a is C" error: true
TypeScript "type A = abstract new () => B" error: true
TypeScript "class A<in out T> {}" error: true
TypeScript "import a from 'b' with { type: 'json' }" error: true
TypeScript "import a = require('b')" error: true
TypeScript "let a = b satisfies C" error: false
TypeScript "using a = b" error: false
TypeScript "class A { accessor b = 1 }" error: false
TypeScript "type A = B extends infer C extends D ? C : never" error: true
TypeScript "import { type A } from 'b'" error: false
SEEN
python3 "$folder/ask.py" | node "$folder/ask.mjs" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"

#!/usr/bin/env bash
# sucrase takes types out of a program and leaves another program: lines join, comparisons become a call, an object becomes a block.
#
# Guessed: what erases types leaves the program that tsc leaves, or raises an error: who leaves no `;` keeps to texts that need none.
# Seen with sucrase 3.35.1 against typescript 6.0.3 and esbuild 0.28.2, which agree about all of these: a line that ends in `as` or `satisfies` and a type, or
# is followed by a type alone, is joined to the next one if that begins with a bracket or a template, so a value is called, indexed or a tag. `f(i < n - 1, m >
# (k))` becomes `f(i(k))`, since a subtraction is read as a type argument (an addition is not). `() => <any>{}` returns nothing any more, nor does `return
# <any>` with its value in the next line. And `a ? (b) : c => d`, `x as any < y` and a default import of the name `from` as a type are refused. No warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" sucrase@3.35.1 typescript@6.0.3 esbuild@0.28.2 >/dev/null
cat >"$folder/ask.mjs" <<'JAVASCRIPT'
import esbuild from "esbuild";
import { transform } from "sucrase";
import ts from "typescript";

const options = { target: "esnext", module: "esnext", verbatimModuleSyntax: true };

/** One spelling for programs that differ in blanks alone, or an error for those that are none. */
function plain(code) {
  return esbuild.transformSync(code, { minifyWhitespace: true, logLevel: "silent", target: "esnext" }).code.trim();
}

function withTypeScript(text) {
  const { outputText, diagnostics } = ts.transpileModule(text, { compilerOptions: options, reportDiagnostics: true, fileName: "a.ts" });
  if (diagnostics.length) throw new Error(text);
  return plain(outputText.replace(/^"use strict";\n|export {};/g, ""));
}

function withEsbuild(text) {
  return plain(esbuild.transformSync(text, { loader: "ts", target: "esnext", tsconfigRaw: { compilerOptions: options } }).code);
}

function withSucrase(text) {
  try {
    return plain(transform(text, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code);
  } catch {
    return "refused";
  }
}

for (const text of [
  "const f = g() as F\n[1, 2].map(f)",
  "const f = g() satisfies F\n(h)",
  "const f = g()\ntype A = B\n`h`",
  "const f = g() as F\n+h",
  "f(i < n - 1, m > (k))",
  "f(i < n.length - 1, m > (k))",
  "f(i < n + 1, m > (k))",
  "f(i < n - 1, m > k)",
  "f = () => <any>{}",
  "f = () => ({} as any)",
  "function f() {\n  return <any>\n    x\n}",
  "f = a ? (b) : c => d",
  "f = a ? (b.c) : d => e",
  "f = x as any < y",
  "import type from from 'a'",
]) {
  const expected = withTypeScript(text);
  if (withEsbuild(text) !== expected) throw new Error(text);
  const written = withSucrase(text);
  console.log(JSON.stringify(text), "typescript:", expected, "sucrase:", written === expected ? "the same" : written);
}
JAVASCRIPT
cat >"$folder/seen" <<'SEEN'
"const f = g() as F\n[1, 2].map(f)" typescript: const f=g();[1,2].map(f); sucrase: const f=g()[1,2].map(f);
"const f = g() satisfies F\n(h)" typescript: const f=g();h; sucrase: const f=g()(h);
"const f = g()\ntype A = B\n`h`" typescript: const f=g();`h`; sucrase: const f=g()`h`;
"const f = g() as F\n+h" typescript: const f=g()+h; sucrase: the same
"f(i < n - 1, m > (k))" typescript: f(i<n-1,m>k); sucrase: f(i(k));
"f(i < n.length - 1, m > (k))" typescript: f(i<n.length-1,m>k); sucrase: f(i(k));
"f(i < n + 1, m > (k))" typescript: f(i<n+1,m>k); sucrase: the same
"f(i < n - 1, m > k)" typescript: f(i<n-1,m>k); sucrase: the same
"f = () => <any>{}" typescript: f=()=>({}); sucrase: f=()=>{};
"f = () => ({} as any)" typescript: f=()=>({}); sucrase: the same
"function f() {\n  return <any>\n    x\n}" typescript: function f(){return x} sucrase: function f(){return;x}
"f = a ? (b) : c => d" typescript: f=a?b:c=>d; sucrase: refused
"f = a ? (b.c) : d => e" typescript: f=a?b.c:d=>e; sucrase: the same
"f = x as any < y" typescript: f=x<y; sucrase: refused
"import type from from 'a'" typescript:  sucrase: refused
SEEN
node "$folder/ask.mjs" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"

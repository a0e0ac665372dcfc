#!/usr/bin/env bash
# Valid JavaScript that TypeScript refuses, in a `.js` file too: an arrow behind `(c) :` where another `:` follows.
#
# Guessed: TypeScript is a superset of JavaScript's syntax, and certainly reads JavaScript in a file that is named so.
# Seen with typescript 6.0.3 and 7.0.2, esbuild 0.28.2, @swc/core 1.16.22, oxc-parser 0.159.0 and @babel/parser 8.1.3: in `a ? b ? (c) : d => e : f` and in
# `case (y): z => w` the text `(c) : d => e` is taken for an arrow with a type behind its parameters, and the `:` that this uses up is missed. As JavaScript all
# of them read both, as does Node, but for both versions of TypeScript, which report the error in a `.js` file as well. With a pair of brackets around
# the inner arrow or conditional all is well. `a ? async (b) : c => d` is refused by esbuild, and `a ? b ? (c.d) : e => f : g` by swc, as TypeScript alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" typescript@6.0.3 typescript-7@npm:typescript@7.0.2 esbuild@0.28.2 @swc/core@1.16.22 oxc-parser@0.159.0 @babel/parser@8.1.3 >/dev/null
cat >"$folder/ask.mjs" <<'JAVASCRIPT'
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";
import * as babel from "@babel/parser";
import { parseSync as withSwc } from "@swc/core";
import { transformSync as withEsbuild } from "esbuild";
import { parseSync as withOxc } from "oxc-parser";
import ts from "typescript";

function isReadBySix(name, text) {
  return ts.createSourceFile(name, text, ts.ScriptTarget.ESNext).parseDiagnostics.length === 0;
}

/** Whether TypeScript 7 has no error of syntax in a file: those have the numbers below 2000. */
function isReadBySeven(name, text) {
  mkdirSync("7", { recursive: true });
  writeFileSync(`7/${name}`, text);
  const options = ["--noEmit", "--noResolve", "--allowJs", "--pretty", "false"];
  const { stdout } = spawnSync("node", ["node_modules/typescript-7/bin/tsc", ...options, `7/${name}`]);
  return !/error TS1\d{3}:/.test(stdout);
}

function isReadByOxc(name, text) {
  return withOxc(name, text).errors.length === 0;
}

function succeeds(read) {
  try {
    return read() !== false;
  } catch {
    return false;
  }
}

for (const text of [
  "a ? b ? (c) : d => e : f",
  "a ? b ? (c) : (d => e) : f",
  "a ? (b ? (c) : d => e) : f",
  "a ? (b) : c => d",
  "switch (x) { case (y): z => w }",
  "switch (x) { case y: z => w }",
  "switch (x) { case y ? (z) : w => v: u }",
  "a ? async (b) : c => d",
  "a ? b ? (c.d) : e => f : g",
]) {
  const readers = {
    node: [() => new Script(text)],
    "typescript 6": ["js", "ts"].map((end) => () => isReadBySix(`a.${end}`, text)),
    "typescript 7": ["js", "ts"].map((end) => () => isReadBySeven(`a.${end}`, text)),
    esbuild: ["js", "ts"].map((loader) => () => withEsbuild(text, { loader, logLevel: "silent" })),
    swc: ["ecmascript", "typescript"].map((syntax) => () => withSwc(text, { syntax })),
    oxc: ["js", "ts"].map((end) => () => isReadByOxc(`a.${end}`, text)),
    babel: [[], ["typescript"]].map((plugins) => () => babel.parse(text, { plugins })),
  };
  const refused = [];
  for (const [name, reads] of Object.entries(readers)) {
    for (const [at, read] of reads.entries()) if (!succeeds(read)) refused.push(`${name} as ${["js", "ts"][at]}`);
  }
  console.log(text, " refused by", refused.join(", ") || "none");
}
JAVASCRIPT
cat >"$folder/seen" <<'SEEN'
a ? b ? (c) : d => e : f  refused by typescript 6 as js, typescript 6 as ts, typescript 7 as js, typescript 7 as ts, esbuild as ts, swc as ts, oxc as ts, babel as ts
a ? b ? (c) : (d => e) : f  refused by none
a ? (b ? (c) : d => e) : f  refused by none
a ? (b) : c => d  refused by none
switch (x) { case (y): z => w }  refused by typescript 6 as js, typescript 6 as ts, typescript 7 as js, typescript 7 as ts, esbuild as ts, swc as ts, oxc as ts, babel as ts
switch (x) { case y: z => w }  refused by none
switch (x) { case y ? (z) : w => v: u }  refused by typescript 6 as js, typescript 6 as ts, typescript 7 as js, typescript 7 as ts, esbuild as ts, swc as ts, oxc as ts, babel as ts
a ? async (b) : c => d  refused by esbuild as ts
a ? b ? (c.d) : e => f : g  refused by swc as ts
SEEN
(cd "$folder" && node ask.mjs) | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"

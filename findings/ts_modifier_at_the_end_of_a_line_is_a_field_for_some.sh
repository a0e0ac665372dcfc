#!/usr/bin/env bash
# `private` at the end of a line is a field of that name for some compilers of TypeScript and a modifier of the next line for others.
#
# Guessed: a modifier and its member may stand in two lines, as `static` may and as in other languages; and all compilers read them alike.
# Seen with typescript 6.0.3, @babel/parser 8.1.3, oxc-parser 0.159.0, sucrase 3.35.1, esbuild 0.28.2, @swc/core 1.16.22 and amaro 1.2.1 (with which Node
# erases types): for the first four it is a field, so the class has a member more and the next one is public. esbuild takes it for a modifier, but for
# `abstract`, and swc takes it for one, but refuses `override` there. amaro leaves `private` as a field where it only erases and drops it where it transforms.
# A class in the line behind `declare` is gone with amaro alone, and `namespace` above its name declares one for swc and for amaro's transforming; for the
# others `declare`, `namespace` and that name are expressions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" typescript@6.0.3 @babel/parser@8.1.3 oxc-parser@0.159.0 sucrase@3.35.1 esbuild@0.28.2 @swc/core@1.16.22 amaro@1.2.1 >/dev/null
cat >"$folder/ask.mjs" <<'JAVASCRIPT'
import * as babel from "@babel/parser";
import { transformSync as withSwc } from "@swc/core";
import { transformSync as withAmaro } from "amaro";
import { transformSync as withEsbuild } from "esbuild";
import { parseSync as withOxc } from "oxc-parser";
import { transform as withSucrase } from "sucrase";
import ts from "typescript";

/** The statements and the class members of a tree, by their names in ESTree. */
function outline(body) {
  return body.map((each) => each.type + (each.type === "ClassDeclaration" ? ` of ${each.body.body.length}` : "")).join(", ");
}

/** The outline of a program in JavaScript. */
function plain(code) {
  return outline(withOxc("a.js", code).program.body);
}

const READERS = {
  typescript(text) {
    const options = { target: "esnext", module: "esnext" };
    const { outputText, diagnostics } = ts.transpileModule(text, { compilerOptions: options, reportDiagnostics: true, fileName: "a.ts" });
    if (diagnostics.length) throw new Error(text);
    return plain(outputText.replace('"use strict";\n', ""));
  },
  babel: (text) => outline(babel.parse(text, { sourceType: "module", plugins: ["typescript"] }).program.body),
  oxc(text) {
    const { program, errors } = withOxc("a.ts", text);
    if (errors.length) throw new Error(text);
    return outline(program.body);
  },
  sucrase: (text) => plain(withSucrase(text, { transforms: ["typescript"], disableESTransforms: true }).code),
  esbuild: (text) => plain(withEsbuild(text, { loader: "ts", target: "esnext" }).code),
  swc: (text) => plain(withSwc(text, { filename: "a.ts", jsc: { parser: { syntax: "typescript" }, target: "es2024" } }).code),
  "amaro, erasing": (text) => plain(withAmaro(text, { mode: "strip-only" }).code),
  "amaro, transforming": (text) => plain(withAmaro(text, { mode: "transform" }).code),
};

for (const text of [
  "class A { static\nx = 1 }",
  "class A { private\nx = 1 }",
  "class A { readonly\nx = 1 }",
  "class A { protected\nf() {} }",
  "class A { override\nx = 1 }",
  "abstract class A { abstract\nx }",
  "declare\nclass A {}",
  "namespace\nA\n{ f() }",
]) {
  const found = new Map();
  for (const [name, read] of Object.entries(READERS)) {
    let answer;
    try {
      answer = read(text) || "nothing";
    } catch {
      answer = "refused";
    }
    found.set(answer, [...(found.get(answer) ?? []), name]);
  }
  console.log(JSON.stringify(text));
  for (const [answer, names] of found) console.log("  ", answer, "with", names.join("; "));
}
JAVASCRIPT
cat >"$folder/seen" <<'SEEN'
"class A { static\nx = 1 }"
   ClassDeclaration of 1 with typescript; babel; oxc; sucrase; esbuild; swc; amaro, erasing; amaro, transforming
"class A { private\nx = 1 }"
   ClassDeclaration of 2 with typescript; babel; oxc; sucrase; amaro, erasing
   ClassDeclaration of 1 with esbuild; swc; amaro, transforming
"class A { readonly\nx = 1 }"
   ClassDeclaration of 2 with typescript; babel; oxc; sucrase; amaro, erasing
   ClassDeclaration of 1 with esbuild; swc; amaro, transforming
"class A { protected\nf() {} }"
   ClassDeclaration of 2 with typescript; babel; oxc; sucrase; amaro, erasing
   ClassDeclaration of 1 with esbuild; swc; amaro, transforming
"class A { override\nx = 1 }"
   ClassDeclaration of 2 with typescript; babel; oxc; sucrase
   ClassDeclaration of 1 with esbuild
   refused with swc; amaro, erasing; amaro, transforming
"abstract class A { abstract\nx }"
   ClassDeclaration of 2 with typescript; babel; oxc; sucrase; esbuild
   ClassDeclaration of 0 with swc; amaro, erasing; amaro, transforming
"declare\nclass A {}"
   ExpressionStatement, ClassDeclaration of 0 with typescript; babel; oxc; sucrase; esbuild; swc
   nothing with amaro, erasing; amaro, transforming
"namespace\nA\n{ f() }"
   ExpressionStatement, ExpressionStatement, BlockStatement with typescript; babel; oxc; sucrase; esbuild
   ExpressionStatement, VariableDeclaration with swc; amaro, transforming
   refused with amaro, erasing
SEEN
node "$folder/ask.mjs" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"

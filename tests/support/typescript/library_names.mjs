// Prints the names that the libraries of TypeScript declare, of the language, of browsers and of workers, as JSON: those of values, of types and of namespaces.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const ts = require("typescript");

const found = { values: new Set(), types: new Set(), namespaces: new Set() };
for (const libs of [["dom", "dom.iterable", "dom.asynciterable"], ["webworker", "webworker.importscripts"]]) {
  const options = {
    lib: ["esnext", ...libs].map((name) => `lib.${name}.d.ts`),
    target: ts.ScriptTarget.ESNext,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  const own = ts.createSourceFile("/x.ts", "export {};", ts.ScriptTarget.ESNext, true);
  host.getSourceFile = (path, ...rest) => (path === "/x.ts" ? own : read(path, ...rest));
  const program = ts.createProgram(["/x.ts"], options, host);
  const checker = program.getTypeChecker();
  for (const [key, flags] of [
    ["values", ts.SymbolFlags.Value],
    ["types", ts.SymbolFlags.Type],
    ["namespaces", ts.SymbolFlags.Namespace],
  ]) {
    for (const symbol of checker.getSymbolsInScope(own, flags)) found[key].add(symbol.name);
  }
}
console.log(
  JSON.stringify(Object.fromEntries(Object.entries(found).map(([key, names]) => [key, [...names].sort().join(" ")]))),
);

// Prints the names that the libraries of TypeScript declare, of the language, of browsers and of workers, as JSON: those of values, of types and of
// namespaces in 5.9; those that are new in 6.0, and those that are no more.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

function names(ts) {
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
  return found;
}

function listed(found, without) {
  const keys = Object.keys(found);
  return Object.fromEntries(
    keys.map((key) => [key, [...found[key]].filter((name) => !without?.[key].has(name)).sort().join(" ")]),
  );
}

const [older, newer] = ["typescript", "typescript-6"].map((name) => names(require(name)));
console.log(JSON.stringify({ ...listed(older), "of 6.0": listed(newer, older), "only of 5.9": listed(older, newer) }));

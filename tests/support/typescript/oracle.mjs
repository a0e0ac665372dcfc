// Answers JSON lines: each asks what the parsers that are named say of a text, and is answered with what each finds wrong, an array.
// {"text", "dialect": "js" | "jsx" | "ts" | "tsx", "ask": [...], "name"?: of the file, "lib"?: false where its libraries do not count}
//   typescript  TypeScript's parser: {code, start, message} of each error
//   checker     the same of TypeScript's parser and checker, for the file alone
//   module      acorn, as a module: at most one message
//   script      acorn, as a script
//   babel       Babel, as what the text looks like
import readline from "node:readline";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const ts = require("typescript");
const acorn = require("acorn");
const babel = require("@babel/parser");
const withJsx = acorn.Parser.extend(require("acorn-jsx")());

const KINDS = { js: ts.ScriptKind.JS, jsx: ts.ScriptKind.JSX, ts: ts.ScriptKind.TS, tsx: ts.ScriptKind.TSX };
const OPTIONS = {
  allowJs: true,
  checkJs: true,
  jsx: ts.JsxEmit.Preserve,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleDetection: ts.ModuleDetectionKind.Legacy, // a file without imports and exports is a script
  noResolve: true,
  skipDefaultLibCheck: true,
  target: ts.ScriptTarget.ESNext,
  types: [],
};

function said(diagnostics) {
  return diagnostics.map((one) => ({
    code: one.code,
    start: one.start ?? 0,
    message: ts.flattenDiagnosticMessageText(one.messageText, " "),
  }));
}

function parsed(name, text, dialect, linked) {
  return ts.createSourceFile(name, text, { languageVersion: ts.ScriptTarget.ESNext }, linked, KINDS[dialect]);
}

// Programs of the last question, whose libraries are those of the next.
const libraries = new Map();
const last = new Map();

function checked(name, text, dialect, lib) {
  const file = parsed(name, text, dialect, true);
  const options = lib ? OPTIONS : { ...OPTIONS, noLib: true, lib: undefined };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (path, ...rest) => {
    if (path === name) return file;
    if (!libraries.has(path)) libraries.set(path, read(path, ...rest));
    return libraries.get(path);
  };
  host.fileExists = (path) => path === name;
  const program = ts.createProgram([name], options, host, last.get(lib));
  last.set(lib, program);
  return said([...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
}

function attempt(parse) {
  try {
    parse();
    return [];
  } catch (error) {
    return [String(error.message)];
  }
}

function byAcorn(text, dialect, sourceType) {
  const parser = dialect === "jsx" ? withJsx : acorn.Parser;
  const script = sourceType === "script";
  return attempt(() =>
    parser.parse(text, { ecmaVersion: "latest", allowHashBang: true, allowReturnOutsideFunction: script, sourceType }),
  );
}

function byBabel(text, dialect) {
  const plugins = [["decorators", { decoratorsBeforeExport: true }]];
  if (dialect.startsWith("ts")) plugins.push("typescript");
  if (dialect.endsWith("x")) plugins.push("jsx");
  return attempt(() => babel.parse(text, { sourceType: "unambiguous", allowReturnOutsideFunction: true, plugins }));
}

const ASKED = {
  typescript: (q) => said(parsed("x." + q.dialect, q.text, q.dialect, false).parseDiagnostics),
  checker: (q) => checked(q.name ?? "/x." + q.dialect, q.text, q.dialect, q.lib ?? true),
  module: (q) => byAcorn(q.text, q.dialect, "module"),
  script: (q) => byAcorn(q.text, q.dialect, "script"),
  babel: (q) => byBabel(q.text, q.dialect),
};

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const question = JSON.parse(line);
  const answer = {};
  for (const who of question.ask) {
    try {
      answer[who] = ASKED[who](question);
    } catch (error) {
      answer[who] = [{ code: -1, start: 0, message: "crashed: " + error.message }]; // TypeScript's checker does on some broken texts
    }
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}

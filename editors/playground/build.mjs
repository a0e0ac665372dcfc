// Bundles the page into lsp_server/playground/page/, from where `suture playground` serves it, with the licences of what is bundled.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";

const out = "../../lsp_server/playground/page";
const options = { bundle: true, minify: true, format: "iife", target: "es2022", loader: { ".ttf": "file" } };
await mkdir(out, { recursive: true });
await build({ ...options, entryPoints: { main: "src/main.ts" }, outdir: out, assetNames: "[name]" });
await build({
  ...options,
  entryPoints: { "editor.worker": "monaco-editor/editor/editor.worker.js" },
  outdir: out,
});
await copyFile("src/index.html", `${out}/index.html`);
// Monaco's styles are in main.css already; ours come after them.
await writeFile(`${out}/main.css`, `${await readFile(`${out}/main.css`, "utf8")}\n${await readFile("src/style.css", "utf8")}`);
const monaco = "node_modules/monaco-editor";
const notices = ["LICENSE", "ThirdPartyNotices.txt"].map((name) => readFile(`${monaco}/${name}`, "utf8"));
await writeFile(`${out}/NOTICES.txt`, (await Promise.all(notices)).join(`\n${"-".repeat(80)}\n\n`));

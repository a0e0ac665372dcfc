// Bundles the extension into out/, with the licences of what is bundled.

import * as esbuild from "esbuild";
import { readFile, readdir, writeFile } from "node:fs/promises";

const { metafile } = await esbuild.build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
  metafile: true,
});

const packages = new Set(
  Object.keys(metafile.inputs)
    .map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1])
    .filter((name) => name !== undefined),
);
const notices = [];
for (const name of [...packages].sort()) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) {
    throw new Error(`${name} has no licence file`);
  }
  notices.push(`${name} ${version} (${license})\n\n${await readFile(`${folder}/${file}`, "utf8")}`);
}
await writeFile("out/NOTICES.txt", notices.join(`\n${"-".repeat(80)}\n\n`));

/** Programs on the PATH. */

import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";

/** The first program of a name on the PATH, then in some more folders. */
export async function findProgram(name: string, more: readonly string[]): Promise<string | undefined> {
  const windows = process.platform === "win32";
  const names = windows ? [`${name}.exe`, `${name}.cmd`, `${name}.bat`] : [name];
  // Only absolute folders: a relative one would run what lies in some current folder.
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), ...more].filter(path.isAbsolute);
  for (const folder of folders) {
    for (const each of names) {
      const file = path.join(folder, each);
      try {
        await fs.access(file, windows ? constants.F_OK : constants.X_OK);
        if ((await fs.stat(file)).isFile()) {
          return file;
        }
      } catch {
        // not there
      }
    }
  }
  return undefined;
}

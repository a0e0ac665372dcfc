/** Finds the command that starts the server. */

import { execFile } from "node:child_process";
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import type { StartSettings } from "./settings";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it was found, for the log. */
  readonly source: string;
}

/** What to say when there is none. */
export const NOT_FOUND =
  "Suture found no server. Install it with “pip install suture”, and set “suture.interpreter” to that Python " +
  "if “suture” is not on the PATH.";

// -I keeps modules of the user's own folders (a types.py, a parser.py) out of the server's way.
const MODULE = ["-I", "-m", "suture.lsp_server", "serve"];
const PROBE = ["-I", "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('suture') is None)"];
const PROBE_TIMEOUT_MS = 10_000;

/** In this order: the settings, `suture` on the PATH, the Python extension's interpreter, `python3`. */
export async function findCommand(settings: StartSettings): Promise<ServerCommand | undefined> {
  const [program, ...programArgs] = settings.path;
  if (program !== undefined) {
    return { command: program, args: [...programArgs, "serve", ...settings.args], source: "suture.path" };
  }
  const [interpreter, ...interpreterArgs] = settings.interpreter;
  if (interpreter !== undefined) {
    const args = [...interpreterArgs, ...MODULE, ...settings.args];
    return { command: interpreter, args, source: "suture.interpreter" };
  }
  const installed = await findProgram("suture", [path.join(os.homedir(), ".local", "bin")]);
  if (installed !== undefined) {
    return { command: installed, args: ["serve", ...settings.args], source: "suture on the PATH" };
  }
  for (const [python, source] of await interpreters()) {
    if (await hasSuture(python)) {
      return { command: python, args: [...MODULE, ...settings.args], source };
    }
  }
  return undefined;
}

async function interpreters(): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const chosen = await interpreterOfPythonExtension();
  if (chosen !== undefined) {
    found.push([chosen, "the Python extension's interpreter"]);
  }
  for (const name of ["python3", "python"]) {
    const python = await findProgram(name, []);
    if (python !== undefined) {
      found.push([python, `${name} on the PATH`]);
    }
  }
  return found;
}

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

async function interpreterOfPythonExtension(): Promise<string | undefined> {
  // It may lie in the folder that is open, so that running it needs the user's trust.
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (!vscode.workspace.isTrusted || extension === undefined) {
    return undefined;
  }
  try {
    const { environments } = extension.isActive ? extension.exports : await extension.activate();
    const environment = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath());
    return environment?.executable.uri?.fsPath;
  } catch {
    return undefined; // it is only one of several places to look
  }
}

/** Whether an interpreter has the server installed; nothing of it is imported. */
function hasSuture(python: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(python, PROBE, { cwd: os.homedir(), timeout: PROBE_TIMEOUT_MS, windowsHide: true }, (error) =>
      resolve(error === null),
    );
  });
}

/** The first program of a name on the PATH, then in some more folders. */
async function findProgram(name: string, more: readonly string[]): Promise<string | undefined> {
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

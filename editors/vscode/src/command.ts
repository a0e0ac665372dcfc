/** Finds the command that starts the server. */

import { execFile } from "node:child_process";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { findProgram } from "./programs";
import type { StartSettings } from "./settings";

export interface ServerCommand {
  readonly command: string;
  /** What comes before `serve`, and before any other of its commands. */
  readonly prefix: readonly string[];
  readonly args: readonly string[];
  /** Where it was found, for the log. */
  readonly source: string;
}

/** What to say when there is none. */
export const NOT_FOUND =
  "Suture found no server on this machine. The one that comes with the extension can be installed now; one that is " +
  "installed already can be named in “suture.interpreter”.";

// -I keeps modules of the user's own folders (a types.py, a parser.py) out of the server's way.
const MODULE = ["-I", "-m", "suture.lsp_server"];
const PROBE = ["-I", "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('suture') is None)"];
const PROBE_TIMEOUT_MS = 10_000;

/**
 * In this order: the settings, the server that the extension installed, `suture` on the PATH, the Python extension's
 * interpreter, `python3`. The strategy `useBundled` leaves out what the extension did not install.
 */
export async function findCommand(
  settings: StartSettings,
  installed: string | undefined,
): Promise<ServerCommand | undefined> {
  const found = (command: string, prefix: readonly string[], source: string): ServerCommand => ({
    command,
    prefix,
    args: [...prefix, "serve", ...settings.args],
    source,
  });
  const [program, ...programArgs] = settings.path;
  if (program !== undefined) {
    return found(program, programArgs, "suture.path");
  }
  const [interpreter, ...interpreterArgs] = settings.interpreter;
  if (interpreter !== undefined) {
    return found(interpreter, [...interpreterArgs, ...MODULE], "suture.interpreter");
  }
  if (installed !== undefined) {
    return found(installed, MODULE, "installed by the extension");
  }
  if (settings.importStrategy === "useBundled") {
    return undefined;
  }
  const onPath = await findProgram("suture", [path.join(os.homedir(), ".local", "bin")]);
  if (onPath !== undefined) {
    return found(onPath, [], "suture on the PATH");
  }
  for (const [python, source] of await interpreters()) {
    if (await hasSuture(python)) {
      return found(python, MODULE, source);
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

/** The choice of the model: what `suture models` lists, with a download where the user wants one. */

import { execFile, spawn } from "node:child_process";
import * as os from "node:os";
import * as readline from "node:readline";
import * as vscode from "vscode";
import type { ServerCommand } from "./command";

/** A row of `suture models --json`. */
interface Row {
  readonly name: string;
  readonly hub: string | null;
  readonly here: boolean;
  readonly parameters: number | null;
  readonly bytes: number | null;
  readonly licence: string | null;
  readonly note: string;
}

const EMBEDDED = "embedded";

export async function selectModel(server: ServerCommand): Promise<void> {
  const config = vscode.workspace.getConfiguration("suture");
  const active = config.get<string>("model") || undefined;
  type Choice = vscode.QuickPickItem & { row?: Row; folder?: true };
  const list = async (): Promise<Choice[]> => {
    const rows = await listModels(server);
    return [
      ...rows.map((row) => ({ label: row.name, ...describe(row, active), row })),
      { label: "$(folder) Another folder…", folder: true as const, alwaysShow: true },
    ];
  };
  const options = { title: "Suture: the model that makes suggestions", matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(list(), options);
  if (chosen?.folder) {
    const folders = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false });
    if (folders?.[0] !== undefined) {
      await config.update("model", folders[0].fsPath, vscode.ConfigurationTarget.Global);
    }
  } else if (chosen?.row !== undefined && (chosen.row.here || (await pull(server, chosen.row)))) {
    const name = chosen.row.name === EMBEDDED ? undefined : chosen.row.name;
    await config.update("model", name, vscode.ConfigurationTarget.Global);
  }
}

function describe(row: Row, active: string | undefined): { description: string; detail: string } {
  const isActive = active === undefined ? row.name === EMBEDDED : active === row.name || active === row.hub;
  const parts = [row.bytes === null ? "" : size(row.bytes), row.licence ?? "", row.note];
  return {
    description: [isActive ? "in use" : "", row.here ? "" : "to be downloaded"].filter(Boolean).join(", "),
    detail: parts.filter(Boolean).join(", "),
  };
}

function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

function listModels(server: ServerCommand): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const args = [...server.prefix, "models", "--json"];
    execFile(server.command, args, { cwd: os.homedir(), timeout: 60_000, windowsHide: true }, (error, stdout) => {
      if (error === null) {
        resolve(JSON.parse(stdout) as Row[]);
      } else {
        reject(new Error(`Suture's models cannot be listed: ${error.message}`));
      }
    });
  });
}

/** Downloads a model after asking; true when it is here. */
async function pull(server: ServerCommand, row: Row): Promise<boolean> {
  const download = "Download";
  const much = row.bytes === null ? "" : `About ${size(row.bytes)}. `;
  const detail = `${much}${row.licence === null ? "" : `Licence: ${row.licence}. `}From the Hugging Face hub: ${row.hub ?? row.name}.`;
  if ((await vscode.window.showInformationMessage(`Download ${row.name}?`, { modal: true, detail }, download)) !== download) {
    return false;
  }
  const location = vscode.ProgressLocation.Notification;
  const title = `Downloading ${row.name}`;
  return vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
    return new Promise<boolean>((resolve) => {
      const args = [...server.prefix, "models", "pull", row.name];
      const child = spawn(server.command, args, { cwd: os.homedir(), windowsHide: true, stdio: ["ignore", "ignore", "pipe"] });
      token.onCancellationRequested(() => child.kill());
      let last = "";
      // A progress bar is drawn over itself with carriage returns, which readline takes for ends of lines.
      readline.createInterface({ input: child.stderr }).on("line", (line) => {
        last = line.trim() || last;
        progress.report({ message: /\d+%/.exec(last)?.[0] ?? last.slice(0, 60) });
      });
      child.on("error", (error) => {
        last = error.message;
      });
      child.on("close", (code) => {
        if (code !== 0 && !token.isCancellationRequested) {
          void vscode.window.showErrorMessage(last.replace(/^suture: /, ""));
        }
        resolve(code === 0);
      });
    });
  });
}

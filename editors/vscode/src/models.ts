/** The choice of the model: what `suture models` lists, with what is missing shown before, and a download where the user wants one. */

import { execFile, spawn } from "node:child_process";
import * as os from "node:os";
import * as readline from "node:readline";
import * as vscode from "vscode";
import type { ServerCommand } from "./command";
import { runInTerminal } from "./problems";

/** A row of `suture models --json`; an older server says less. */
interface Row {
  readonly name: string;
  readonly hub: string | null;
  readonly active: boolean;
  readonly here: boolean;
  readonly bytes: number | null;
  readonly licence: string | null;
  readonly note: string;
  readonly recommended?: boolean;
  readonly wait_ms?: number | null;
  readonly commercial?: boolean | null;
  readonly install?: string | null;
}

type Choice = vscode.QuickPickItem & { row?: Row; ask?: () => Promise<string | undefined> };

export async function selectModel(server: ServerCommand): Promise<void> {
  const options = { title: "Suture: the model that makes suggestions", matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(choices(server), options);
  if (chosen?.ask !== undefined) {
    const name = await chosen.ask();
    if (name !== undefined) {
      await use(server, name);
    }
  } else if (chosen?.row !== undefined) {
    const { row } = chosen;
    const ready = (await installed(row.name, row.install)) && (row.here || (await pull(server, row)));
    if (ready) {
      await use(server, row.name);
    }
  }
}

async function choices(server: ServerCommand): Promise<Choice[]> {
  const rows = JSON.parse(await run(server, ["models", "--json"], 60_000)) as Row[];
  // What a setting of the editor says goes before what `suture models` knows.
  const setting = vscode.workspace.getConfiguration("suture").get<string>("model") || undefined;
  const item = (row: Row): Choice => ({ ...describe(row, setting), row });
  const separator = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const first = rows.filter((row) => row.recommended);
  const others = rows.filter((row) => !row.recommended);
  return [
    ...(first.length > 0 ? [separator("suits this machine"), ...first.map(item)] : []),
    separator("on this machine"),
    ...others.filter((row) => row.here).map(item),
    own("$(file-binary) GGUF file…", "llama.cpp runs it", () => openFile(false), needs(rows, true)),
    own("$(folder) Folder…", "A model in safetensors; PyTorch runs it", () => openFile(true), needs(rows, false)),
    own("$(server) Server address…", "llama.cpp, Ollama, vLLM and the like", askAddress),
    separator("to be downloaded"),
    ...others.filter((row) => !row.here).map(item),
  ];
}

/** A model that is not in the list. */
function own(label: string, detail: string, ask: () => Promise<string | undefined>, install: string | null = null): Choice {
  const first = async () => ((await installed("This model", install)) ? ask() : undefined);
  return { label, detail: install ? `${detail}, which has to be installed first` : detail, ask: first, alwaysShow: true };
}

/** What has to be installed for GGUF files, or for models in safetensors, by what the presets of that kind need. */
function needs(rows: readonly Row[], gguf: boolean): string | null {
  return rows.find((row) => row.hub !== null && row.hub.toLowerCase().endsWith("gguf") === gguf)?.install ?? null;
}

function describe(row: Row, setting: string | undefined): vscode.QuickPickItem {
  const isActive = setting === undefined ? row.active : setting === row.name || setting === row.hub;
  // The heading above it says the rest.
  const marks = [isActive ? "in use" : "", row.recommended && !row.here ? "to be downloaded" : ""];
  const wait = typeof row.wait_ms === "number" ? `a suggestion in about ${(Math.max(row.wait_ms, 100) / 1000).toFixed(1)} s` : "";
  const licence = `${row.licence ?? ""}${row.commercial === false && !row.note.includes("commercial") ? ", no commercial use" : ""}`;
  const missing = row.install ? "something has to be installed first" : "";
  return {
    label: row.recommended ? `$(star-full) ${row.name}` : row.name,
    description: marks.filter(Boolean).join(", "),
    detail: [row.bytes === null ? "" : size(row.bytes), licence, wait, row.note, missing].filter(Boolean).join(", "),
  };
}

function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

async function openFile(folder: boolean): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFolders: folder,
    canSelectFiles: !folder,
    ...(folder ? {} : { filters: { "GGUF files": ["gguf"] } }),
  });
  return chosen?.[0]?.fsPath;
}

function askAddress(): Promise<string | undefined> {
  return Promise.resolve(
    vscode.window.showInputBox({
      title: "The address of a model's server",
      prompt: "Code around the cursor is sent there. Behind # may stand the model's name.",
      placeHolder: "http://127.0.0.1:8080/v1#name",
      validateInput: (text) => (/^https?:\/\/\S+$/.test(text) ? undefined : "An address begins with http:// or https://"),
    }),
  );
}

/** Installs what a model needs, after asking; true when nothing is missing any more. */
async function installed(name: string, command: string | null | undefined): Promise<boolean> {
  if (!command) {
    return true;
  }
  const install = "Install";
  const detail = `This is run in a terminal:\n\n${command}`;
  const question = `${name} needs something that is not installed yet.`;
  if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, install)) !== install) {
    return false;
  }
  return runInTerminal(command);
}

/** Loads a model once, and makes it the one that all editors use; running servers follow by themselves. */
async function use(server: ServerCommand, name: string): Promise<void> {
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title: `Trying ${name}…` }, () => run(server, ["models", "use", name], 900_000));
  const config = vscode.workspace.getConfiguration("suture");
  if (config.inspect("model")?.globalValue !== undefined) {
    await config.update("model", undefined, vscode.ConfigurationTarget.Global); // it would override the choice
  }
}

/** Downloads a model after asking; true when it is here. */
async function pull(server: ServerCommand, row: Row): Promise<boolean> {
  const download = "Download";
  const much = row.bytes === null ? "" : `About ${size(row.bytes)}. `;
  const terms = row.commercial === false ? " (no commercial use)" : "";
  const licence = row.licence === null ? "" : `Licence: ${row.licence}${terms}. `;
  const detail = `${much}${licence}From the Hugging Face hub: ${row.hub ?? row.name}.`;
  if ((await vscode.window.showInformationMessage(`Download ${row.name}?`, { modal: true, detail }, download)) !== download) {
    return false;
  }
  for (;;) {
    try {
      return await fetch(server, row);
    } catch (error) {
      const [again, other] = ["Try Again", "Choose Another Model"];
      const message = `Suture: ${error instanceof Error ? error.message : String(error)}`;
      const said = await vscode.window.showErrorMessage(message, again, other);
      if (said === other) {
        await vscode.commands.executeCommand("suture.selectModel");
      }
      if (said !== again) {
        return false;
      }
    }
  }
}

/** Downloads a model, how far it is in a notification; false where the user has stopped that. */
function fetch(server: ServerCommand, row: Row): Thenable<boolean> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title: `Downloading ${row.name}`, cancellable: true }, (progress, token) => {
    return new Promise<boolean>((resolve, reject) => {
      const args = [...server.prefix, "models", "pull", row.name];
      const child = spawn(server.command, args, { cwd: os.homedir(), windowsHide: true, stdio: ["ignore", "ignore", "pipe"] });
      token.onCancellationRequested(() => child.kill());
      let last = "";
      // A progress bar is drawn over itself with carriage returns, which readline takes for ends of lines.
      readline.createInterface({ input: child.stderr }).on("line", (line) => {
        last = line.trim() || last;
        progress.report({ message: /\d+%/.exec(last)?.[0] ?? last.slice(0, 60) });
      });
      child.on("error", reject);
      child.on("close", (code) => {
        if (code === 0 || token.isCancellationRequested) {
          resolve(code === 0);
        } else {
          reject(new Error(last.replace(/^suture: /, "")));
        }
      });
    });
  });
}

/** What a command of the command line prints; its last line of complaints is the error. */
function run(server: ServerCommand, words: readonly string[], timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = [...server.prefix, ...words];
    execFile(server.command, args, { cwd: os.homedir(), timeout, windowsHide: true }, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
      } else {
        const said = stderr.trim().split("\n").at(-1) ?? "";
        reject(new Error(said.replace(/^suture: /, "") || error.message));
      }
    });
  });
}

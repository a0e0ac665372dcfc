/** Installs the server that comes with the extension into an environment of its own, when the user asks for it. */

import { execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as readline from "node:readline";
import * as vscode from "vscode";
import { findProgram } from "./programs";

const WINDOWS = process.platform === "win32";
// Newest first, but none that PyTorch may not have been built for yet.
const PYTHONS = ["python3.13", "python3.12", "python3.11", "python3.14", "python3", "python"];
const OLDEST: readonly [number, number] = [3, 11];
// What of pip's lines tells a person how far it is.
const PROGRESS = /^(Collecting|Downloading|Building|Installing) /;
const CPU_INDEX = "https://download.pytorch.org/whl/cpu";

export class Installation {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  private get folder(): string {
    return path.join(this.context.globalStorageUri.fsPath, "server");
  }

  private get python(): string {
    return path.join(this.folder, ...(WINDOWS ? ["Scripts", "python.exe"] : ["bin", "python"]));
  }

  /** Written last, so that half an installation is none. */
  private get mark(): string {
    return path.join(this.folder, "suture-version");
  }

  /** The interpreter of the installed server; undefined when there is none, or one of another version of the extension. */
  async interpreter(): Promise<string | undefined> {
    try {
      const version = await fs.readFile(this.mark, "utf8");
      await fs.access(this.python, constants.X_OK);
      return version === this.version ? this.python : undefined;
    } catch {
      return undefined;
    }
  }

  private get version(): string {
    return String(this.context.extension.packageJSON.version);
  }

  /** The wheel that comes with the extension. */
  private async wheel(): Promise<string | undefined> {
    const folder = path.join(this.context.extensionPath, "bundled");
    try {
      const names = await fs.readdir(folder);
      const name = names.find((each) => each.endsWith(".whl"));
      return name === undefined ? undefined : path.join(folder, name);
    } catch {
      return undefined;
    }
  }

  /** Asks what is to be downloaded, and installs; `begun` is called in between. True when the server is there afterwards. */
  async install(begun: () => void): Promise<boolean> {
    const wheel = await this.wheel();
    const base = await findPython();
    if (wheel === undefined || base === undefined) {
      const reason =
        wheel === undefined
          ? "this build of the extension has no server in it"
          : `it needs Python ${OLDEST.join(".")} or newer, and there is none on the PATH`;
      void vscode.window.showErrorMessage(`Suture's server cannot be installed: ${reason}.`);
      return false;
    }
    const torch = await chooseTorch();
    if (torch === undefined) {
      return false;
    }
    begun();
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "Installing Suture's server", cancellable: true },
        async (progress, token) => {
          const run = (what: string, program: string, args: string[]) =>
            this.run(program, args, what, progress, token);
          await fs.rm(this.folder, { recursive: true, force: true });
          await fs.mkdir(path.dirname(this.folder), { recursive: true });
          await run("making an environment", base, ["-m", "venv", this.folder]);
          const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"];
          await run("downloading PyTorch", this.python, [...pip, ...torch, "torch"]);
          await run("downloading the rest", this.python, [...pip, wheel]);
          await fs.writeFile(this.mark, this.version);
        },
      );
      return true;
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        const message = error instanceof Error ? error.message : String(error);
        this.log.error(message);
        void vscode.window.showErrorMessage(`Suture's server could not be installed: ${message}`, "Show Logs").then(
          (chosen) => chosen && this.log.show(),
        );
      }
      await fs.rm(this.folder, { recursive: true, force: true }).catch(() => undefined);
      return false;
    }
  }

  /** Runs a program, its lines in the log and the last of them in the notification. */
  private run(
    program: string,
    args: readonly string[],
    what: string,
    progress: vscode.Progress<{ message: string }>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    progress.report({ message: what });
    this.log.info([program, ...args].join(" "));
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
      const cancel = token.onCancellationRequested(() => child.kill());
      let last = "";
      for (const stream of [child.stdout, child.stderr]) {
        readline.createInterface({ input: stream }).on("line", (line) => {
          this.log.info(line);
          const said = line.trim();
          if (said !== "" && !said.startsWith("WARNING")) {
            last = said;
          }
          if (PROGRESS.test(said)) {
            progress.report({ message: `${what}: ${said.slice(0, 60)}` });
          }
        });
      }
      child.on("error", reject);
      child.on("close", (code) => {
        cancel.dispose();
        if (token.isCancellationRequested) {
          reject(new vscode.CancellationError());
        } else if (code === 0) {
          resolve();
        } else {
          reject(new Error(`${what} failed: ${last}`));
        }
      });
    });
  }
}

/** Arguments for pip; undefined when the user thinks better of it. */
async function chooseTorch(): Promise<string[] | undefined> {
  const cpu = { label: "For the CPU", detail: "About 200 MB to download; enough for the small model that comes along.", args: [] as string[] };
  if (process.platform !== "linux") {
    const install = "Install";
    const detail = "PyTorch and some smaller packages are downloaded from PyPI, about 200 MB, into a folder of the extension's own.";
    const chosen = await vscode.window.showInformationMessage("Install Suture's server?", { modal: true, detail }, install);
    return chosen === install ? [] : undefined;
  }
  // PyPI's own build for Linux brings CUDA along.
  const cuda = { label: "With CUDA, for NVIDIA GPUs", detail: "Several GB to download; for larger models.", args: [] as string[] };
  const choices = [{ ...cpu, args: ["--index-url", CPU_INDEX] }, cuda];
  const chosen = await vscode.window.showQuickPick(choices, {
    title: "Install Suture's server: which PyTorch?",
    placeHolder: "It is downloaded into a folder of the extension's own.",
    ignoreFocusOut: true,
  });
  return chosen?.args;
}

/** The first Python that is new enough, and can make environments. */
async function findPython(): Promise<string | undefined> {
  for (const name of PYTHONS) {
    const python = await findProgram(name, []);
    if (python !== undefined && (await isFit(python))) {
      return python;
    }
  }
  return undefined;
}

function isFit(python: string): Promise<boolean> {
  const probe = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${OLDEST.join(", ")}))`;
  return new Promise((resolve) => {
    execFile(python, ["-I", "-c", probe], { timeout: 10_000, windowsHide: true }, (error) => resolve(error === null));
  });
}

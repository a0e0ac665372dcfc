/** Installs the server that comes with the extension into an environment of its own, when the user asks for it. */

import { execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as readline from "node:readline";
import * as vscode from "vscode";
import { findProgram } from "./programs";
import { readTorchSettings } from "./settings";

const WINDOWS = process.platform === "win32";
// Newest first, but none that PyTorch may not have been built for yet.
const PYTHONS = ["python3.13", "python3.12", "python3.11", "python3.14", "python3", "python"];
const OLDEST: readonly [number, number] = [3, 11];

/** What `setup_environment.py --plan` says of a choice of PyTorch. */
interface Plan {
  readonly build: "cpu" | "cuda" | "pypi";
  readonly in_words: string;
}

/** A line of `setup_environment.py --json`: how far a step is, or something to say. */
interface Line {
  readonly say?: string;
  readonly step?: string;
  readonly detail?: string;
  readonly done?: number;
  readonly total?: number;
}

/** What comes with the extension: the server's package, the versions of all others, and the script that installs them. */
interface Bundle {
  readonly wheel: string;
  readonly constraints: string;
  readonly hashes: string;
  readonly script: string;
}

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

  private async bundle(): Promise<Bundle | undefined> {
    const folder = path.join(this.context.extensionPath, "bundled");
    try {
      const names = await fs.readdir(folder);
      const wheel = names.find((each) => each.endsWith(".whl"));
      const [constraints, script, hashes] = ["constraints.txt", "setup_environment.py", "hashes.txt"];
      if (wheel === undefined || ![constraints, script, hashes].every((each) => names.includes(each))) {
        return undefined;
      }
      return {
        wheel: path.join(folder, wheel),
        constraints: path.join(folder, constraints),
        hashes: path.join(folder, hashes),
        script: path.join(folder, script),
      };
    } catch {
      return undefined;
    }
  }

  /** Asks what is to be downloaded, and installs; `begun` is called in between. True when the server is there afterwards. */
  async install(begun: () => void): Promise<boolean> {
    const bundle = await this.bundle();
    const base = await findPython();
    if (bundle === undefined || base === undefined) {
      const reason =
        bundle === undefined
          ? "this build of the extension has no server in it"
          : `it needs Python ${OLDEST.join(".")} or newer, and there is none on the PATH`;
      void vscode.window.showErrorMessage(`Suture's server cannot be installed: ${reason}.`);
      return false;
    }
    const chosen = await choosePackages(base, bundle, this.folder).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(`Suture's server cannot be installed: ${reason}`);
      return undefined;
    });
    if (chosen === undefined) {
      return false;
    }
    begun();
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "Installing Suture's server", cancellable: true },
        async (progress, token) => {
          await fs.rm(this.folder, { recursive: true, force: true });
          await fs.mkdir(path.dirname(this.folder), { recursive: true });
          const args = ["-I", bundle.script, this.folder, "-c", bundle.constraints, "--hashes", bundle.hashes, "--json", ...chosen];
          await this.run(base, args, progress, token);
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

  /** Runs the script, its lines in the log and how far it is in the notification. */
  private run(
    program: string,
    args: readonly string[],
    progress: vscode.Progress<{ message: string }>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    this.log.info([program, ...args].join(" "));
    return new Promise((resolve, reject) => {
      // A group of its own: the script's own programs end with it.
      const child = spawn(program, args, {
        cwd: os.homedir(),
        stdio: ["ignore", "pipe", "pipe"],
        windowsHide: true,
        detached: !WINDOWS,
      });
      const cancel = token.onCancellationRequested(() => {
        if (!WINDOWS && child.pid !== undefined) {
          process.kill(-child.pid);
        } else {
          child.kill();
        }
      });
      const wrong: string[] = [];
      let step = "";
      readline.createInterface({ input: child.stdout }).on("line", (text) => {
        const line = readLine(text);
        if (line.say !== undefined || line.step !== step) {
          this.log.info(line.say ?? line.step ?? text);
        }
        step = line.step ?? step;
        progress.report({ message: line.say ?? inWords(line) });
      });
      readline.createInterface({ input: child.stderr }).on("line", (text) => {
        this.log.error(text);
        wrong.push(text.trim());
      });
      child.on("error", reject);
      child.on("close", (code) => {
        cancel.dispose();
        if (token.isCancellationRequested) {
          reject(new vscode.CancellationError());
        } else if (code === 0) {
          resolve();
        } else {
          reject(new Error(wrong.filter((each) => each !== "" && !each.startsWith("WARNING")).slice(-4).join(" ")));
        }
      });
    });
  }
}

function readLine(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { say: text };
  }
}

/** How far a step is, for people. */
function inWords(line: Line): string {
  const detail = line.detail ? `: ${line.detail}` : "";
  const { done = 0, total = 0 } = line;
  const share = total > 0 ? ` ${Math.floor((100 * done) / total)} % of ${Math.max(1, Math.round(total / 1e6))} MB` : "";
  return `${line.step ?? ""}${detail}${share}`;
}

/** Asks what is to be installed, sizes said, and gives the script's arguments for it; undefined when the user thinks better of it. */
async function choosePackages(
  python: string,
  bundle: Bundle,
  folder: string,
): Promise<string[] | undefined> {
  const { torch, index } = readTorchSettings();
  const argumentsFor = (build: string) =>
    build === "none"
      ? ["--llama-cpp", bundle.wheel]
      : ["--llama-cpp", "--torch", build, "--torch-index", index, `${bundle.wheel}[torch]`];
  const planOf = (build: string) => planFor(python, [bundle.script, folder, "--plan", ...argumentsFor(build)]);
  const plan = await planOf(torch);
  if (process.platform !== "linux" || torch !== "auto" || index !== "") {
    const install = "Install";
    const detail = `${plan.in_words} All of it goes into a folder of the extension's own.`;
    const chosen = await vscode.window.showInformationMessage("Install Suture's server?", { modal: true, detail }, install);
    return chosen === install ? argumentsFor(torch) : undefined;
  }
  const other = await planOf(plan.build === "cpu" ? "cuda" : "cpu");
  const choices = [plan, other].map(({ build, in_words }) => ({
    label: build === "cpu" ? "For the CPU" : "With CUDA, for NVIDIA GPUs",
    detail: in_words,
    build,
  }));
  const chosen = await vscode.window.showQuickPick(choices, {
    title: "Install Suture's server: which PyTorch?",
    placeHolder: "It is downloaded into a folder of the extension's own. The first suits this machine.",
    ignoreFocusOut: true,
  });
  return chosen && argumentsFor(chosen.build);
}

function planFor(python: string, args: readonly string[]): Promise<Plan> {
  return new Promise((resolve, reject) => {
    execFile(python, ["-I", ...args], { cwd: os.homedir(), timeout: 60_000, windowsHide: true }, (error, stdout, stderr) => {
      if (error === null) {
        resolve(JSON.parse(stdout) as Plan);
      } else {
        reject(new Error(stderr.trim() || error.message));
      }
    });
  });
}

/** The first Python that is new enough, and can make environments. */
async function findPython(): Promise<string | undefined> {
  for (const name of PYTHONS) {
    const python = await findProgram(name, []);
    if (python !== undefined && (await isFit(python))) {
      return python;
    }
  }
  const launched = await launchedPython();
  return launched !== undefined && (await isFit(launched)) ? launched : undefined;
}

/** The interpreter that the launcher `py` starts: installers for Windows put it on the PATH, and Python itself only if asked to. */
async function launchedPython(): Promise<string | undefined> {
  const launcher = WINDOWS ? await findProgram("py", []) : undefined;
  if (launcher === undefined) {
    return undefined;
  }
  return new Promise((resolve) => {
    const args = ["-3", "-I", "-c", "import sys; print(sys.executable)"];
    execFile(launcher, args, { cwd: os.homedir(), timeout: 10_000, windowsHide: true }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : undefined),
    );
  });
}

function isFit(python: string): Promise<boolean> {
  const probe = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${OLDEST.join(", ")}))`;
  return new Promise((resolve) => {
    execFile(python, ["-I", "-c", probe], { cwd: os.homedir(), timeout: 10_000, windowsHide: true }, (error) =>
      resolve(error === null),
    );
  });
}

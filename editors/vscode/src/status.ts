/** The status bar item: what the server is doing, and the way to the menu. */

import * as vscode from "vscode";
import { enabledFor, LANGUAGES, LIMITED, setEnabled, silence } from "./settings";

export type ServerState = "installing" | "starting" | "running" | "stopped" | "failed" | "missing";

/** What `suture/status` says. */
export interface ServerStatus {
  readonly state: "loading" | "ready" | "generating" | "idle" | "off" | "snoozed" | "away" | "error";
  readonly message: string;
  readonly what_to_do?: string;
  readonly model?: string | null;
  readonly download?: string;
  readonly details?: string;
  readonly install?: string;
  /** The model that wrote what was suggested last, where it stood in for the user's. */
  readonly wrote?: string;
  /** Asking has a text at the cursor that is not certain enough to be shown by itself. */
  readonly more?: boolean;
  /** What is known of suggestions in the languages that are on without an exact engine. */
  readonly guarantees?: Readonly<Record<string, "checked" | "none">>;
}

const IN_WORDS = {
  checked: "Checked by tree-sitter, not exact: a few wrong suggestions pass",
  none: "Suggestions are not checked",
};

// A suggestion that comes sooner than this is not worth a flicker in the status bar.
const BUSY_AFTER_MS = 400;

const MAC = process.platform === "darwin";
const KEYS = MAC
  ? "Tab accepts, ⌘→ the next word, ⌘End the next line; ⌥\\ asks, Esc dismisses"
  : "Tab accepts, Ctrl+→ the next word, Ctrl+End the next line; Alt+\\ asks, Esc dismisses";

// A server that says nothing of itself for so long never will.
const SILENCE_MS = 3000;

export class Status implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly listeners: vscode.Disposable[];
  private state: ServerState = "stopped";
  private detail = "";
  private server: ServerStatus | undefined;
  private silent = false;
  private readonly begun = new vscode.EventEmitter<void>();
  /** Fires when the server has begun to run. */
  readonly onRunning = this.begun.event;
  private readonly told = new Map<string, boolean>();
  private waiting = 0;
  private busy = false;
  private lastWait = "";

  constructor() {
    this.item = vscode.window.createStatusBarItem("status", vscode.StatusBarAlignment.Right, 100);
    this.item.name = "Suture";
    this.item.command = "suture.menu";
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(() => this.draw()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("suture") && this.draw()),
    ];
    this.draw();
  }

  get serverState(): ServerState {
    return this.state;
  }

  /** The command line that installs what the chosen model needs; "" where nothing is missing. */
  get install(): string {
    return this.server?.install ?? "";
  }

  get downloading(): boolean {
    return Boolean(this.server?.download);
  }

  /** Whether there is a server to start, be it that it does not run. */
  get found(): boolean {
    return this.runs || this.state === "starting" || this.state === "failed";
  }

  get runs(): boolean {
    return this.state === "running";
  }

  get snoozed(): boolean {
    return this.server?.state === "snoozed";
  }

  set(state: ServerState, detail = ""): void {
    this.state = state;
    this.detail = detail;
    if (state !== "running") {
      this.server = undefined;
    }
    // Before the server has said that it is ready it has not yet asked to be told of keystrokes.
    this.silent = state === "running" && this.server === undefined;
    if (this.silent) {
      setTimeout(() => {
        this.silent = false;
        this.draw();
      }, SILENCE_MS);
    }
    this.draw();
    if (state === "running") {
      this.begun.fire();
    }
  }

  /** Takes what the server says of itself; an old one says nothing. */
  setServer(status: ServerStatus): void {
    this.server = status;
    this.draw();
  }

  /** Takes how long the user has waited for a suggestion. */
  waited(ms: number): void {
    this.lastWait = `The last suggestion took ${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`;
    this.draw();
  }

  /** Tells VS Code which commands have something to do. */
  private tellContext(): void {
    for (const name of ["found", "runs", "snoozed", "downloading"] as const) {
      if (this.told.get(name) !== this[name]) {
        this.told.set(name, this[name]);
        void vscode.commands.executeCommand("setContext", `suture.${name}`, this[name]);
      }
    }
  }

  /** Shows that a suggestion is being made, when it takes long enough to be noticed. */
  async whileBusy<T>(work: () => T | PromiseLike<T>): Promise<T> {
    this.waiting += 1;
    const timer = setTimeout(() => {
      this.busy = true;
      this.draw();
    }, BUSY_AFTER_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      this.waiting -= 1;
      if (this.waiting === 0 && this.busy) {
        this.busy = false;
        this.draw();
      }
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners, this.item, this.begun).dispose();
  }

  private draw(): void {
    this.tellContext();
    const document = vscode.window.activeTextEditor?.document;
    const guarantee = this.server?.guarantees?.[document?.languageId ?? ""];
    const inexact = document !== undefined && LIMITED.includes(document.languageId);
    const known = document !== undefined && LANGUAGES.includes(document.languageId) && (!inexact || guarantee !== undefined);
    const silent = document !== undefined && enabledFor(document) ? silence(document, this.runs ? this.server?.guarantees : undefined) : "";
    if (silent !== "" && this.state !== "failed") {
      this.item.text = "$(circle-slash) Suture";
      this.item.tooltip = `Suture: ${silent}`;
      this.item.accessibilityInformation = { label: `Suture, ${silent}` };
      this.item.backgroundColor = undefined;
      this.item.show();
      return;
    }
    if (!known && this.state !== "failed") {
      this.item.hide();
      return;
    }
    const off = document !== undefined && known && !enabledFor(document);
    const [icon, text] = this.face(off);
    const limited = off || guarantee === undefined ? "" : IN_WORDS[guarantee];
    this.item.text = limited === "" ? `$(${icon}) Suture` : `$(${icon}) Suture (${guarantee === "none" ? "unchecked" : guarantee})`;
    const percent = /\d+ %/.exec(this.server?.download ?? "")?.[0];
    if (percent !== undefined && !off) {
      this.item.text = `$(cloud-download) Suture ${percent}`;
    }
    const { model, download = "", details = "" } = this.server ?? {};
    const wrote = off ? "" : (this.server?.wrote ?? "");
    if (wrote !== "") {
      this.item.text += ` (by ${wrote})`;
    }
    const more = !off && this.server?.more === true;
    if (more) {
      this.item.text += " …";
    }
    const used = wrote !== "" ? `The last suggestion is by the model ${wrote}` : model ? `Model: ${model}` : "";
    const lines = [`Suture: ${text}`, limited, this.server?.what_to_do ?? "", download, this.detail, used, details];
    if (more) {
      lines.push(`${MAC ? "⌥" : "Alt+"}\\ shows a text that is less certain`);
    }
    if (this.runs && !off) {
      lines.push(this.lastWait, KEYS);
    }
    this.item.tooltip = lines.filter((line) => line !== "").join("\n");
    this.item.accessibilityInformation = { label: ["Suture", text, limited, off ? "" : download].filter(Boolean).join(", ") };
    const wrong = this.state === "failed" || this.state === "missing" || this.server?.state === "error";
    this.item.backgroundColor =
      wrong && !off ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  private face(off: boolean): [icon: string, text: string] {
    if (off) {
      return ["circle-slash", "suggestions are off"];
    }
    switch (this.state) {
      case "installing":
        return ["loading~spin", "the server is being installed"];
      case "starting":
        return ["loading~spin", "the server starts"];
      case "running":
        return this.runningFace();
      case "stopped":
        return ["debug-pause", "the server is stopped"];
      case "failed":
        return ["warning", "the server does not run"];
      case "missing":
        return ["warning", "the server is not installed; click to install it"];
    }
  }

  private runningFace(): [icon: string, text: string] {
    switch (this.server?.state) {
      case "loading":
        return ["loading~spin", this.server.message];
      case "error":
      case "away":
        return ["warning", this.server.message];
      case "snoozed":
        return ["bell-slash", this.server.message];
      case "off":
        return ["circle-slash", this.server.message];
      default:
        if (this.server === undefined && this.silent) {
          return ["loading~spin", "the server starts"];
        }
        // Also an older server, which says nothing of itself.
        return this.busy ? ["loading~spin", "making a suggestion"] : ["sparkle", "ready"];
    }
  }
}

/** The menu behind the status bar item. */
export async function showMenu(status: Status): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const language = document && LANGUAGES.includes(document.languageId) ? document.languageId : undefined;
  const on = document === undefined || enabledFor(document);
  type Choice = vscode.QuickPickItem & { run: () => Thenable<unknown> };
  const choices: Choice[] = [];
  if (status.serverState === "missing") {
    const detail = "The one that comes with the extension, into a folder of the extension's own.";
    const run = () => vscode.commands.executeCommand("suture.installServer");
    choices.push({ label: "$(cloud-download) Install server…", detail, run });
  }
  choices.push(
    {
      label: on ? "$(circle-slash) Turn suggestions off" : "$(sparkle) Turn suggestions on",
      run: () => setEnabled(!on, language),
    },
  );
  if (language !== undefined && on) {
    choices.push({
      label: `$(circle-slash) Turn suggestions off for ${language}`,
      run: async () =>
        vscode.workspace
          .getConfiguration("suture", { languageId: language })
          .update("enable", false, vscode.ConfigurationTarget.Global, true),
    });
  }
  const command = (label: string, name: string, ...args: unknown[]): Choice => ({
    label,
    run: () => vscode.commands.executeCommand(name, ...args),
  });
  choices.push(
    ...(status.runs && !status.snoozed ? [command("$(bell-slash) Snooze…", "suture.snooze")] : []),
    ...(status.snoozed ? [command("$(bell) End the snooze", "suture.endSnooze")] : []),
    command("$(chip) Choose the model…", "suture.selectModel"),
    ...(status.downloading ? [command("$(stop-circle) Stop the download", "suture.stopDownload")] : []),
    ...(status.found ? [command("$(debug-restart) Restart server", "suture.restart")] : []),
    ...(status.runs && language !== undefined ? [command("$(question) Why nothing here?", "suture.whyNothing")] : []),
    command("$(beaker) Playground", "suture.playground"),
    command("$(terminal) Terminal with the command suture", "suture.terminal"),
    command("$(output) Show logs", "suture.showLogs"),
    command("$(output) Show server logs", "suture.showServerLogs"),
    command("$(pulse) Check the installation", "suture.doctor"),
    command("$(graph) Show statistics", "suture.stats"),
    command("$(info) Show debug information", "suture.debugInformation"),
    command("$(gear) Settings", "workbench.action.openSettings", "suture."),
  );
  const chosen = await vscode.window.showQuickPick(choices, { title: `Suture (server: ${status.serverState})` });
  await chosen?.run();
}

/** The status bar item: what the server is doing, and the way to the menu. */

import * as vscode from "vscode";
import { enabledFor, LANGUAGES, setEnabled } from "./settings";

export type ServerState = "starting" | "running" | "stopped" | "failed";

// A suggestion that comes sooner than this is not worth a flicker in the status bar.
const BUSY_AFTER_MS = 400;

export class Status implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly listeners: vscode.Disposable[];
  private state: ServerState = "stopped";
  private detail = "";
  private waiting = 0;
  private busy = false;

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

  set(state: ServerState, detail = ""): void {
    this.state = state;
    this.detail = detail;
    this.draw();
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
    vscode.Disposable.from(...this.listeners, this.item).dispose();
  }

  private draw(): void {
    const document = vscode.window.activeTextEditor?.document;
    const known = document !== undefined && LANGUAGES.includes(document.languageId);
    if (!known && this.state !== "failed") {
      this.item.hide();
      return;
    }
    const off = document !== undefined && known && !enabledFor(document);
    const [icon, text] = this.face(off);
    this.item.text = `$(${icon}) Suture`;
    this.item.tooltip = this.detail === "" ? `Suture: ${text}` : `Suture: ${text}\n${this.detail}`;
    this.item.accessibilityInformation = { label: `Suture, ${text}` };
    this.item.backgroundColor =
      this.state === "failed" && !off ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  private face(off: boolean): [icon: string, text: string] {
    if (off) {
      return ["circle-slash", "suggestions are off"];
    }
    switch (this.state) {
      case "starting":
        return ["loading~spin", "the server starts"];
      case "running":
        return this.busy ? ["loading~spin", "making a suggestion"] : ["sparkle", "ready"];
      case "stopped":
        return ["debug-pause", "the server is stopped"];
      case "failed":
        return ["warning", "the server does not run"];
    }
  }
}

/** The menu behind the status bar item. */
export async function showMenu(status: Status): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const language = document && LANGUAGES.includes(document.languageId) ? document.languageId : undefined;
  const on = document === undefined || enabledFor(document);
  type Choice = vscode.QuickPickItem & { run: () => Thenable<unknown> };
  const choices: Choice[] = [
    {
      label: on ? "$(circle-slash) Turn suggestions off" : "$(sparkle) Turn suggestions on",
      run: () => setEnabled(!on, language),
    },
  ];
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
    command("$(debug-restart) Restart server", "suture.restart"),
    command("$(output) Show logs", "suture.showLogs"),
    command("$(output) Show server logs", "suture.showServerLogs"),
    command("$(info) Show debug information", "suture.debugInformation"),
    command("$(gear) Settings", "workbench.action.openSettings", "suture."),
  );
  const chosen = await vscode.window.showQuickPick(choices, { title: `Suture (server: ${status.serverState})` });
  await chosen?.run();
}

/** Entry: wires the settings, the commands, the status bar item and the server together. */

import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { NOT_FOUND, type ServerCommand } from "./command";
import { Installation } from "./install";
import { selectModel } from "./models";
import { showProblem } from "./problems";
import { Server } from "./server";
import { enabledFor, readStartSettings, setEnabled, START_SETTINGS } from "./settings";
import { PLACE_CURSOR, placeCursor } from "./snippet";
import { showMenu, Status } from "./status";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Suture", { log: true });
  const serverLog = vscode.window.createOutputChannel("Suture Server", { log: true });
  const status = new Status();
  const installer = new Installation(context, log);
  const running = new Server(log, serverLog, status, installer);
  server = running;

  const command = (name: string, run: () => unknown) => vscode.commands.registerCommand(`suture.${name}`, run);
  context.subscriptions.push(
    log,
    serverLog,
    status,
    command("restart", () => running.restart()),
    command("toggle", () => toggle()),
    command("showLogs", () => log.show()),
    command("showServerLogs", () => serverLog.show()),
    command("debugInformation", () => showDebugInformation(context, running, status)),
    command("menu", () => showMenu(status)),
    command("snooze", () => askSnooze(running)),
    command("endSnooze", () => running.snooze(0)),
    command("stopDownload", () => running.stopDownload()),
    command("selectModel", () => withServer(running, selectModel)),
    command("doctor", () => withServer(running, (server) => runInPanel(server, "doctor", "--folder", workspaceFolder()))),
    command("stats", () => withServer(running, (server) => runInPanel(server, "stats"))),
    command("playground", () => withServer(running, (server) => runInPanel(server, "playground"))),
    command("whyNothing", () => withServer(running, (server) => runAtCursor(server, ["complete"], ["--unasked"]))),
    command("whatFits", () => withServer(running, (server) => runAtCursor(server, ["check", "--explain"], []))),
    command("terminal", () => withServer(running, openTerminal)),
    command("newFile", () => openSample()),
    vscode.commands.registerCommand(PLACE_CURSOR, placeCursor),
    status.onRunning(() => tick(status)),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      if ([...opened, ...changed].some((tab) => tab.input === undefined)) {
        tick(status);
      }
    }),
    command("installServer", async () => {
      const before = status.serverState;
      if (await installer.install(() => status.set("installing"))) {
        await running.restart();
      } else if (status.serverState === "installing") {
        status.set(before);
      }
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (START_SETTINGS.some((name) => event.affectsConfiguration(name))) {
        void running.restart();
      } else if (event.affectsConfiguration("suture.enable")) {
        void running.update();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
  );
  void running.update();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

/**
 * Ticks the walkthrough's step of the server, if the server runs and the walkthrough is open.
 *
 * VS Code sees a context key change, not that it is set already when it reads the walkthrough, which it does when that is opened: so
 * the key is set a moment after, and soon taken back.
 */
function tick(status: Status): void {
  const set = (value: boolean) => vscode.commands.executeCommand("setContext", "suture.serverRuns", value);
  setTimeout(() => void set(status.serverState === "running"), 1500);
  setTimeout(() => void set(false), 3000);
}

function toggle(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const on = document
    ? enabledFor(document)
    : vscode.workspace.getConfiguration("suture").get<boolean>("enable", true);
  return setEnabled(!on, document?.languageId);
}

const SAMPLE = `def area(width, height):
    return width * height


rooms = [(3, 4), (2, 5)]
total = 0
for width, height in rooms:
    total += area(`;

/** Opens a file to type in, the cursor at its end. */
async function openSample(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "python", content: SAMPLE });
  const editor = await vscode.window.showTextDocument(document);
  const end = document.positionAt(SAMPLE.length);
  editor.selection = new vscode.Selection(end, end);
  await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
}

async function askSnooze(running: Server): Promise<void> {
  const choices = [5, 15, 60, 8 * 60].map((minutes) => ({
    label: minutes < 60 ? `${minutes} minutes` : minutes === 60 ? "an hour" : `${minutes / 60} hours`,
    minutes,
  }));
  const chosen = await vscode.window.showQuickPick(choices, { title: "No suggestions for…" });
  if (chosen !== undefined) {
    await running.snooze(chosen.minutes);
  }
}

/** Runs something that needs to know how the server is started. */
async function withServer(running: Server, run: (command: ServerCommand) => Promise<void>): Promise<void> {
  if (running.command === undefined) {
    void vscode.window.showWarningMessage(NOT_FOUND, "Install Server").then(
      (chosen) => chosen && vscode.commands.executeCommand("suture.installServer"),
    );
    return;
  }
  try {
    await run(running.command);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    running.note(message);
    void showProblem(message);
  }
}

/** The folder that the active file belongs to, or the first one; the user's own where none is open. */
function workspaceFolder(): string {
  const document = vscode.window.activeTextEditor?.document;
  const own = document && vscode.workspace.getWorkspaceFolder(document.uri);
  return (own ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? os.homedir();
}

/** Runs a command of the command line where the user sees it. */
async function runInPanel(server: ServerCommand, name: string, ...words: readonly string[]): Promise<void> {
  const execution = new vscode.ProcessExecution(server.command, [...server.prefix, name, ...words], { cwd: os.homedir() });
  const scope = vscode.TaskScope.Global;
  const task = new vscode.Task({ type: "process" }, scope, name, "Suture", execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  await vscode.tasks.executeTask(task);
}

/** Runs a command of the command line on the place of the cursor, after the file is saved. */
async function runAtCursor(server: ServerCommand, [name, ...before]: readonly [string, ...string[]], after: readonly string[]): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file" || (editor.document.isDirty && !(await editor.document.save()))) {
    void vscode.window.showWarningMessage("Suture: this needs a file that is saved.");
    return;
  }
  const { document, selection } = editor;
  const { line, character } = selection.active;
  const column = [...document.lineAt(line).text.slice(0, character)].length; // the command line counts characters
  await runInPanel(server, name, ...before, document.uri.fsPath, "--at", `${line + 1}:${column}`, ...after);
}

/** Opens a terminal in which the command `suture` is that of the server. */
async function openTerminal({ command }: ServerCommand): Promise<void> {
  const paths = [path.dirname(command), process.env["PATH"] ?? ""].join(path.delimiter);
  vscode.window.createTerminal({ name: "Suture", env: { PATH: paths } }).show();
}

/** Opens what a report of a problem needs, as a document that can be read before it is sent: no code of the user. */
async function showDebugInformation(
  context: vscode.ExtensionContext,
  running: Server,
  status: Status,
): Promise<void> {
  const information = {
    extension: context.extension.packageJSON.version,
    editor: `${vscode.env.appName} ${vscode.version}`,
    remote: vscode.env.remoteName ?? null,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    trusted: vscode.workspace.isTrusted,
    state: status.serverState,
    server: running.serverInfo ?? null,
    command: running.command ?? null,
    settings: readStartSettings(),
  };
  const content = JSON.stringify(information, null, 2);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "json", content }));
}

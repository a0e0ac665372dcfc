/** Entry: wires the settings, the commands, the status bar item and the server together. */

import * as os from "node:os";
import * as vscode from "vscode";
import { Server } from "./server";
import { enabledFor, readStartSettings, setEnabled, START_SETTINGS } from "./settings";
import { showMenu, Status } from "./status";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Suture", { log: true });
  const serverLog = vscode.window.createOutputChannel("Suture Server", { log: true });
  const status = new Status();
  const running = new Server(log, serverLog, status);
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

function toggle(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const on = document
    ? enabledFor(document)
    : vscode.workspace.getConfiguration("suture").get<boolean>("enable", true);
  return setEnabled(!on, document?.languageId);
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

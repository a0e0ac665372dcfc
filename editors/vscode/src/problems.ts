/** Messages of what went wrong, with buttons that mend it. */

import * as os from "node:os";
import * as vscode from "vscode";

/**
 * Shows an error, or a warning, with what mends it: `install` is the command line that installs what is missing, "" where nothing is.
 * It comes from the server's own status, never out of a message, which may quote a workspace.
 */
export async function showProblem(message: string, install = "", mended = async () => {}, warning = false): Promise<void> {
  const mend = "Install What Is Missing";
  const log = "Open Log";
  const buttons = [...(install === "" ? [] : [mend]), ...(warning ? [] : [log])];
  const show = warning ? vscode.window.showWarningMessage : vscode.window.showErrorMessage;
  const chosen = await show(message, ...buttons);
  if (chosen === mend && (await runInTerminal(install))) {
    await mended();
  } else if (chosen === log) {
    await vscode.commands.executeCommand("suture.showLogs");
  }
}

/** Runs a command line where the user sees it; true when it ended well. */
export async function runInTerminal(command: string): Promise<boolean> {
  const execution = new vscode.ShellExecution(command, { cwd: os.homedir() });
  const task = new vscode.Task({ type: "shell" }, vscode.TaskScope.Global, "install", "Suture", execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  const started = await vscode.tasks.executeTask(task);
  return new Promise((resolve) => {
    const ended = vscode.tasks.onDidEndTaskProcess(({ execution: one, exitCode }) => {
      if (one === started) {
        ended.dispose();
        resolve(exitCode === 0);
      }
    });
  });
}

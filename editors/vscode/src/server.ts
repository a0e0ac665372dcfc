/** The server's life: start, restart, stop, and what to do when it ends by itself. */

import * as os from "node:os";
import * as readline from "node:readline";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  MessageType,
  RevealOutputChannelOn,
  ShowMessageNotification,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { findCommand, NOT_FOUND, type ServerCommand } from "./command";
import { chosenOnly, enabledAnywhere, enabledFor, LANGUAGES, LIMITED, notificationsWanted, readStartSettings } from "./settings";
import type { Installation } from "./install";
import { ImportNote } from "./note";
import { showProblem } from "./problems";
import { Shown } from "./shown";
import type { ServerStatus, Status } from "./status";

// A server that ends by itself is started again, until it does so this often within this time.
const MAX_RESTARTS = 4;
const RESTART_WINDOW_MS = 180_000;

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private last: ServerCommand | undefined;
  private queue: Promise<void> = Promise.resolve();
  private waiting: vscode.Disposable | undefined;
  private readonly importNote = new ImportNote();
  private readonly shown = new Shown(
    (method, params) => void this.client?.sendNotification(method, params).catch(() => undefined),
    () => this.importNote.hide(),
  );

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly serverLog: vscode.LogOutputChannel,
    private readonly status: Status,
    private readonly installation: Installation,
  ) {}

  /** The command that was started last. */
  get command(): ServerCommand | undefined {
    return this.last;
  }

  get serverInfo(): { name: string; version?: string } | undefined {
    return this.client?.initializeResult?.serverInfo;
  }

  /** Starts the server if it is wanted and does not run, or stops it if it is not wanted in any language. */
  update(): Promise<void> {
    return this.enqueue(async () => {
      if (!enabledAnywhere()) {
        await this.stopNow();
      } else if (this.client === undefined) {
        await this.startNow();
      }
    });
  }

  /** Stops the server, and starts it with the settings as they are now, if it is wanted in any language. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      if (enabledAnywhere()) {
        await this.startNow();
      }
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  /** Says that there is no server once a file is open that it is for; until then nobody misses it. */
  private offerInstallation(): void {
    this.waiting?.dispose();
    this.waiting = undefined;
    const missed = (document: vscode.TextDocument) => LANGUAGES.includes(document.languageId) && !LIMITED.includes(document.languageId) && enabledFor(document);
    if (vscode.workspace.textDocuments.some(missed)) {
      this.tell(NOT_FOUND, ["Install Server", "suture.installServer"]);
      return;
    }
    this.waiting = vscode.workspace.onDidOpenTextDocument((document) => {
      if (this.status.serverState !== "missing" || missed(document)) {
        this.waiting?.dispose();
        this.waiting = undefined;
        if (this.status.serverState === "missing") {
          this.tell(NOT_FOUND, ["Install Server", "suture.installServer"]);
        }
      }
    });
  }

  dispose(): void {
    this.waiting?.dispose();
    this.importNote.dispose();
    this.shown.dispose();
    void this.stop();
  }

  /** Runs one thing after the other: a start must not overtake the stop before it. */
  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error: unknown) => this.log.error(String(error)));
    return this.queue;
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      try {
        await client.dispose();
      } catch (error) {
        this.log.warn(`The server did not stop in time: ${String(error)}`);
      }
    }
    this.status.set("stopped");
  }

  private async startNow(): Promise<void> {
    this.status.set("starting");
    const settings = readStartSettings();
    const command = await findCommand(settings, await this.installation.interpreter());
    this.last = command;
    if (command === undefined) {
      this.log.error(NOT_FOUND);
      this.status.set("missing", NOT_FOUND);
      this.offerInstallation();
      return;
    }
    this.log.info(`Starting ${[command.command, ...command.args].join(" ")} (${command.source})`);
    const client = new LanguageClient(
      "suture",
      "Suture",
      // Started at home, not in the folder that is open: nothing that lies there may change how it starts.
      { command: command.command, args: [...command.args], options: { cwd: os.homedir() } },
      this.clientOptions(settings.model),
    );
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) {
        return;
      }
      if (newState === State.Starting) {
        this.status.set("starting");
      } else if (newState === State.Running) {
        // The client says so before it has registered what the server offers; its start ends after that.
        client.start().then(
          () => this.ready(client),
          () => undefined, // said where the client was started
        );
      }
    });
    client.onNotification("suture/status", (status: ServerStatus) => {
      if (client === this.client) {
        this.status.setServer(status);
      }
    });
    // In place of the client's own, whose messages have no buttons; it is put there before the first message comes.
    client.onNotification(ShowMessageNotification.type, ({ type, message }) => {
      if (type === MessageType.Error || type === MessageType.Warning) {
        this.log.warn(message);
        const restart = () => this.restart();
        void showProblem(message, this.status.install, restart, type === MessageType.Warning);
      } else {
        void vscode.window.showInformationMessage(message);
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      await client.dispose().catch(() => undefined);
      this.fail(`Suture's server did not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Keeps the server quiet for some minutes; 0 ends that. */
  async snooze(minutes: number): Promise<void> {
    await this.client?.sendRequest("workspace/executeCommand", { command: "suture.snooze", arguments: [minutes] });
  }

  /** Ends the download of a model; what has come of it stays for the next time. */
  async stopDownload(): Promise<void> {
    await this.client?.sendRequest("workspace/executeCommand", { command: "suture.stopDownload", arguments: [] });
  }

  /** Writes a line into the log. */
  note(message: string): void {
    this.log.error(message);
  }

  private ready(client: LanguageClient): void {
    if (client === this.client) {
      const info = client.initializeResult?.serverInfo;
      this.log.info(`Running ${info?.name ?? "a server"} ${info?.version ?? ""}`);
      this.status.set("running", info?.version ? `Version ${info.version}` : "");
    }
  }

  private clientOptions(model: string): LanguageClientOptions {
    return {
      documentSelector: LANGUAGES.flatMap((language) =>
        ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ scheme, language })),
      ),
      initializationOptions: {
        statusNotification: true,
        replaceClosers: true,
        snippets: true,
        imports: true,
        workspaceTrusted: vscode.workspace.isTrusted,
        modelOffer: vscode.workspace.isTrusted && notificationsWanted(),
        ...(model === "" ? {} : { model }),
      },
      outputChannel: this.serverLog,
      traceOutputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      errorHandler: this.errorHandler(),
      stdioOptions: {
        stdout: (input, channel) => readline.createInterface({ input }).on("line", (line) => channel.info(line)),
        stderr: (input, channel) => readline.createInterface({ input }).on("line", (line) => channel.info(line)),
      },
      middleware: {
        workspace: {
          configuration: async (params, token, next) => {
            const answers = await next(params, token);
            return Array.isArray(answers)
              ? answers.map((answer, index) => {
                  const item = params.items[index];
                  return item?.section === "suture" ? chosenOnly(answer, item.scopeUri) : answer;
                })
              : answers;
          },
        },
        provideInlineCompletionItems: async (document, position, context, token, next) => {
          if (!enabledFor(document)) {
            return undefined;
          }
          const kept = this.shown.kept(document, position, context);
          if (kept !== undefined) {
            this.importNote.show(kept[0], document, position);
            return kept;
          }
          const begun = performance.now();
          const answer = await this.status.whileBusy(() => next(document, position, context, token));
          if (token.isCancellationRequested) {
            return undefined;
          }
          const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
          if (items.length > 0) {
            this.status.waited(performance.now() - begun);
          }
          this.importNote.show(items[0], document, position);
          return this.shown.offer(items, document, position, context);
        },
      },
    };
  }

  private errorHandler(): ErrorHandler {
    const ends: number[] = [];
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        const now = Date.now();
        ends.push(now);
        const recent = ends.filter((time) => now - time < RESTART_WINDOW_MS);
        if (recent.length <= MAX_RESTARTS) {
          this.log.warn("The server ended by itself; it is started again.");
          return { action: CloseAction.Restart, handled: true };
        }
        this.client = undefined;
        this.fail("Suture's server ended by itself several times and is not started again.");
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  /** Says why there is no server, in the log, the status bar and, unless that is not wanted, in a message. */
  private fail(message: string): void {
    this.log.error(message);
    this.status.set("failed", message);
    this.tell(message, ["Show Server Logs", "suture.showServerLogs"]);
  }

  /** A message with what can be done about it, unless messages are not wanted. */
  private tell(message: string, first: [label: string, command: string]): void {
    if (!notificationsWanted()) {
      return;
    }
    const choices: [label: string, command: string, ...args: unknown[]][] = [
      first,
      ["Open Settings", "workbench.action.openSettings", "suture."],
    ];
    void vscode.window.showWarningMessage(message, ...choices.map(([label]) => label)).then((chosen) => {
      const choice = choices.find(([label]) => label === chosen);
      if (choice !== undefined) {
        const [, command, ...args] = choice;
        void vscode.commands.executeCommand(command, ...args);
      }
    });
  }
}

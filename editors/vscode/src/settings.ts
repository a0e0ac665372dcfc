/** The user's settings, read when they are needed. */

import * as os from "node:os";
import * as vscode from "vscode";

/** The languages with an exact engine. */
const EXACT: readonly string[] = ["python", "go", "typescript", "typescriptreact", "javascript", "javascriptreact", "json", "slua"];

/** The languages that tree-sitter checks. */
const CHECKED: readonly string[] = [
  "rust", "java", "c", "cpp", "csharp", "ruby", "php", "shellscript", "css", "html", "yaml", "toml",
];

/** The languages without an exact engine; the server says which of them are on. Fenced code of Markdown is in its own language. */
export const LIMITED: readonly string[] = [...CHECKED, "markdown"];

/** The languages the server knows; documents of other languages are not sent to it. */
export const LANGUAGES: readonly string[] = [...EXACT, ...LIMITED];

/** Languages that people write code in, and for which there is nothing: the status bar says so. */
const UNKNOWN: readonly string[] = ["sql", "lua", "kotlin", "swift", "dart", "perl", "r", "scss", "less", "xml", "dockerfile", "makefile", "powershell"];

/** Why nothing is suggested in a document though suggestions are on; "" where something is. `on`: the languages that the server has on. */
export function silence(document: vscode.TextDocument, on: Readonly<Record<string, unknown>> | undefined): string {
  const { languageId } = document;
  if (!["file", "untitled", "vscode-notebook-cell"].includes(document.uri.scheme) || EXACT.includes(languageId)) {
    return "";
  }
  if (UNKNOWN.includes(languageId)) {
    return `Suture knows no ${languageId}`;
  }
  if (on === undefined || languageId in on || !LIMITED.includes(languageId)) {
    return "";
  }
  const set = `"suture.languages": { "${languageId}": true }`;
  if (languageId === "markdown") {
    return `off in Markdown; ${set} switches fenced code on`;
  }
  const chosen = vscode.workspace.getConfiguration("suture", document).get<Record<string, boolean>>("languages")?.[languageId];
  return chosen === false
    ? `off in ${languageId} by the setting “suture.languages”`
    : `off in ${languageId}, which the bundled model does not know; choose a larger one, or set ${set}`;
}

/** Settings that are part of how the server is started: it restarts when one changes. */
export const START_SETTINGS: readonly string[] = [
  "suture.path",
  "suture.interpreter",
  "suture.args",
  "suture.model",
  "suture.importStrategy",
];

export interface StartSettings {
  readonly path: readonly string[];
  readonly interpreter: readonly string[];
  readonly args: readonly string[];
  readonly model: string;
  readonly importStrategy: string;
}

/** Puts the values of `${workspaceFolder}`, `${userHome}`, `${env:NAME}` and a leading `~` into a setting. */
export function substitute(text: string, workspaceFolder: string | undefined): string {
  return text
    .replace(/^~(?=$|[/\\])/, os.homedir())
    .replace(/\$\{userHome\}/g, os.homedir())
    .replace(/\$\{workspaceFolder\}/g, workspaceFolder ?? "")
    .replace(/\$\{env:([^}]+)\}/g, (_match, name: string) => process.env[name] ?? "");
}

/** Whether a model's name is the address of a server. */
const isAddress = (name: string): boolean => /^\s*https?:/i.test(name);

/**
 * The model that is chosen, "" where none is. A workspace may name one on this machine; where code is sent is its user's choice alone, so
 * that an address in a workspace's settings counts as nothing.
 */
function chosenModel(config: vscode.WorkspaceConfiguration, folder: string | undefined): string {
  const made = config.inspect<string>("model");
  const named = (value: unknown): string => (typeof value === "string" ? substitute(value, folder) : "");
  const ofWorkspace = [made?.workspaceFolderValue, made?.workspaceValue]
    .filter((value) => value !== undefined)
    .map(named)
    .find((name) => !isAddress(name));
  return ofWorkspace ?? named(made?.globalValue);
}

/** Settings that a workspace makes stricter than its user has them, never laxer. */
const STRICTER: readonly string[] = [
  "languages", "disabledGlobs", "inComments", "inStrings", "contextFiles", "copying", "names", "attributes", "types", "ahead", "streaming", "offline",
];

/** The value of such a setting, from the user's and the one that VS Code gives, which may be a workspace's. */
function stricter(name: string, ofUser: unknown, given: unknown): unknown {
  if (typeof ofUser === "boolean" && typeof given === "boolean") {
    return name === "offline" ? ofUser || given : ofUser && given;
  }
  if (Array.isArray(ofUser) && Array.isArray(given)) {
    return [...new Set([...ofUser, ...given])];
  }
  if (name === "languages" && isSwitches(ofUser) && isSwitches(given)) {
    const off = Object.entries(ofUser).filter(([, on]) => !on);
    return { ...ofUser, ...given, ...Object.fromEntries(off) };
  }
  return given;
}

function isSwitches(value: unknown): value is Record<string, boolean> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readStartSettings(): StartSettings {
  const config = vscode.workspace.getConfiguration("suture");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  // A plain text instead of a list is what people write first; it is taken as a list of one.
  const list = (value: string | string[] | undefined) =>
    [value ?? []]
      .flat()
      .filter((each) => typeof each === "string" && each.trim() !== "")
      .map((each) => substitute(each, folder));
  return {
    path: list(config.get("path")),
    interpreter: list(config.get("interpreter")),
    // Among them may be a model's address, or a token: no workspace's to say.
    args: list(config.inspect<string | string[]>("args")?.globalValue),
    model: chosenModel(config, folder),
    importStrategy: config.get<string>("importStrategy") ?? "fromEnvironment",
  };
}

/**
 * Of the settings for the server those that somebody has made: a default must not override the user's own file, or a project's.
 * `values` is what the section holds for a document, or for none.
 */
export function chosenOnly(values: unknown, document: string | undefined): unknown {
  if (typeof values !== "object" || values === null) {
    return values;
  }
  const config = vscode.workspace.getConfiguration("suture", document === undefined ? null : vscode.Uri.parse(document));
  const isChosen = (name: string) => {
    const made = config.inspect(name);
    return (
      made === undefined ||
      [
        made.globalValue,
        made.workspaceValue,
        made.workspaceFolderValue,
        made.globalLanguageValue,
        made.workspaceLanguageValue,
        made.workspaceFolderLanguageValue,
      ].some((value) => value !== undefined)
    );
  };
  const chosen = Object.fromEntries(Object.entries(values).filter(([name]) => isChosen(name)));
  for (const name of STRICTER.filter((each) => each in chosen)) {
    const made = config.inspect(name);
    chosen[name] = stricter(name, made?.globalLanguageValue ?? made?.globalValue, chosen[name]);
  }
  if ("model" in chosen) {
    chosen.model = chosenModel(config, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
  }
  return chosen;
}

/** What *Install Server* takes of PyTorch; `none` where it is not wanted. */
export function readTorchSettings(): { torch: string; index: string } {
  const config = vscode.workspace.getConfiguration("suture");
  return { torch: config.get<string>("torch") || "none", index: config.get<string>("torchIndex") ?? "" };
}

/** Whether suggestions are wanted in a document, by the setting for its language. */
export function enabledFor(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration("suture", document).get<boolean>("enable", true);
}

/** Whether suggestions are wanted in any language at all; if not, no server is needed. */
export function enabledAnywhere(): boolean {
  return LANGUAGES.some((languageId) =>
    vscode.workspace.getConfiguration("suture", { languageId }).get<boolean>("enable", true),
  );
}

export function notificationsWanted(): boolean {
  return vscode.workspace.getConfiguration("suture").get<string>("showNotifications", "onError") !== "off";
}

/** Turns suggestions on or off, in the place where the setting that holds for a language now was made. */
export async function setEnabled(enable: boolean, languageId: string | undefined): Promise<void> {
  const config = vscode.workspace.getConfiguration("suture", languageId ? { languageId } : undefined);
  const made = config.inspect<boolean>("enable");
  const forLanguage = made?.workspaceLanguageValue !== undefined || made?.globalLanguageValue !== undefined;
  const inWorkspace = forLanguage ? made?.workspaceLanguageValue !== undefined : made?.workspaceValue !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await config.update("enable", enable, target, forLanguage);
}

/** What is said behind a suggestion that comes with imports: VS Code itself shows the text alone. */

import * as vscode from "vscode";
import { PLACE_CURSOR } from "./snippet";

/** The server's command of an item: its identifier, and the statements that are added when it is accepted. */
const ACCEPTED = "suture.accepted";

/** The statements that come with an item. */
export function importsOf(item: vscode.InlineCompletionItem): string[] {
  const command: vscode.Command | undefined = item.command?.command === PLACE_CURSOR ? item.command.arguments?.[1] : item.command;
  const [, ...imports] = command?.command === ACCEPTED ? (command.arguments ?? []) : [];
  return imports.filter((one): one is string => typeof one === "string");
}

export class ImportNote implements vscode.Disposable {
  private readonly style = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor("editorGhostText.foreground"),
      fontStyle: "italic",
      margin: "0 0 0 2em",
    },
  });
  private readonly listeners: vscode.Disposable[];
  private shown: { editor: vscode.TextEditor; version: number; position: vscode.Position } | undefined;

  constructor() {
    // What led to a suggestion may be told after it: the cursor that a key has moved, for one.
    const look = () => this.isCurrent() || this.hide();
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(look),
      vscode.window.onDidChangeTextEditorSelection(look),
      vscode.window.onDidChangeActiveTextEditor(look),
    ];
  }

  /** Says at the end of a line what the item adds that is shown there. */
  show(item: vscode.InlineCompletionItem | undefined, document: vscode.TextDocument, position: vscode.Position): void {
    this.hide();
    const imports = item === undefined ? [] : importsOf(item);
    const editor = vscode.window.activeTextEditor;
    if (imports.length === 0 || editor?.document !== document) {
      return;
    }
    this.shown = { editor, version: document.version, position };
    if (!this.isCurrent()) {
      this.shown = undefined;
      return;
    }
    const end = document.lineAt(position).range.end;
    const after = { contentText: `+ ${imports.join(", ")}` };
    editor.setDecorations(this.style, [{ range: new vscode.Range(end, end), renderOptions: { after } }]);
  }

  /** Whether the text and the cursor are still those that it was said of. */
  private isCurrent(): boolean {
    const editor = vscode.window.activeTextEditor;
    return (
      this.shown !== undefined &&
      editor === this.shown.editor &&
      editor.document.version === this.shown.version &&
      editor.selection.active.isEqual(this.shown.position)
    );
  }

  hide(): void {
    if (this.shown !== undefined) {
      this.shown.editor.setDecorations(this.style, []);
      this.shown = undefined;
    }
  }

  dispose(): void {
    this.hide();
    this.style.dispose();
    for (const one of this.listeners) {
      one.dispose();
    }
  }
}

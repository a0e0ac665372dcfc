/** What is said behind a suggestion that comes with imports: VS Code itself shows the text alone. */

import * as vscode from "vscode";

/** The server's command of an item: its identifier, and the statements that are added when it is accepted. */
const ACCEPTED = "suture.accepted";

/** The statements that come with an item. */
export function importsOf(item: vscode.InlineCompletionItem): string[] {
  const [, ...imports] = item.command?.command === ACCEPTED ? (item.command.arguments ?? []) : [];
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
  private editor: vscode.TextEditor | undefined;

  constructor() {
    const hide = () => this.hide();
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(hide),
      vscode.window.onDidChangeTextEditorSelection(hide),
      vscode.window.onDidChangeActiveTextEditor(hide),
    ];
  }

  /** Says at the end of a line what the item adds that is shown there. */
  show(item: vscode.InlineCompletionItem | undefined, document: vscode.TextDocument, position: vscode.Position): void {
    this.hide();
    const imports = item === undefined ? [] : importsOf(item);
    const editor = vscode.window.activeTextEditor;
    if (imports.length === 0 || editor?.document !== document || !editor.selection.active.isEqual(position)) {
      return;
    }
    const end = document.lineAt(position).range.end;
    const after = { contentText: `+ ${imports.join(", ")}` };
    editor.setDecorations(this.style, [{ range: new vscode.Range(end, end), renderOptions: { after } }]);
    this.editor = editor;
  }

  private hide(): void {
    this.editor?.setDecorations(this.style, []);
    this.editor = undefined;
  }

  dispose(): void {
    this.hide();
    this.style.dispose();
    for (const one of this.listeners) {
      one.dispose();
    }
  }
}

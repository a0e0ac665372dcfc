/** Suggestions that come as snippets, of which VS Code would indent the lines anew. */

import * as vscode from "vscode";

/** The command that is run after such a suggestion was accepted. */
export const PLACE_CURSOR = "suture.placeCursor";

/** One of the server's snippets, as the text and what of it stands behind the stop. */
interface Parsed {
  text: string;
  last: string;
}

/** Reads a snippet with one stop, `area(width$0)`; undefined where it has none. */
export function parse(snippet: string): Parsed | undefined {
  // An escaped sign is no stop.
  const stop = /^((?:\\.|[^\\$])*)\$0(.*)$/s.exec(snippet);
  if (stop === null) {
    return undefined;
  }
  const [before = "", last = ""] = stop.slice(1).map((part) => part.replace(/\\(.)/gs, "$1"));
  return { text: before + last, last };
}

/**
 * The item as a plain text where VS Code would change its indentation: it puts that of the cursor's line before each further line of a
 * snippet, whose lines are indented already. The cursor is put to the stop when the item is accepted.
 */
export function asWritten(
  item: vscode.InlineCompletionItem,
  document: vscode.TextDocument,
  position: vscode.Position,
): vscode.InlineCompletionItem {
  const { insertText } = item;
  if (
    typeof insertText === "string" ||
    !insertText.value.includes("\n") ||
    document.lineAt(position).firstNonWhitespaceCharacterIndex === 0
  ) {
    return item;
  }
  const parsed = parse(insertText.value);
  if (parsed === undefined) {
    return item;
  }
  item.insertText = parsed.text;
  item.command = { title: "", command: PLACE_CURSOR, arguments: [parsed.last, item.command] };
  return item;
}

/** Puts the cursor to the stop, before the end of the text that was accepted; then runs the command that the suggestion came with. */
export async function placeCursor(last: string, next: vscode.Command | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor !== undefined) {
    const { document, selections } = editor;
    const ranges = selections.map(({ active }) => {
      const start = document.positionAt(document.offsetAt(active) - last.length);
      return new vscode.Range(start, active);
    });
    const isThere = ranges.every((range) => document.getText(range) === last);
    if (isThere && last.includes("\n")) {
      editor.selections = ranges.map(({ start }) => new vscode.Selection(start, start)); // its lines keep their indentation
    } else if (isThere) {
      const end = new vscode.SnippetString().appendTabstop(0).appendText(last);
      // A cursor would be set even if the user has typed on meanwhile; a snippet is not inserted into another version of the text.
      await editor.insertSnippet(end, ranges, { undoStopBefore: false, undoStopAfter: false });
    }
  }
  if (next !== undefined) {
    await vscode.commands.executeCommand(next.command, ...(next.arguments ?? []));
  }
}

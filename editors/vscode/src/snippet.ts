/** Suggestions that come as snippets, of which VS Code would accept no single word, and indent the lines anew. */

import * as vscode from "vscode";

/** The command that is run after such a suggestion was accepted. */
export const PLACE_CURSOR = "suture.placeCursor";

/** One of the server's snippets, as the text and what of it stands behind the stop. */
export interface Parsed {
  readonly text: string;
  readonly last: string;
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

/** A text of an item, which is a snippet where something of it stands behind the cursor. */
export function plain(text: string | vscode.SnippetString): Parsed {
  return typeof text === "string" ? { text, last: "" } : (parse(text.value) ?? { text: text.value, last: "" });
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

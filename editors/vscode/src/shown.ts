/**
 * The suggestions that are on the screen, as far as the stable interface of VS Code lets it be known: what was offered, what the user has
 * typed or accepted of it since, which alternative the keys have chosen. The server hears what became of them.
 */

import * as vscode from "vscode";
import { type Parsed, PLACE_CURSOR, plain } from "./snippet";

const PARTLY_ACCEPTED = "textDocument/didPartiallyAcceptCompletion";
const REJECTED = "textDocument/didRejectCompletion";

/** One of the server's items. */
interface Offer extends Parsed {
  /** The item as the server knows it. */
  readonly told: { readonly insertText: string; readonly command: vscode.Command | undefined };
  /** Characters behind the cursor that it replaces. */
  readonly replaces: number;
}

const withLineFeeds = (text: string) => text.replace(/\r\n?/g, "\n");
const begins = (text: string, beginning: string) => withLineFeeds(text).startsWith(withLineFeeds(beginning));

/** What has been written at a place since: the beginning of some texts. */
class Trail {
  written = "";

  constructor(
    readonly document: vscode.TextDocument,
    readonly start: number,
    readonly texts: readonly string[],
  ) {}

  get end(): number {
    return this.start + this.written.length;
  }

  /** Follows a change of the document; whether the text is still the beginning of one of those. */
  follow({ rangeOffset, rangeLength, text }: vscode.TextDocumentContentChangeEvent): boolean {
    const kept = rangeOffset - this.start;
    if (kept < 0 || rangeOffset + rangeLength !== this.end) {
      return false;
    }
    this.written = this.written.slice(0, kept) + text;
    return this.texts.some((one) => begins(one, this.written));
  }

  /** The same for one of the texts alone. */
  of(text: string): Trail {
    const trail = new Trail(this.document, this.start, [text]);
    trail.written = this.written;
    return trail;
  }

  isAt(document: vscode.TextDocument, position: vscode.Position): boolean {
    return document === this.document && document.offsetAt(position) === this.end;
  }
}

export class Shown implements vscode.Disposable {
  private readonly listeners: vscode.Disposable[];
  private trail: Trail | undefined;
  private offers: readonly Offer[] = [];
  private index = 0;
  /** Where all the offers of a place are known, so that the next one is shown at once. */
  private askedAt: number | undefined;
  /** By how many offers the keys have moved on before the others came. */
  private turned = 0;
  /** Whether the user goes on with the shown text, so that no other may take its place. */
  private pinned = false;
  private accepting = false;
  /** Whether the next request is for the chosen offer alone. */
  private resuming = false;
  private dismissed: Trail | undefined;

  constructor(
    private readonly tell: (method: string, params: object) => void,
    private readonly onHide: () => void,
  ) {
    const run = (name: string) => () => vscode.commands.executeCommand(`editor.action.inlineSuggest.${name}`);
    const command = (name: string, work: () => unknown) => vscode.commands.registerCommand(`suture.${name}`, work);
    this.listeners = [
      command("showNext", () => this.turn(1, run("showNext"))),
      command("showPrevious", () => this.turn(-1, run("showPrevious"))),
      command("acceptWord", () => this.accept(run("acceptNextWord"))),
      command("acceptLine", () => this.accept(() => acceptLine(run("acceptNextLine")))),
      command("hideSuggestion", () => this.dismiss(run("hide"))),
      vscode.workspace.onDidChangeTextDocument((event) => this.follow(event)),
      vscode.window.onDidChangeActiveTextEditor(() => this.forget()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor.document === this.trail?.document && !this.trail.isAt(textEditor.document, textEditor.selection.active)) {
          this.forget();
        }
      }),
    ];
  }

  /** The items for a place where the user goes on with a text, or does not want it; undefined where the server is to be asked. */
  kept(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
  ): vscode.InlineCompletionItem[] | undefined {
    const asked = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    if ((asked && !this.resuming) || context.selectedCompletionInfo !== undefined) {
      return undefined;
    }
    this.resuming &&= !asked;
    if (this.dismissed?.isAt(document, position)) {
      return [];
    }
    const offer = this.offers[this.index];
    if (offer === undefined || !this.trail?.isAt(document, position) || !this.pinned) {
      return undefined;
    }
    const text = offer.text.slice(this.taken(offer, this.trail.written));
    const end = document.positionAt(this.trail.end + offer.replaces);
    return text === "" ? undefined : [item({ text, last: offer.last.slice(-text.length) }, new vscode.Range(position, end), offer.told.command)];
  }

  /** Takes what the server has answered; gives it in the form in which VS Code takes it. */
  offer(
    items: readonly vscode.InlineCompletionItem[],
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
  ): vscode.InlineCompletionItem[] {
    const offers = items.map((one): Offer => {
      const told = { insertText: plain(one.insertText).text, command: one.command };
      const replaces = one.range === undefined ? 0 : document.offsetAt(one.range.end) - document.offsetAt(position);
      return { ...plain(one.insertText), told, replaces };
    });
    const written = items.map((one, index) => asWritten(one, offers[index] as Offer, document, position));
    if (offers.length === 0 || context.selectedCompletionInfo !== undefined) {
      this.forget();
      return written;
    }
    const before = this.trail?.isAt(document, position) ? this.offers[this.index] : undefined;
    const asked = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    if (before === undefined || !asked) {
      this.show(new Trail(document, document.offsetAt(position), offers.map(({ text }) => text)), offers);
      this.askedAt = asked ? this.trail?.end : undefined;
      return written;
    }
    // Asked for more, VS Code keeps the text that it shows, as the first.
    const trail = this.trail as Trail;
    const rest = before.text.slice(this.taken(before, trail.written));
    const others = offers.filter(({ text }) => text !== rest);
    const shown = offers.find(({ text }) => text === rest) ?? { ...before, text: rest };
    const all = [shown, ...others];
    const { turned } = this;
    this.show(new Trail(document, trail.end, all.map(({ text }) => text)), all);
    this.askedAt = trail.end;
    this.move(turned);
    return written;
  }

  private show(trail: Trail, offers: readonly Offer[]): void {
    this.trail = trail;
    this.offers = offers;
    this.index = 0;
    this.askedAt = undefined;
    this.turned = 0;
    this.pinned = false;
    this.dismissed = undefined;
    void vscode.commands.executeCommand("setContext", "suture.shown", true);
  }

  private forget(): void {
    if (this.trail !== undefined) {
      this.trail = undefined;
      this.offers = [];
      void vscode.commands.executeCommand("setContext", "suture.shown", false);
    }
  }

  /** How much of an offer a beginning of it is, whose line ends may be other ones. */
  private taken(offer: Offer, written: string): number {
    if (offer.text.startsWith(written)) {
      return written.length;
    }
    const breaks = withLineFeeds(written).split("\n").length - 1;
    return withLineFeeds(written).length + (offer.text.includes("\r\n") ? breaks : 0);
  }

  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const [change] = contentChanges;
    if (change === undefined) {
      return; // it was saved
    }
    const along = (trail: Trail | undefined) => trail?.document !== document || (contentChanges.length === 1 && trail.follow(change));
    if (!along(this.dismissed)) {
      this.dismissed = undefined;
    }
    if (this.trail?.document !== document) {
      return;
    }
    if (!along(this.trail)) {
      this.forget();
      return;
    }
    const { written } = this.trail;
    const fits = (offer: Offer | undefined) => offer !== undefined && begins(offer.text, written);
    if (!fits(this.offers[this.index])) {
      this.index = this.offers.findIndex(fits);
    }
    const offer = this.offers[this.index] as Offer;
    const taken = this.taken(offer, written);
    if (taken === offer.text.length) {
      this.forget(); // the item's command tells of it
    } else if (change.text !== "" && (this.accepting || change.text.length > 1)) {
      this.pinned = true;
      this.tell(PARTLY_ACCEPTED, { item: offer.told, acceptedLength: offer.told.insertText.length - offer.text.length + taken });
    }
    if (this.trail !== undefined && this.index > 0) {
      void this.choose(offer, this.offers.some((one) => one !== offer && fits(one)));
    }
  }

  /** Makes an alternative the only offer: of several that fit, VS Code would go on with the first. */
  private async choose(offer: Offer, anew: boolean): Promise<void> {
    this.offers = [offer];
    this.index = 0;
    this.trail = this.trail?.of(offer.text);
    this.pinned = true;
    if (anew) {
      this.resuming = true;
      await vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
      await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
    }
  }

  private async turn(by: number, run: () => Thenable<unknown>): Promise<void> {
    if (this.trail !== undefined && this.askedAt === this.trail.end) {
      this.move(by);
    } else {
      this.turned += by;
    }
    await run();
  }

  private move(by: number): void {
    const count = this.offers.length;
    this.index = count === 0 ? 0 : (((this.index + by) % count) + count) % count;
  }

  private async accept(run: () => Thenable<unknown>): Promise<void> {
    const offer = this.offers[this.index];
    this.accepting = true;
    try {
      if (offer !== undefined && offer.last !== "" && !this.pinned) {
        await this.choose(offer, true); // as a plain text: VS Code accepts no part of a snippet
      }
      await run();
    } finally {
      this.accepting = false;
    }
  }

  private async dismiss(run: () => Thenable<unknown>): Promise<void> {
    const { trail } = this;
    const offer = this.offers[this.index];
    if (trail !== undefined && offer !== undefined) {
      this.tell(REJECTED, { item: offer.told });
      this.dismissed = trail.of(offer.text);
      this.forget();
    }
    this.onHide();
    await run();
  }

  dispose(): void {
    this.forget();
    for (const one of this.listeners) {
      one.dispose();
    }
  }
}

/** An item with a plain text, after which the cursor is put before its last part. */
function item({ text, last }: Parsed, range: vscode.Range | undefined, command: vscode.Command | undefined): vscode.InlineCompletionItem {
  const placed = { title: "", command: PLACE_CURSOR, arguments: [last, command] };
  return new vscode.InlineCompletionItem(text, range, last === "" ? command : placed);
}

/**
 * The item as a plain text where VS Code would change its indentation: it puts that of the cursor's line before each further line of a
 * snippet, whose lines are indented already.
 */
function asWritten(
  given: vscode.InlineCompletionItem,
  parsed: Parsed,
  document: vscode.TextDocument,
  position: vscode.Position,
): vscode.InlineCompletionItem {
  const indented = parsed.text.includes("\n") && document.lineAt(position).firstNonWhitespaceCharacterIndex > 0;
  return typeof given.insertText !== "string" && indented ? item(parsed, given.range, given.command) : given;
}

/** Accepts the next line of what is shown; VS Code alone takes a line break at its beginning for one. */
async function acceptLine(accept: () => Thenable<unknown>): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const before = editor?.selection.active;
  await accept();
  if (editor !== undefined && before !== undefined) {
    const accepted = editor.document.getText(new vscode.Range(before, editor.selection.active));
    if (accepted.includes("\n") && accepted.trim() === "") {
      await accept();
    }
  }
}

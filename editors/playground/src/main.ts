/** Entry: an editor with Suture's suggestions, and the panel that explains them. */

import * as monaco from "monaco-editor/editor/editor.api.js";
import "monaco-editor/features/register.all.js";
import "monaco-editor/languages/definitions/go/register.js";
import "monaco-editor/languages/definitions/javascript/register.js";
import "monaco-editor/languages/definitions/python/register.js";
import "monaco-editor/languages/definitions/typescript/register.js";
import { Client } from "./client";
import { type Explanation, position, type Replay, type Status } from "./protocol";
import { SAMPLES } from "./samples";
import { showExplanation, showReplay } from "./view";

self.MonacoEnvironment = { getWorker: () => new Worker("editor.worker.js") };
monaco.languages.register({ id: "json", extensions: [".json"] });
monaco.languages.setMonarchTokensProvider("json", {
  tokenizer: {
    root: [
      [/"(?:[^"\\]|\\.)*"(?=\s*:)/, "type"],
      [/"(?:[^"\\]|\\.)*"/, "string"],
      [/-?\d[\d.eE+-]*/, "number"],
      [/\b(?:true|false|null)\b/, "keyword"],
    ],
  },
});

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (dark.matches ? "vs-dark" : "vs");

const editor = monaco.editor.create(find("editor"), {
  automaticLayout: true,
  minimap: { enabled: false },
  fontSize: 14,
  inlineSuggest: { enabled: true },
  wordBasedSuggestions: "off",
  quickSuggestions: false,
  scrollBeyondLastLine: false,
  fixedOverflowWidgets: true,
  theme: theme(),
});
dark.addEventListener("change", () => monaco.editor.setTheme(theme()));

function say(state: string, message: string): void {
  find("status").className = state;
  find("status").textContent = message;
}

async function start(): Promise<void> {
  say("busy", "connecting");
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const answer = await fetch(`config.json${location.search}`);
  if (!answer.ok) {
    say("error", "open the address that `suture playground` printed: it ends with a token");
    return;
  }
  const { socket, token, languages } = (await answer.json()) as Config;
  const client = await Client.connect(`${scheme}://${socket}/?token=${encodeURIComponent(token)}`);
  client.onClose(() => say("error", "the server has gone: start `suture playground` again and reload"));
  client.onNotification<Status>("suture/status", ({ state, message }) => say(state, message ?? state));
  client.onNotification<{ type: number; message: string }>("window/showMessage", ({ message }) => say("error", message));
  await client.request("initialize", {
    processId: null,
    rootUri: null,
    clientInfo: { name: "suture-playground" },
    capabilities: { textDocument: { inlineCompletion: {} } },
    initializationOptions: { statusNotification: true },
  });
  client.notify("initialized", {});
  say("ready", "ready");
  connect(client, languages);
}

/** What the page is told with its token: where the server is, and a text to begin with in each language. */
type Config = { socket: string; token: string; languages: Record<string, string | null> };

function connect(client: Client, languages: Config["languages"]): void {
  const names = Object.keys(languages);
  const highlighted = new Set(monaco.languages.getLanguages().map(({ id }) => id));
  for (const id of names.filter((name) => !highlighted.has(name))) {
    monaco.languages.register({ id });
  }
  const shown = new Set(SAMPLES.map(({ language }) => language));
  const others = Object.entries(languages).flatMap(([language, text]) =>
    text === null || shown.has(language) ? [] : [{ name: language, language, text }],
  );
  const samples = [...SAMPLES, ...others];
  const text = { uri: "", version: 0 };
  const struck = editor.createDecorationsCollection();
  let asked = 0;
  let offered: { text: string; at: monaco.IPosition } | null = null;

  function open(sample: (typeof SAMPLES)[number]): void {
    if (text.uri) {
      client.notify("textDocument/didClose", { textDocument: { uri: text.uri } });
    }
    const cursor = sample.text.indexOf("|");
    const content = sample.text.replace("|", "");
    const model = monaco.editor.createModel(content, sample.language);
    model.setEOL(monaco.editor.EndOfLineSequence.LF);
    text.uri = model.uri.toString();
    text.version = model.getVersionId();
    const textDocument = { ...text, languageId: sample.language, text: content };
    client.notify("textDocument/didOpen", { textDocument });
    model.onDidChangeContent((event) => {
      text.version = model.getVersionId();
      const contentChanges = event.changes.map((change) => ({
        range: {
          start: { line: change.range.startLineNumber - 1, character: change.range.startColumn - 1 },
          end: { line: change.range.endLineNumber - 1, character: change.range.endColumn - 1 },
        },
        text: change.text,
      }));
      client.notify("textDocument/didChange", { textDocument: { ...text }, contentChanges });
    });
    const before = editor.getModel();
    editor.setModel(model);
    before?.dispose();
    editor.setPosition(model.getPositionAt(cursor));
    editor.focus();
    showReplay(find("replay"), null);
    suggest();
  }

  /** The place of the cursor, as a request names it. */
  function here(at = editor.getPosition()): object {
    return { textDocument: { uri: text.uri }, position: position(at ?? new monaco.Position(1, 1)) };
  }

  /** Strike pieces of the text; their offsets count characters of Unicode, and the editor's units of UTF-16. */
  function strike(pieces: Explanation["hidden"]): void {
    const model = editor.getModel();
    if (model === null) {
      return;
    }
    const characters = pieces.length > 0 ? Array.from(model.getValue()) : [];
    const at = (offset: number) => model.getPositionAt(characters.slice(0, offset).join("").length);
    const options = { inlineClassName: "unread" };
    struck.set(pieces.map(([begin, end]) => ({ range: monaco.Range.fromPositions(at(begin), at(end)), options })));
  }

  async function explain(): Promise<void> {
    const mine = ++asked;
    await new Promise((resolve) => setTimeout(resolve, 60)); // several events come for one keystroke
    if (mine !== asked) {
      return;
    }
    const explanation = await client.request<Explanation | null>("suture/explain", here());
    if (mine === asked) {
      showExplanation(find("explanation"), explanation);
      strike(explanation?.hidden ?? []);
    }
  }

  async function replay(): Promise<void> {
    find("replay").classList.add("waiting");
    try {
      const replayed = await client.request<Replay | null>("suture/replay", { ...here(), text: ghost() });
      showReplay(find("replay"), replayed);
    } finally {
      find("replay").classList.remove("waiting");
    }
  }

  /** The suggestion that is on the screen: of what was offered for a place, what has not been typed yet. */
  function ghost(): string | null {
    const model = editor.getModel();
    const at = editor.getPosition();
    if (offered === null || model === null || at === null || !document.querySelector('#editor [class*="ghost-text-decoration"]')) {
      return null;
    }
    const typed = model.getValueInRange(monaco.Range.fromPositions(offered.at, at));
    return offered.text.startsWith(typed) && offered.text.length > typed.length ? offered.text.slice(typed.length) : null;
  }

  const suggest = () => editor.trigger("playground", "editor.action.inlineSuggest.trigger", {});

  monaco.languages.registerInlineCompletionsProvider(names, {
    async provideInlineCompletions(_model, at, context, token) {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const invoked = context.triggerKind === monaco.languages.InlineCompletionTriggerKind.Explicit;
      const params = { ...here(at), context: { triggerKind: invoked ? 1 : 2 } };
      try {
        const answer = await client.request<{ items: { insertText: string }[] }>(
          "textDocument/inlineCompletion",
          params,
          abort.signal,
        );
        const range = monaco.Range.fromPositions(at);
        const first = answer.items[0]?.insertText;
        offered = first === undefined ? null : { text: first, at: { lineNumber: at.lineNumber, column: at.column } };
        return { items: answer.items.map(({ insertText }) => ({ insertText, range })) };
      } catch {
        return { items: [] }; // cancelled, since the text has changed
      }
    },
    handleItemDidShow(_items, item) {
      if (offered !== null && typeof item.insertText === "string") {
        offered = { ...offered, text: item.insertText };
      }
    },
    disposeInlineCompletions() {},
  });
  editor.onDidChangeCursorPosition(() => void explain());
  editor.addCommand(monaco.KeyMod.CtrlCmd | monaco.KeyCode.Enter, () => void replay());
  // The editor keeps the focus: without it, it would hide the suggestion.
  for (const element of document.querySelectorAll("#run, #legend summary")) {
    element.addEventListener("mousedown", (event) => event.preventDefault());
  }
  find("run").addEventListener("click", () => void replay());
  const chooser = find<HTMLSelectElement>("sample");
  chooser.append(...samples.map(({ name }, index) => new Option(name, String(index))));
  const chosen = () => samples[Number(chooser.value)] ?? samples[0];
  chooser.addEventListener("change", () => {
    const sample = chosen();
    if (sample) {
      open(sample);
    }
  });
  chooser.dispatchEvent(new Event("change"));
}

start().catch((error: Error) => say("error", `${error.message}: start \`suture playground\` again and reload`));

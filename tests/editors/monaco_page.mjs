// A page with Monaco and its own client of language servers: ?socket=ADDRESS&text=TEXT, the cursor where the text has a |.
// The body's attributes say what the test wants to know: the text, and the items of the last answer that had some.

import * as monaco from "monaco-editor";

self.MonacoEnvironment = { getWorker: () => new Worker("editor.worker.js") };

const asked = new URLSearchParams(location.search);
const [left, right] = asked.get("text").split("|");
const model = monaco.editor.createModel(left + right, "python", monaco.Uri.parse("file:///demo.py"));
const editor = monaco.editor.create(document.getElementById("editor"), {
  model,
  wordBasedSuggestions: "off",
  autoClosingBrackets: "never",
  quickSuggestionsDelay: 10,
});
editor.setPosition(model.getPositionAt(left.length));
editor.focus();
const say = () => {
  document.body.dataset.text = model.getValue();
};
model.onDidChangeContent(say);
say();

const socket = new WebSocket(asked.get("socket"));
socket.addEventListener("message", ({ data }) => {
  const items = JSON.parse(data).result?.items;
  if (items?.length > 0) {
    document.body.dataset.items = JSON.stringify(items);
  }
});
socket.addEventListener("open", () => {
  new monaco.lsp.MonacoLspClient(monaco.lsp.WebSocketTransport.fromWebSocket(socket));
  document.body.dataset.ready = "";
});

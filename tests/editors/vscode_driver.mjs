// Drives VS Code in a browser for the tests: reads commands, one JSON object a line, and answers each with one.
//
//   node vscode_driver.mjs FOLDER_OF_PLAYWRIGHT_CORE CHROMIUM

import { createRequire } from "node:module";
import * as readline from "node:readline";

const [playwrightFolder, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(`${playwrightFolder}/`)("playwright-core");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
let page;

// What the editor shows, line by line from the top: its own text, and which part of it is ghost text.
function readEditor() {
  const editor = document.querySelector(".editor-instance .monaco-editor");
  if (!editor) {
    return null;
  }
  const plain = (text) => text.replace(/\u00a0/g, " ").replace(/[\u200b\u200c]/g, "");
  const rows = [];
  // Ghost text after the cursor's line lies in view zones, which have lines of their own.
  for (const line of editor.querySelectorAll(".view-lines .view-line, .view-zones .view-line")) {
    const parts = [];
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      // Text right of the cursor is hidden where it is and drawn again after several lines of ghost text.
      if (parent.closest(".ghost-text-hidden") === null) {
        const ghost = parent.closest('[class*="ghost-text"]') !== null;
        parts.push({ text: plain(walker.currentNode.data), ghost });
      }
    }
    rows.push({ top: line.getBoundingClientRect().top, parts });
  }
  rows.sort((a, b) => a.top - b.top);
  return rows.map(({ parts }) => parts);
}

// What decorations write behind lines, which is in no text of the page: [{line, text, left}], and where the ghost text of that line ends.
function readNotes() {
  const notes = [];
  for (const line of document.querySelectorAll(".editor-instance .monaco-editor .view-lines .view-line")) {
    for (const span of line.querySelectorAll("span")) {
      const { content, display } = getComputedStyle(span, "::after");
      if (display !== "none" && content.startsWith('"')) {
        const ghosts = [...line.querySelectorAll('[class*="ghost-text"]')].map((one) => one.getBoundingClientRect().right);
        const { left } = span.getBoundingClientRect();
        notes.push({ line: line.textContent.replace(/\u00a0/g, " "), text: JSON.parse(content), left, ghost: Math.max(0, ...ghosts) });
      }
    }
  }
  return notes;
}

const commands = {
  async open({ url }) {
    await page?.close();
    page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
    await page.goto(url);
    await page.waitForSelector(".monaco-workbench .explorer-folders-view, .monaco-workbench .editor-instance");
  },
  async openPage({ url, selector }) {
    await page?.close();
    page = await browser.newPage({ viewport: { width: 1300, height: 750 } });
    await page.goto(url);
    await page.waitForSelector(selector, { timeout: 60_000 });
  },
  async select({ selector, label }) {
    await page.selectOption(selector, { label });
  },
  async openFile({ name }) {
    await page.dblclick(`.monaco-list-row[aria-label^="${name}"]`);
    await page.waitForSelector(".editor-instance .monaco-editor .view-line");
  },
  async type({ text, delay_ms }) {
    await page.keyboard.type(text, { delay: delay_ms ?? 30 });
  },
  async press({ key }) {
    await page.keyboard.press(key);
  },
  async command({ title }) {
    await page.keyboard.press("F1");
    await page.waitForSelector(".quick-input-widget input");
    await page.keyboard.insertText(title);
    await page.click(`.quick-input-list .monaco-list-row[aria-label*="${title}"]`);
  },
  editor: () => page.evaluate(readEditor),
  notes: () => page.evaluate(readNotes),
  text: ({ selector }) => page.locator(selector).allInnerTexts(),
  attribute: ({ selector, name }) =>
    page.locator(selector).evaluateAll((elements, name) => elements.map((each) => each.getAttribute(name)), name),
  async click({ selector }) {
    await page.click(selector);
  },
  async hover({ selector }) {
    await page.hover(selector);
  },
  async screenshot({ path }) {
    await page?.screenshot({ path });
  },
  async close() {
    await browser.close();
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { command, ...parameters } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await commands[command](parameters)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer));
  if (command === "close") {
    break;
  }
}
process.exit(0);

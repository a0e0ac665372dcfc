/** The panel beside the editor: what the engine sees at the cursor, and what the model wanted. */

import type { Candidate, Explanation, Replay } from "./protocol";

function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

/** A text with its white space made visible. */
function visible(text: string): string {
  return text.replace(/ /g, "·").replace(/\t/g, "→").replace(/\r?\n/g, "⏎");
}

/** What of a broken file counts at the cursor. */
const BROKEN: Record<string, string> = {
  left: "The file is broken above the cursor; the struck pieces do not count.",
  right: "The file is broken below the cursor; the struck pieces do not count.",
  both: "The file is broken above and below the cursor; the struck pieces do not count.",
  line: "The cursor's line is broken before the cursor; suggestions go by its end alone, and come only when you ask for them.",
  dead: "The cursor's line is broken before the cursor; there is nothing to suggest.",
};

/** Why a suggestion ends where it does. */
const ENDED: Record<string, string> = {
  model: "The model ended it there.",
  earlier: "What the model wrote after it did not fit, so it was cut back to where the file is valid.",
  bridge: "The model came to no valid end; the last part is the shortest text that connects it with what follows.",
  length: "It has as many tokens as a suggestion may have.",
  lines: "It has as many lines as a suggestion may have.",
  uncertain: "What the model would have written after it was too uncertain to be shown.",
};

export function showExplanation(into: HTMLElement, explanation: Explanation | null): void {
  if (explanation === null) {
    into.replaceChildren(element("p", "note", "No grammar for this language."));
    return;
  }
  const parts: Node[] = [];
  const whole = explanation.fallback === "none";
  parts.push(
    element(
      "p",
      "verdict",
      element("span", explanation.complete ? "dot good" : "dot open", ""),
      !whole
        ? (BROKEN[explanation.fallback] ?? "The file is broken elsewhere.")
        : explanation.complete
          ? "The file is valid as it is."
          : "Something is missing here.",
    ),
  );
  if (explanation.open.length > 0) {
    parts.push(element("p", "open-parts", "inside ", ...explanation.open.map((one) => element("code", "", one))));
  }
  if (explanation.bridges.length > 0 && !explanation.complete) {
    parts.push(
      element("p", "", "the shortest texts that connect: ", ...explanation.bridges.map((one) => element("code", "bridge", visible(one)))),
    );
  }
  for (const [what, names] of [
    ["attributes: ", explanation.attributes],
    ["names in scope: ", explanation.names],
  ] as const) {
    if (names.length > 0) {
      parts.push(element("p", "open-parts", what, ...names.map((one) => element("code", "", visible(one)))));
    }
  }
  const symbols = explanation.accepts.map(({ symbol, examples }) => {
    const shown = examples.map((one) => element("code", "", visible(one)));
    const named = examples.length === 1 && examples[0] === symbol; // a fixed text is its own name
    return element("li", "", ...(named ? [] : [element("span", "symbol", symbol)]), ...shown);
  });
  parts.push(element("ul", "symbols", ...symbols));
  into.replaceChildren(...parts);
}

export function showReplay(into: HTMLElement, replay: Replay | null): void {
  if (replay === null) {
    into.replaceChildren(
      element("p", "note", "Press the button, or Ctrl+Enter, to see what the model wanted at each step, and what was refused."),
    );
    return;
  }
  const rejected = replay.steps.flatMap((step) => step.candidates).filter((one) => !one.allowed).length;
  const head = element(
    "p",
    "verdict",
    element("code", "suggestion", visible(replay.text) || "(nothing)"),
    ` ${replay.hidden ? `Nothing is shown: ${replay.hidden}.` : (ENDED[replay.ended] ?? "")} Of the candidates shown below ${rejected} ${rejected === 1 ? "was" : "were"} refused. The model ` +
      `took ${replay.modelMs.toFixed(0)} ms, the grammar ${replay.constraintMs.toFixed(1)} ms.`,
  );
  const steps = replay.steps.map((step) => {
    const chips = step.candidates.map(chip);
    return element("li", "", element("code", "before", visible(step.before.slice(-24)) || "start"), ...chips);
  });
  into.replaceChildren(head, element("ol", "steps", ...steps));
}

function chip(one: Candidate): HTMLElement {
  const state = one.chosen ? "chip chosen" : one.allowed ? "chip" : "chip rejected";
  const text = one.end ? "end" : visible(one.text);
  const made = element("span", state);
  if (one.deadAt === null || one.end) {
    made.append(element("span", one.end ? "end" : "", text));
  } else {
    const fits = visible(one.text.slice(0, one.deadAt));
    made.append(fits, element("span", "dead", visible(one.text.slice(one.deadAt))));
  }
  made.append(element("small", "", one.probability < 0.001 ? "<0.1%" : `${(one.probability * 100).toFixed(1)}%`));
  const refused = one.end ? "the file is not valid here yet" : "no valid file begins like this";
  made.title = one.allowed ? "fits" : (one.reason ?? refused);
  return made;
}

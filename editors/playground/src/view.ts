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
        ? `The file is broken elsewhere; the engine left out: ${explanation.fallback}.`
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
      element("p", "", "shortest bridge ", ...explanation.bridges.map((one) => element("code", "bridge", visible(one)))),
    );
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
    into.replaceChildren(element("p", "note", "Press the button, or Ctrl+Enter, to see each step of a suggestion."));
    return;
  }
  const rejected = replay.steps.flatMap((step) => step.candidates).filter((one) => !one.allowed).length;
  const head = element(
    "p",
    "verdict",
    element("code", "suggestion", visible(replay.text) || "(nothing)"),
    ` ended by ${replay.ended}; model ${replay.modelMs.toFixed(0)} ms, constraint ${replay.constraintMs.toFixed(1)} ms; ` +
      `${rejected} of the shown candidates rejected.`,
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
  made.title = one.allowed ? "fits" : one.end ? "the file is not complete here" : "no completion starts like this";
  return made;
}

/** What the page asks the server beside LSP's own requests; documented in editors/README.md. */

import type * as monaco from "monaco-editor/editor/editor.api.js";

export interface Explanation {
  complete: boolean; // the file is valid as it is
  fallback: string; // "none", or what the engine left out because the file is broken elsewhere
  open: string[]; // brackets and blocks around the cursor
  accepts: { symbol: string; examples: string[] }[];
  bridges: string[];
  names: string[]; // that may be read there, those bound nearest first
  attributes: string[]; // of which one comes next, where they are known
  hidden: [number, number][]; // pieces of the text that cannot be read, from and to, in characters of Unicode
}

export interface Candidate {
  text: string;
  probability: number;
  allowed: boolean;
  deadAt: number | null; // the character of the text that cannot come there
  end: boolean; // the model's wish to end
  chosen: boolean;
  reason: string | null; // why more than syntax refuses it
}

export interface Replay {
  text: string;
  ended: string;
  hidden?: string;
  modelMs: number;
  constraintMs: number;
  steps: { before: string; candidates: Candidate[] }[];
}

export interface Status {
  state: string;
  message?: string;
}

export const position = (at: monaco.Position): { line: number; character: number } => ({
  line: at.lineNumber - 1,
  character: at.column - 1,
});

/** Texts to begin with; the cursor is at the |. The demo shows the same ones, and a test holds them to what they want. */

import samples from "../../../examples/samples.json";

export const SAMPLES: { name: string; language: string; text: string }[] = samples;

// Judges texts as oracles.py asks: a JSON list of texts on one line in, a line of 0 and 1 out. The argument is Python that defines `answer`.
import { createInterface } from "node:readline";
import { loadPyodide } from "pyodide";

const silent = () => {};
const python = await loadPyodide({ stdout: silent, stderr: silent });
python.runPython(process.argv[2]);
const answer = python.globals.get("answer");
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(line)}\n`);
}

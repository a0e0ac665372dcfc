// Judges texts as oracles.py asks: a JSON list of texts on one line in, a line of 0 and 1 out. The arguments are the version of Python and
// Python that defines `answer`.
import { createInterface } from "node:readline";

const { loadPyodide } = await import(`pyodide-${process.argv[2]}`);
const silent = () => {};
const python = await loadPyodide({ stdout: silent, stderr: silent });
python.runPython(process.argv[3]);
const answer = python.globals.get("answer");
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(line)}\n`);
}

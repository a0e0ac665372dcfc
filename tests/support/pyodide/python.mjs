// Runs Python in WebAssembly as a command: node python.mjs VERSION -I -c CODE ARGUMENT...
const [version, , , code, ...given] = process.argv.slice(2);
const { loadPyodide } = await import(`pyodide-${version}`);
const python = await loadPyodide({ stdout: (line) => process.stdout.write(`${line}\n`), stderr: () => {} });
python.runPython(`import sys\nsys.argv = ${JSON.stringify(["-c", ...given])}\n${code}`);

// Puts Python for the browser where the studio serves it; see docs/studio-lessons.md.
import { copyFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const from = new URL("node_modules/pyodide/", import.meta.url);
const to = new URL("../../src/andante/studio/pyodide/", import.meta.url);
mkdirSync(to, { recursive: true });
for (const name of ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]) {
  copyFileSync(new URL(name, from), new URL(name, to));
}
console.log(`Python for the browser is in ${fileURLToPath(to)}`);

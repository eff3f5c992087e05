// Puts what pages need and is too large for the repository where the studio reads it: `node browser_files.mjs pyodide`
// (Python for the lessons) or `mujoco` (MuJoCo for the page of a run). npm has checked both against the lock's hashes.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const FILES = {
  pyodide: { from: "pyodide", names: ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"], what: "Python for the browser" },
  mujoco: { from: "@mujoco/mujoco", names: ["mujoco.js"], packed: ["mujoco.wasm"], what: "MuJoCo for the browser" },
};
const name = process.argv[2];
if (!(name in FILES)) throw new Error(`${name} is not among ${Object.keys(FILES).join(", ")}`);
const { from, names, packed = [], what } = FILES[name];
const source = new URL(`node_modules/${from}/`, import.meta.url);
const target = new URL(`../src/andante/studio/${name}/`, import.meta.url);
mkdirSync(target, { recursive: true });
for (const each of names) copyFileSync(new URL(each, source), new URL(each, target));
// A page carries these as they are here.
for (const each of packed) writeFileSync(new URL(`${each}.gz`, target), gzipSync(readFileSync(new URL(each, source)), { level: 9 }));
console.log(`${what} is in ${fileURLToPath(target)}`);

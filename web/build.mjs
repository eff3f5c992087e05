// The one build of all pages: checks types, then writes replay and plots of reports, the studio's pages and the page of a
// run into the package. `npm run build`, or plain `node build.mjs`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const VITE = "vite/bin/vite.js";
const STEPS = [
  [".", "typescript/bin/tsc"],
  ["replay", VITE, "build", "--mode", "replay"],
  ["replay", VITE, "build", "--mode", "plots"],
  ["studio", VITE, "build"],
  ["studio", VITE, "build", "--config", "vite.share.config.js"],
];
for (const [folder, tool, ...words] of STEPS) {
  const program = fileURLToPath(new URL(`node_modules/${tool}`, import.meta.url));
  const done = spawnSync(process.execPath, [program, ...words], { cwd: fileURLToPath(new URL(folder, import.meta.url)), stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

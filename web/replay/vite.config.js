// Builds one script for the report: `AndanteReplay.create`. Its first lines hold the licence of three.js, which is in it,
// and a checksum of what it was built from, by which a test without Node tells whether it is out of date.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const here = (name) => new URL(name, import.meta.url);
const SOURCES = ["package-lock.json", "src/poses.js", "src/replay.js", "src/scene.js", "vite.config.js"];

function heading() {
  const checksum = createHash("sha256");
  for (const name of SOURCES) checksum.update(readFileSync(here(name)));
  const licence = readFileSync(here("node_modules/three/LICENSE"), "utf8").trim();
  const { version } = JSON.parse(readFileSync(here("node_modules/three/package.json"), "utf8"));
  return `/*! Built from web/replay, sources ${checksum.digest("hex")}. Contains three.js ${version}:\n\n${licence}\n*/\n`;
}

export default defineConfig({
  publicDir: false,
  build: {
    outDir: process.env.ANDANTE_REPLAY_OUT ?? "../../src/andante/runs/report_page",
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: "src/replay.js", formats: ["iife"], name: "AndanteReplay", fileName: () => "replay.js" },
  },
  plugins: [
    {
      name: "heading",
      enforce: "post",
      generateBundle(options, bundle) {
        for (const chunk of Object.values(bundle)) if (chunk.type === "chunk") chunk.code = heading() + chunk.code;
      },
    },
  ],
});

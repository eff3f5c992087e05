// Builds what the pages of runs need: `AndanteReplay.create` for the report, and `Plotly` (`vite build --mode plots`).
// Their first lines hold the licence of the library that is in them, and a checksum of what they were built from, by
// which a test without Node tells whether they are out of date.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const here = (name) => new URL(name, import.meta.url);
const SOURCES = [
  "../package-lock.json", "../shared/src/rows.ts", "../shared/src/shapes.ts", "src/plots.ts", "src/poses.ts", "src/recorded.ts", "src/replay.ts",
  "src/scene.ts", "vite.config.js",
];
const SCRIPTS = {
  replay: { name: "AndanteReplay", file: "replay", library: "three", folder: "runs/report_page" },
  plots: { name: "Plotly", file: "plots", library: "plotly.js-basic-dist-min", folder: "pictures" },
};

function heading(library) {
  const checksum = createHash("sha256");
  for (const name of SOURCES) checksum.update(readFileSync(here(name)));
  const licence = readFileSync(here(`../node_modules/${library}/LICENSE`), "utf8").trim();
  const { version } = JSON.parse(readFileSync(here(`../node_modules/${library}/package.json`), "utf8"));
  return `/*! Built from web/replay, sources ${checksum.digest("hex")}. Contains ${library} ${version}:\n\n${licence}\n*/\n`;
}

export default defineConfig(({ mode }) => {
  const { name, file, library, folder } = SCRIPTS[mode];
  return {
    publicDir: false,
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      outDir: `../../src/andante/${folder}`,
      emptyOutDir: false,
      target: "es2022",
      lib: { entry: `src/${file}.ts`, formats: ["iife"], name, fileName: () => `${file}.js` },
    },
    plugins: [
      {
        name: "heading",
        enforce: "post",
        generateBundle(options, bundle) {
          for (const chunk of Object.values(bundle)) if (chunk.type === "chunk") chunk.code = heading(library) + chunk.code;
        },
      },
    ],
  };
});

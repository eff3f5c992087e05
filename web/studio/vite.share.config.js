import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { defineConfig } from "vite";

// The script of the page of a run, whole in one file, and MuJoCo's own WebAssembly beside it.
const folder = new URL("../../src/andante/studio/share/", import.meta.url);
const mujoco = new URL("node_modules/@mujoco/mujoco/", import.meta.url);

export default defineConfig({
  build: {
    outDir: "../../src/andante/studio/share",
    emptyOutDir: false,
    target: "es2022",
    chunkSizeWarningLimit: 2000,
    lib: { entry: "src/share.ts", formats: ["iife"], name: "AndanteShare", fileName: () => "share.js" },
  },
  plugins: [{
    name: "mujoco",
    closeBundle() {
      copyFileSync(new URL("mujoco.js", mujoco), new URL("mujoco.js", folder));
      // Packed anew only where it is another one: versions of zlib pack differently.
      const raw = readFileSync(new URL("mujoco.wasm", mujoco));
      const packed = new URL("mujoco.wasm.gz", folder);
      if (!existsSync(packed) || !gunzipSync(readFileSync(packed)).equals(raw)) writeFileSync(packed, gzipSync(raw, { level: 9 }));
    },
  }],
});

import { defineConfig } from "vite";

// The script of the page of a run, whole in one file; MuJoCo comes beside it by `npm run mujoco`.
export default defineConfig({
  build: {
    outDir: "../../src/andante/studio/share",
    emptyOutDir: false,
    target: "es2022",
    chunkSizeWarningLimit: 2000,
    lib: { entry: "src/share.ts", formats: ["iife"], name: "AndanteShare", fileName: () => "share.js" },
  },
});

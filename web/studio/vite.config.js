import { defineConfig } from "vite";

// File names without hashes: the built page is committed, and a changed line should not rename every file.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../../src/andante/studio/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      input: { studio: "index.html", lessons: "lessons.html", terrain: "terrain.html", lecturer: "lecturer.html", experiments: "experiments.html" },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "[name].js" } } },
});

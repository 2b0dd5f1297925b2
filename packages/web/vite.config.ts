// The page, built into assets/. No plugin: JSX is compiled by Vite itself; nothing is inlined, so that the content security policy can be strict.
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  build: { outDir: "assets", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { host: "127.0.0.1" },
});

import { defineConfig } from "tsdown";

// One self-contained bundle: workspace packages are inlined, npm dependencies stay outside. Dynamic imports become chunks of
// their own, so that `--help` loads neither SQLite nor HTTP.
export default defineConfig({
  entry: { bin: "src/bin.ts" },
  format: "esm",
  platform: "node",
  target: "node20.18",
  fixedExtension: false,
  dts: false,
  clean: true,
  sourcemap: true,
});

import { defineConfig } from "vitest/config";

const source = ["packages/*/src/**/*.test.ts", "packages/*/src/**/*.test.tsx"];

export default defineConfig({
  test: {
    // A warning or an unhandled rejection is a defect, never noise to scroll past.
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    projects: [
      { test: { name: "unit", include: source, testTimeout: 10_000, sequence: { groupOrder: 0 } } },
      {
        test: {
          name: "e2e",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/bench/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
          // Each file starts real processes; two at once is what a two-core machine carries without flaking.
          maxWorkers: 2,
        },
      },
    ],
  },
});

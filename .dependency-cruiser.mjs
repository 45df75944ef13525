// Who may import whom. A rule's comment says what to do instead; `npm run check` runs them.
const outside = (name) => `^packages/(?!${name}/)|^(examples|scripts|test)/`;

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Two files that need each other are one file, or a third is missing that both import.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "protocol-stands-alone",
      comment: "protocol imports nothing of ours: move what you need there, or pass it in.",
      severity: "error",
      from: { path: "^packages/protocol/" },
      to: { path: outside("protocol") },
    },
    {
      name: "providers-stand-alone",
      comment: "providers imports nothing of ours: move what you need there, or pass it in.",
      severity: "error",
      from: { path: "^packages/providers/" },
      to: { path: outside("providers") },
    },
    {
      name: "relay-does-not-know-the-cli",
      comment: "Nothing imports cli: move what both need to protocol or providers.",
      severity: "error",
      from: { path: "^packages/relay-server/" },
      to: { path: "^packages/cli/" },
    },
    {
      name: "through-the-front-door",
      comment: "Other packages are imported by name, through their index: export there what is needed.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: ["^packages/$1/", "^packages/[^/]+/src/(testing/)?index\\.ts$"] },
    },
    {
      name: "core-without-io",
      comment:
        "The protocol core gets bytes and returns events: sockets, timers and clocks belong to mux and transport.",
      severity: "error",
      from: { path: "^packages/protocol/src/core/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: "^packages/protocol/src/core/" },
    },
    {
      name: "verdict-without-io",
      comment: "The verdict is a pure function of facts: gather them in replay/, and pass them in.",
      severity: "error",
      from: { path: "^packages/cli/src/check/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core", "npm"] },
    },
    {
      name: "providers-without-io",
      comment: "A profile knows bytes and hashes: what it needs from outside is passed in.",
      severity: "error",
      from: { path: "^packages/providers/src/", pathNot: ["\\.test\\.ts$", "/testing/"] },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|buffer)$" },
    },
    {
      name: "work-below-the-commands",
      comment:
        "Commands know flags and call services; a service that needs a flag's value gets it as an argument.",
      severity: "error",
      from: {
        path: "^packages/cli/src/(agent|forward|history|probes|replay|check|output)/",
        pathNot: "\\.test\\.ts$",
      },
      to: { path: "^packages/cli/src/(commands/|program\\.ts|main\\.ts|bin\\.ts)" },
    },
    {
      name: "no-test-code-in-the-product",
      comment: "testing/ folders and *.test.ts are for tests.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: ["\\.test\\.tsx?$", "/testing/"] },
      to: { path: ["\\.test\\.tsx?$", "/testing/"] },
    },
    {
      name: "found",
      comment: "The import leads nowhere: mend the path, or add the package to the package.json next to you.",
      severity: "error",
      from: {},
      // Of the two lines of better-sqlite3, only the one that fits this Node is installed.
      to: { couldNotResolve: true, pathNot: "^better-sqlite3(-13)?$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};

import { defineConfig } from "vitest/config";

const shared = { environment: "node" as const, dangerouslyIgnoreUnhandledErrors: false };

/** Files that replace a module: in a worker of their own, since others of the same worker would get the replacement. */
const REPLACES_MODULES = [
  "server/locks/verbs/attempt.test.ts",
  "server/watch/scan/time-budget.test.ts",
  "test/chaos/processes/retrying-http-client.test.ts",
];

/** `*.test.ts` needs nothing but Node; `*.integration.test.ts` starts its own Redis servers. */
export default defineConfig({
  resolve: { alias: { "@": import.meta.dirname } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: "unit",
          // Property tests compute for seconds on a machine that is busy with other things.
          testTimeout: 20_000,
          // Half of the time went into loading the same modules for each file.
          isolate: false,
          include: ["{lib,server,packages,components,scripts,test}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.integration.test.ts", "**/node_modules/**", ...REPLACES_MODULES],
        },
      },
      {
        extends: true,
        test: { ...shared, name: "unit-isolated", testTimeout: 20_000, include: REPLACES_MODULES },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: "integration",
          include: ["{lib,server,packages,components,scripts,test}/**/*.integration.test.ts"],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});

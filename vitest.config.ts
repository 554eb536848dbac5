import { defineConfig } from "vitest/config";

const shared = { environment: "node" as const, dangerouslyIgnoreUnhandledErrors: false };
/** Time limit of property tests, which compute for seconds on a busy machine. */
const unit = { ...shared, testTimeout: 20_000 };
const integration = { ...shared, testTimeout: 60_000, hookTimeout: 60_000 };

/** Files that replace a module. They run in a separate worker, because others would get the replacement. */
const REPLACES_MODULES = ["server/locks/verbs/attempt.test.ts", "server/watch/scan/time-budget.test.ts"];

/** Files that replace the clock of their process or measure its memory, CPU time or timers. */
const NEEDS_OWN_PROCESS = [
  "server/api/event-stream/event-stream.integration.test.ts",
  "server/api/read-cpu.integration.test.ts",
  "server/watch/hostile-messages.integration.test.ts",
  "test/attacks/latency.integration.test.ts",
  "test/hazards/pauses.integration.test.ts",
  "test/hazards/waiting.integration.test.ts",
];

/** `*.test.ts` needs nothing but Node; `*.integration.test.ts` starts its own Redis servers. */
export default defineConfig({
  resolve: { alias: { "@": import.meta.dirname } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...unit,
          name: "unit",
          // Half of the time went into loading the same modules for each file.
          isolate: false,
          include: ["{lib,server,cli,packages,components,scripts,test}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.integration.test.ts", "**/node_modules/**", ...REPLACES_MODULES],
        },
      },
      {
        extends: true,
        test: { ...unit, name: "unit-isolated", include: REPLACES_MODULES },
      },
      {
        extends: true,
        test: {
          ...integration,
          name: "integration",
          // A fifth of the time went into loading the same modules for each file.
          isolate: false,
          include: ["{lib,server,cli,packages,components,scripts,test}/**/*.integration.test.ts"],
          exclude: ["**/node_modules/**", ...NEEDS_OWN_PROCESS],
        },
      },
      {
        extends: true,
        test: { ...integration, name: "integration-isolated", include: NEEDS_OWN_PROCESS },
      },
    ],
  },
});

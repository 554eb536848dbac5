import { defineConfig } from "vitest/config";

const shared = { environment: "node" as const, dangerouslyIgnoreUnhandledErrors: false };

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
          include: ["{lib,server,components,scripts,test}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.integration.test.ts", "**/node_modules/**"],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: "integration",
          include: ["{lib,server,components,scripts,test}/**/*.integration.test.ts"],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});

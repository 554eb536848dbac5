import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const chromium = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/**
 * Files whose tests share a console of their own. Each of them replaces a worker. They run first, so that the other files
 * keep their workers, with a running console and a session.
 */
const OWN_CONSOLES = [
  "accessibility",
  "bulk-release",
  "events",
  "possible-locks",
  "target-access",
  "targets",
].map((name) => `**/${name}.spec.ts`);

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  projects: [
    { name: "own consoles", testMatch: OWN_CONSOLES },
    { name: "shared console", testIgnore: OWN_CONSOLES },
  ],
  workers: 3,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  // Both only bound a hang: a test that proves a time measures it.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    viewport: { width: 1440, height: 900 },
    // An action waits until its element no longer moves.
    contextOptions: { reducedMotion: "reduce" },
    // Recording traces makes the run a fifth longer.
    trace: process.env.LOCKKEEPER_E2E_TRACE === undefined ? "off" : "retain-on-failure",
    launchOptions: {
      ...(existsSync(chromium) ? { executablePath: chromium } : {}),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
      ],
    },
  },
});

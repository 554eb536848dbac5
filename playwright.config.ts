import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const chromium = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // A browser, a server and a Redis share two cores: what fails twice is broken, what fails once is told as flaky.
  retries: 1,
  timeout: 30_000,
  reporter: [["list"]],
  use: {
    viewport: { width: 1440, height: 900 },
    // A trace of what fails takes a fifth of the time of all that does not: on a machine with time to spare.
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

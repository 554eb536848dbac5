// npm run e2e                                 all end-to-end tests, on the production build
// npm run e2e -- e2e/lock-page.spec.ts        one file; other Playwright options also work
import { fileURLToPath } from "node:url";
import { runChild, StepError } from "./steps/child.mjs";
import { findChromium } from "./steps/chromium.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PLAYWRIGHT = fileURLToPath(new URL("../node_modules/@playwright/test/cli.js", import.meta.url));

try {
  const args = ["test", ...process.argv.slice(2)];
  const env = { CHROMIUM_PATH: await findChromium(ROOT) };
  process.exitCode = (await runChild(process.execPath, [PLAYWRIGHT, ...args], { cwd: ROOT, env })).code;
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

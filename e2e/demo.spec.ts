import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { findFreePort } from "../test/support/test-redis.ts";
import { waitForOutput } from "./console.ts";

let demo: ChildProcess;
let link: string;

test.beforeAll(async () => {
  const env = { ...process.env, PORT: String(await findFreePort()) };
  demo = spawn(process.execPath, ["--import", "tsx", "demo/run.ts"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  link = await linkOf(demo);
});

test.afterAll(async () => {
  demo.kill("SIGINT");
  if (demo.exitCode === null) await once(demo, "exit");
});

test("the demo fills the console with locks of several kinds of workers, some of them reentered", async ({
  page,
}) => {
  // Wide enough to show the events next to the table.
  await page.setViewportSize({ width: 1700, height: 900 });
  await page.goto(link);
  await expect(page.getByRole("row", { name: "price-fetcher" })).toBeVisible();
  await expect(page.getByRole("row", { name: "checkout" }).first()).toBeVisible();
  for (const what of ["re-entered", "lock:ids:", "lock:rate:"])
    await expect(page.getByText(what).first()).toBeAttached();
});

/** Waits until the demo is ready, then runs the login command that the demo prints and returns the login link. */
async function linkOf(process: ChildProcess): Promise<string> {
  const text = await waitForOutput(process, /workers are running/);
  const [, file = "", port = ""] = /REDIS_URL="\$\(cat (\S+)\)" PORT=(\d+) npm run login/.exec(text) ?? [];
  const env = { ...globalThis.process.env, REDIS_URL: (await readFile(file, "utf8")).trim(), PORT: port };
  const login = spawn(globalThis.process.execPath, ["--import", "tsx", "scripts/login.ts"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return /http:\S+\/login#\S+/.exec(await waitForOutput(login, /login#\S+\n/))?.[0] ?? "";
}

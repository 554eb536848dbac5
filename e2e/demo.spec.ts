import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "@playwright/test";
import { findFreePort } from "../test/support/test-redis.ts";

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
  // Wide enough for the events beside the table.
  await page.setViewportSize({ width: 1700, height: 900 });
  await page.goto(link);
  await expect(page.getByRole("row", { name: "price-fetcher" })).toBeVisible();
  await expect(page.getByRole("row", { name: "checkout" }).first()).toBeVisible();
  for (const what of ["reentered", "lock:ids:", "lock:rate:"])
    await expect(page.getByText(what).first()).toBeAttached();
});

function linkOf(process: ChildProcess): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    process.stdout?.on("data", (chunk) => {
      text += chunk;
      const found = /http:\S+\/login#\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    process.once("exit", () => reject(new Error(`The demo ended:\n${text}`)));
  });
}

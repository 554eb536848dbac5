import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withTempDir } from "../snippets/language-run.ts";
import { typescriptRunner } from "../snippets/runners.ts";
import { SAMPLES, shellWatcher, typescriptWatcher } from "./watch-runners.ts";
import { proveResetAndRefusal, proveResumption, proveSilenceNoticed } from "./watch-scenarios.ts";

// Python, Go and Java are run by `npm run interop`.
for (const runner of [shellWatcher, typescriptWatcher]) {
  it.concurrent(`${runner.name} prints each event once across cuts, an HTML 502 and a restart`, async () => {
    expect(await proveResumption(runner)).toContain("each printed once");
  }, 150_000);

  it.concurrent(`${runner.name} gives up a silent connection and keeps its filter`, async () => {
    expect(await proveSilenceNoticed(runner)).toContain("a new connection");
  }, 150_000);

  it.concurrent(`${runner.name} reports a last id that the server does not know, and ends when it is refused`, async () => {
    expect(await proveResetAndRefusal(runner)).toContain("status 1");
  }, 150_000);
}

it.concurrent("watch-events.mts compiles under strict settings", async () => {
  await withTempDir(async (dir) => {
    await copyFile(join(SAMPLES, "watch-events.mts"), join(dir, "watch-events.mts"));
    await typescriptRunner.check?.(dir);
  });
}, 150_000);

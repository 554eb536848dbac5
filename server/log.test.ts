import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

/**
 * Returns the standard error output of a separate process. The logger writes directly to standard error, so its output
 * cannot be captured in the test process.
 */
function captureLog(code: string): string {
  const file = JSON.stringify(new URL("log.ts", import.meta.url).href);
  const program = `import { createLogger } from ${file}; const log = createLogger({ logLevel: "error" }); ${code}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", program];
  return spawnSync(process.execPath, args, { encoding: "utf8" }).stderr;
}

it("a logged error, and any error nested in it, contains no Redis command and so no password", () => {
  const text = captureLog(`
    const auth = Object.assign(new Error("WRONGPASS"), { command: { name: "auth", args: ["top secret"] } });
    log.error({ err: auth });
    log.error({ err: Object.assign(new Error("no node answers"), { lastNodeError: auth }) });
    log.error({ err: new AggregateError([auth], "no Sentinel answers") });
    log.error({ err: new Error("not opened", { cause: auth }) });
  `);
  expect(text.trimEnd().split("\n")).toHaveLength(4);
  expect(text).toContain("WRONGPASS");
  expect(text).not.toContain("top secret");
});

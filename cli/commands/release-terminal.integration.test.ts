import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";

const it = serverTest();
/** Whether script(1) of util-linux is installed. `script` runs a command on a terminal. */
const hasScript = await promisify(execFile)("script", ["--version"]).then(
  ({ stdout }) => stdout.includes("util-linux"),
  () => false,
);
const ANSWER_MS = 30_000;

/** Runs `lockkeeper` on a terminal and enters each answer when its question appears. */
async function runOnTerminal(
  words: readonly string[],
  url: string,
  answers: readonly (readonly [question: string, answer: string])[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; text: string }> {
  const command = [process.execPath, "--import", "tsx", "cli/main.ts", ...words].join(" ");
  const environment = { PATH: "/usr/bin:/bin", NODE_ENV: "test" as const, TERM: "xterm" };
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { ...environment, LOCKKEEPER_URL: url, LOCKKEEPER_API_KEY: ROOT_KEY, ...variables },
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  for (const [question, answer] of answers) {
    await waitUntil(() => text.includes(question), ANSWER_MS);
    child.stdin.write(`${answer}\n`);
  }
  await once(child, "close");
  return { code: child.exitCode, text };
}

describe.skipIf(!hasScript)("lockkeeper release on a terminal", () => {
  it("shows the lock, asks for a reason and a confirmation, and releases what it showed", async ({
    server,
    key,
  }) => {
    await server.acquire(key, { owner: "me", leaseMs: 60_000 });
    const { version } = await server.readLock(key);
    const { code, text } = await runOnTerminal(["release", key], server.url, [
      ["Reason, for the audit log:", "pod-7 lost its node"],
      ["Release this hold? The liveness of its holder is unknown. [y/N]", "y"],
    ]);
    expect(text).toContain(version);
    expect(text).toMatch(/Audit entry: request \S+/);
    expect(code).toBe(0);
    expect((await server.readLock(key)).state).toBe("free");
  }, 60_000);

  it("releases nothing without a confirmation", async ({ server, key }) => {
    await server.acquire(key, { owner: "me", leaseMs: 60_000 });
    const { code, text } = await runOnTerminal(["release", key], server.url, [
      ["Reason", "none"],
      ["[y/N]", ""],
    ]);
    expect([code, text.includes("Nothing was done.")]).toEqual([1, true]);
    expect((await server.readLock(key)).state).toBe("held");
  }, 60_000);
});

it.skipIf(!hasScript)(
  "colors are used on a terminal, and not with NO_COLOR",
  async ({ server, key }) => {
    await server.acquire(key, { leaseMs: 60_000 });
    const words = ["show", key];
    expect((await runOnTerminal(words, server.url, [])).text).toContain(`\u001b[1m${key}\u001b[22m`);
    const plain = await runOnTerminal(words, server.url, [], { NO_COLOR: "1" });
    expect(plain.text).toContain(key);
    expect(plain.text).not.toContain("\u001b");
  },
  60_000,
);

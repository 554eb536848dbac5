import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { formatMessage, type GuardianOrders, type SupervisorMessage } from "./guardian-protocol.ts";
import { computeLeaseMargins } from "./lease-margins.ts";
import { ProcessSession } from "./process-session.ts";
import { addMs, getSharedNow } from "./shared-moment.ts";

const GUARDIAN = fileURLToPath(new URL("./guardian.ts", import.meta.url));
const LEASE_MS = 60_000;

const it = test
  .extend("session", async ({}, { onCleanup }) => {
    const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
    const session = ProcessSession.ofLeader(child.pid ?? 0);
    onCleanup(() => session.signalAll("SIGKILL"));
    return session;
  })
  .extend(
    "createOrders",
    ({ session }) =>
      (remainingMs: number): GuardianOrders => ({
        key: "lock:a",
        session: session.ref,
        deadline: addMs(getSharedNow(), remainingMs),
        margins: computeLeaseMargins(LEASE_MS, 5000),
        endSignal: "SIGTERM",
        killAfterMs: 5000,
      }),
  )
  .extend("start", ({}) => (messages: readonly SupervisorMessage[]) => {
    const child = spawn(process.execPath, ["--import", "tsx", GUARDIAN], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    // Writes the messages before the guardian reads the pipe, as if it were still starting or had been stopped.
    child.stdin.write(messages.map(formatMessage).join(""));
    return { child, exited: once(child, "exit"), readOutput: () => output };
  });

describe("the guardian process", () => {
  it("ends the command if the supervisor is killed before the guardian has started", async ({
    session,
    createOrders,
    start,
  }) => {
    const { child, exited } = start([{ type: "watch", orders: createOrders(LEASE_MS) }]);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    expect(session.hasProcesses()).toBe(false);
  });

  it("does not end the command for a deadline that was extended while it started", async ({
    session,
    createOrders,
    start,
  }) => {
    const deadline = addMs(getSharedNow(), LEASE_MS);
    const { child, exited, readOutput } = start([
      { type: "watch", orders: createOrders(-1) },
      { type: "extend", deadline },
    ]);
    while (!readOutput().includes("watching")) await once(child.stdout, "data");
    child.stdin.write(formatMessage({ type: "done" }));
    expect(await exited).toEqual([0, null]);
    expect(readOutput()).not.toContain("ending");
    expect(session.hasProcesses()).toBe(true);
  });

  it("exits without orders, and ignores a message that is cut off", async ({
    session,
    createOrders,
    start,
  }) => {
    const { child, exited } = start([]);
    child.stdin.end(formatMessage({ type: "watch", orders: createOrders(LEASE_MS) }).slice(0, -10));
    expect(await exited).toEqual([0, null]);
    expect(session.hasProcesses()).toBe(true);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { waitUntil } from "../../test/support/test-server.ts";
import { endSession } from "./end-session.ts";
import { ProcessSession } from "./process-session.ts";
import { HAS_PROCESS_TABLE, readSessionProcesses } from "./process-table.ts";

const NEVER = () => Number.POSITIVE_INFINITY;

const it = test.extend("start", async ({}, { onCleanup }) => {
  const leaders: number[] = [];
  onCleanup(() => {
    for (const pid of leaders) ProcessSession.ofLeader(pid).signalAll("SIGKILL");
  });
  return async (script: string) => {
    const child = spawn("/bin/sh", ["-c", `${script}`], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    leaders.push(child.pid ?? 0);
    await once(child.stdout, "data");
    return { child, session: ProcessSession.ofLeader(child.pid ?? 0) };
  };
});

describe("ProcessSession", () => {
  it("ends a process that exits on the signal", async ({ start }) => {
    const { child, session } = await start("echo up; exec sleep 300");
    await endSession(session, { signal: "SIGTERM", killAfterMs: 60_000, getMsUntilKill: NEVER });
    expect(session.hasProcesses()).toBe(false);
    await waitUntil(() => child.signalCode === "SIGTERM");
  });

  it("kills processes that ignore the signal when the time is over, or the lease", async ({ start }) => {
    for (const times of [
      { killAfterMs: 50, getMsUntilKill: NEVER },
      { killAfterMs: 60_000, getMsUntilKill: () => 0 },
    ]) {
      const { session } = await start("trap '' TERM; echo up; sleep 300 & wait; sleep 300");
      await endSession(session, { signal: "SIGTERM", ...times });
      expect(session.hasProcesses()).toBe(false);
    }
  });

  it("lets stopped processes handle the signal", async ({ start }) => {
    const { child, session } = await start("trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done");
    session.signalAll("SIGSTOP");
    await endSession(session, { signal: "SIGTERM", killAfterMs: 60_000, getMsUntilKill: NEVER });
    await waitUntil(() => child.exitCode === 5);
  });

  it.skipIf(!HAS_PROCESS_TABLE)("ends process groups that the command created", async ({ start }) => {
    // timeout(1) creates its own process group.
    const { session } = await start("timeout 300 sleep 300 & echo up; wait");
    const groups = () => readSessionProcesses(session.ref.leaderPid).map(({ groupId }) => groupId);
    await waitUntil(() => new Set(groups()).size === 2);
    await endSession(session, { signal: "SIGTERM", killAfterMs: 60_000, getMsUntilKill: NEVER });
    expect(groups()).toEqual([]);
  });

  it.skipIf(!HAS_PROCESS_TABLE)(
    "signals nothing once its id belongs to another process",
    async ({ start }) => {
      const { child, session } = await start("echo up; exec sleep 300");
      const earlier = new ProcessSession({ ...session.ref, startedAt: "1" });
      expect(earlier.hasProcesses()).toBe(false);
      earlier.signalAll("SIGKILL");
      earlier.signalFirstGroup("SIGKILL");
      expect(session.hasProcesses()).toBe(true);
      expect(child.signalCode).toBeNull();
    },
  );
});

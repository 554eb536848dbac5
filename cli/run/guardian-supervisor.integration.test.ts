import { describe, expect, test, vi } from "vitest";
import { findGuardian } from "../../test/run/run-process.ts";
import { readEnvironment } from "../connection/environment.ts";
import { createGuardianEnvironment } from "./command-environment.ts";
import type { GuardianOrders } from "./guardian-protocol.ts";
import { GuardianSupervisor } from "./guardian-supervisor.ts";
import { computeLeaseMargins } from "./lease-margins.ts";
import { addMs, getSharedNow } from "./shared-moment.ts";

const WITHIN = { timeout: 20_000 };
const LEASE_MS = 60_000;

const createOrders = (): GuardianOrders => ({
  key: "lock:a",
  // No process has this id, because the maximum on Linux is 4,194,304.
  session: { leaderPid: 99_999_999, startedAt: "1" },
  deadline: addMs(getSharedNow(), LEASE_MS),
  margins: computeLeaseMargins(LEASE_MS, 5000),
  endSignal: "SIGTERM",
  killAfterMs: 5000,
});

const it = test.extend("start", async ({}, { onCleanup }) => {
  const { execArgv, execPath } = process;
  // The guardian runs in a separate process, where Vitest does not transform TypeScript.
  process.execArgv = ["--import", "tsx"];
  const supervisors: GuardianSupervisor[] = [];
  onCleanup(async () => {
    Object.assign(process, { execArgv, execPath });
    await Promise.all(supervisors.map((each) => each.dismiss()));
  });
  return async () => {
    const supervisor = await GuardianSupervisor.start(createGuardianEnvironment(readEnvironment().variables));
    supervisors.push(supervisor);
    const events = { onEnding: vi.fn(), onReplaced: vi.fn(), onFailure: vi.fn() };
    await supervisor.watch(createOrders(), events);
    return { supervisor, events, pid: findGuardian(process.pid) ?? Number.NaN };
  };
});

describe("GuardianSupervisor", () => {
  it("replaces a killed guardian, again and again", async ({ start }) => {
    const { events, pid } = await start();
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(events.onReplaced).toHaveBeenCalledTimes(1), WITHIN);
    const second = findGuardian(process.pid);
    expect(second).not.toBe(pid);
    process.kill(second ?? Number.NaN, "SIGKILL");
    await vi.waitFor(() => expect(events.onReplaced).toHaveBeenCalledTimes(2), WITHIN);
    expect(events.onFailure).not.toHaveBeenCalled();
  });

  it("reports that a killed guardian cannot be replaced", async ({ start }) => {
    const { events, pid } = await start();
    process.execPath = "/nonexistent/node";
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(events.onFailure).toHaveBeenCalledTimes(1), WITHIN);
    expect(events.onReplaced).not.toHaveBeenCalled();
  });

  it("ends its process when it is dismissed, even if that is stopped", async ({ start }) => {
    const { supervisor, events, pid } = await start();
    process.kill(pid, "SIGSTOP");
    await supervisor.dismiss();
    expect(findGuardian(process.pid)).toBeUndefined();
    expect(events.onReplaced).not.toHaveBeenCalled();
  });
});

import { guardProcess, unguardProcess } from "../support/process-guard.ts";
import { findGuardian } from "./run-process.ts";
import type { WorkSpan } from "./work-log.ts";

/** The faults of a run. `kill`: SIGKILL of the supervisor. `stop`: SIGSTOP of the supervisor for two leases. */
export const FAULT_KINDS = ["kill", "stop", "kill_guardian"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Monotonic milliseconds of the machine. */
  readonly at: number;
  readonly fence: string;
}

/** Injects a fault into the run that started this work. Returns `undefined` if the run has ended in the meantime. */
export async function injectFault(
  kind: FaultKind,
  span: WorkSpan,
  stopMs: number,
): Promise<Fault | undefined> {
  const at = Number(process.hrtime.bigint()) / 1e6;
  const supervisor = span.parent;
  const victim = kind === "kill_guardian" ? findGuardian(supervisor) : supervisor;
  // After the supervisor has ended, the work has another parent.
  if (victim === undefined || victim <= 1 || !send(victim, kind === "stop" ? "SIGSTOP" : "SIGKILL"))
    return undefined;
  if (kind === "stop") {
    // If this process ended in the meantime, nothing would continue the stopped one.
    guardProcess(victim);
    await new Promise((resolve) => setTimeout(resolve, stopMs));
    send(victim, "SIGCONT");
    unguardProcess(victim);
  }
  return { kind, at, fence: span.fence };
}

function send(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

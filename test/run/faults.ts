import { guardProcess, unguardProcess } from "../support/process-guard.ts";
import { findGuardian } from "./run-process.ts";
import type { WorkSpan } from "./work-log.ts";

/**
 * The faults that affect a run. `kill`: sends SIGKILL to the supervisor. `stop`: stops the supervisor with SIGSTOP for
 * two leases. `kill_guardian`: sends SIGKILL to the guardian.
 */
export const FAULT_KINDS = ["kill", "stop", "kill_guardian"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Time of the fault in milliseconds on the monotonic clock of the machine. */
  readonly at: number;
  readonly fence: string;
}

/** Injects a fault into the run of the given command. Returns `undefined` if the run has already ended. */
export async function injectFault(
  kind: FaultKind,
  span: WorkSpan,
  stopMs: number,
): Promise<Fault | undefined> {
  const at = Number(process.hrtime.bigint()) / 1e6;
  const supervisor = span.parent;
  const victim = kind === "kill_guardian" ? findGuardian(supervisor) : supervisor;
  // After the supervisor has exited, the command is a child of process 1.
  if (victim === undefined || victim <= 1 || !send(victim, kind === "stop" ? "SIGSTOP" : "SIGKILL"))
    return undefined;
  if (kind === "stop") {
    // If this process exits now, no other process resumes the stopped one, so the guard must kill it.
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

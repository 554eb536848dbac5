import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessSession } from "./process-session.ts";
import { getMonotonicMs } from "./shared-moment.ts";

export interface EndingOptions {
  /** The signal to send before SIGKILL; `undefined` if another process has already sent the signal. */
  readonly signal: NodeJS.Signals | undefined;
  /** Maximum time between the first signal and SIGKILL, in milliseconds. */
  readonly killAfterMs: number;
  /**
   * Returns the time in milliseconds until SIGKILL must be sent, even if `killAfterMs` has not passed. Called
   * repeatedly, because the deadline can change.
   */
  readonly getMsUntilKill: () => number;
  /** Called when SIGKILL is sent for the first time. */
  readonly onKill?: () => void;
  /** Called once if processes still exist 3 s after SIGKILL, for example because they are blocked in a system call. */
  readonly onStuck?: () => void;
}

const POLL_MS_MIN = 5;
const POLL_MS_MAX = 50;
const STUCK_MS = 3000;

/**
 * Ends all processes of a session. Sends the signal first. Sends SIGKILL if processes remain after `killAfterMs` or
 * when `getMsUntilKill` returns 0 or less. Resolves when none of the session's processes is running.
 */
export async function endSession(session: ProcessSession, options: EndingOptions): Promise<void> {
  const { signal, killAfterMs, getMsUntilKill, onKill, onStuck } = options;
  const killAt = getMonotonicMs() + killAfterMs;
  if (signal !== undefined) {
    session.signalAll(signal);
    // A stopped process handles the signal only when it continues.
    if (signal !== "SIGKILL") session.signalAll("SIGCONT");
  }
  let killedAt: number | undefined;
  let isStuckReported = false;
  for (let pollMs = POLL_MS_MIN; session.hasProcesses(); pollMs = Math.min(POLL_MS_MAX, pollMs * 2)) {
    const leftMs = Math.min(killAt - getMonotonicMs(), getMsUntilKill());
    if (leftMs <= 0) {
      // Sent repeatedly, because a signal can miss a process that is being created.
      session.signalAll("SIGKILL");
      if (killedAt === undefined) onKill?.();
      killedAt ??= getMonotonicMs();
      if (!isStuckReported && getMonotonicMs() - killedAt > STUCK_MS) {
        isStuckReported = true;
        onStuck?.();
      }
    }
    await sleep(leftMs > 0 ? Math.min(pollMs, leftMs) : pollMs);
  }
}

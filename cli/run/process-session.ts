import { HAS_PROCESS_TABLE, readProcess, readSessionProcesses } from "./process-table.ts";

/** A reference to a session of processes, which can be sent to another process. */
export interface SessionRef {
  /** Process id of the leader, which is also the id of the session and of its first process group. */
  readonly leaderPid: number;
  /** The start time of the leader in the process table; `null` on systems without a process table. */
  readonly startedAt: string | null;
}

/**
 * The processes that a command started: a session with one or more process groups.
 *
 * On Linux, `signalAll` signals all process groups of the session, including those that commands such as timeout(1) or
 * a shell with job control create. On other systems, it signals only the first group. A process that creates its own
 * session, such as a daemon, is not included.
 *
 * The kernel does not reuse the id of a session while any process belongs to the session, but can reuse the id
 * afterwards. On Linux, reuse is detected from the start time of the leader, and no signal is sent.
 */
export class ProcessSession {
  constructor(readonly ref: SessionRef) {}

  /** Returns the session of a leader, which must be running or not yet reaped. */
  static ofLeader(leaderPid: number): ProcessSession {
    return new ProcessSession({ leaderPid, startedAt: readProcess(leaderPid)?.startedAt ?? null });
  }

  /** Sends a signal to the process group of the leader, as a terminal does. */
  signalFirstGroup(name: NodeJS.Signals): void {
    if (this.#isReplaced()) return;
    signalGroup(this.ref.leaderPid, name);
  }

  /** Sends a signal to all processes of the session. */
  signalAll(name: NodeJS.Signals): void {
    if (this.#isReplaced()) return;
    const { leaderPid } = this.ref;
    signalGroup(leaderPid, name);
    const groups = new Set(readSessionProcesses(leaderPid).map(({ groupId }) => groupId));
    groups.delete(leaderPid);
    for (const groupId of groups) signalGroup(groupId, name);
  }

  /** Returns whether any process of the session is running. */
  hasProcesses(): boolean {
    if (this.#isReplaced()) return false;
    const { leaderPid } = this.ref;
    if (HAS_PROCESS_TABLE) return readSessionProcesses(leaderPid).length > 0;
    return isGroupPresent(leaderPid);
  }

  /** Returns whether the id of the leader has been reused by another process. */
  #isReplaced(): boolean {
    const { leaderPid, startedAt } = this.ref;
    const leader = readProcess(leaderPid);
    return leader !== undefined && startedAt !== null && leader.startedAt !== startedAt;
  }
}

function signalGroup(groupId: number, name: NodeJS.Signals): void {
  try {
    process.kill(-groupId, name);
  } catch {
    // The group has no processes, or this user is not permitted to signal them. `hasProcesses` distinguishes the two
    // cases.
  }
}

function isGroupPresent(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

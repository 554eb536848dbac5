import { toKeyFields } from "../../../lib/keys/key.ts";
import { HeldError, LostError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { createAbortedError } from "../waiting/wait-coordinator.ts";
import { retryWhileHeld } from "./acquire-with-retry.ts";
import type { Hold } from "./hold.ts";
import type { HoldOptions, WithLockOptions } from "./hold-options.ts";
import { findFrame, type LockFrame } from "./lock-frame.ts";

/** The hold of a `withLock` call, and the cleanup after its release. */
export interface Entry {
  readonly hold: Hold;
  /**
   * If the call re-entered the hold of the enclosing frame, lets the next call in that frame proceed.
   *
   * @param frame the frame of this call, whose work has ended
   */
  leave(frame: LockFrame): void;
}

type Acquire = (options: HoldOptions) => Promise<Hold>;

const leaveNothing = () => undefined;

/** Re-enters the hold of the enclosing `withLock` if requested and possible. Otherwise, acquires the lock. */
export async function enterLock(
  client: object,
  key: string,
  options: WithLockOptions,
  signal: AbortSignal | undefined,
  acquire: Acquire,
): Promise<Entry> {
  const frame = findFrame(client, key);
  if (frame === undefined) return { hold: await acquire(options), leave: leaveNothing };
  if (options.reentrant !== true || !isSameFormat(frame.hold, options)) {
    const hold = await acquire(options).catch((error: unknown) => {
      throw markHeldByCaller(error, frame);
    });
    return { hold, leave: leaveNothing };
  }
  const { retry, ...once } = options;
  if (retry === undefined) return await reenterOrAcquire(frame, options, signal, acquire);
  return await retryWhileHeld(
    () => reenterOrAcquire(frame, { ...once, waitMs: 0 }, signal, acquire),
    retry,
    signal,
  );
}

async function reenterOrAcquire(
  frame: LockFrame,
  options: HoldOptions,
  signal: AbortSignal | undefined,
  acquire: Acquire,
): Promise<Entry> {
  const { leaseMs, waitMs = 0 } = options;
  const deadline = performance.now() + waitMs;
  if (signal?.aborted) throw createAbortedError(signal);
  const turn = await frame.takeTurn(waitMs, signal);
  if (turn === "timed_out") throw frame.createOccupiedError(waitMs);
  if (turn === "aborted") throw createAbortedError(signal);
  if (turn === "granted") {
    const hold = await tryReenter(frame, leaseMs);
    if (hold !== undefined) return { hold, leave: (inner) => inner.whenVacant(() => frame.endTurn()) };
  }
  // The hold of the frame has ended, so this call acquires the lock again.
  const { format, kind, unit } = frame.hold;
  const leftMs = waitMs === 0 ? 0 : Math.max(1, deadline - performance.now());
  const hold = await acquire({ format, kind, unit, ...options, waitMs: leftMs });
  return { hold, leave: leaveNothing };
}

/**
 * Re-enters the hold of the frame. Ends the turn unless the hold was re-entered.
 * @returns `undefined` if the hold of the frame has ended
 */
async function tryReenter(frame: LockFrame, leaseMs: number | undefined): Promise<Hold | undefined> {
  try {
    if (frame.canBeEntered) return await frame.hold.reenter({ leaseMs });
  } catch (error) {
    if (!(error instanceof LostError)) {
      frame.endTurn();
      throw error;
    }
  }
  frame.endTurn();
  return undefined;
}

/** Whether the hold has the requested format and kind. A writer's hold also satisfies a request of the kind `read`. */
function isSameFormat(
  hold: Hold,
  { format = hold.format, kind = hold.kind, unit = hold.unit }: HoldOptions,
): boolean {
  const isKind = kind === hold.kind || (kind === "read" && hold.kind === "write");
  return format === hold.format && isKind && unit === hold.unit;
}

/**
 * Rejects a request for a write lock if the enclosing `withLock` holds the same lock for reading. Such a call would
 * wait for its own caller.
 *
 * @throws HeldError
 */
export function assertNoUpgrade(client: object, key: string, { kind }: HoldOptions): void {
  if (kind !== "write") return;
  const frame = findFrame(client, key);
  if (frame?.canBeEntered !== true || frame.hold.kind !== "read") return;
  const { owner, count, fence, asOf } = frame.hold;
  throw new HeldError(
    "The caller holds this lock for reading, and a read hold cannot be upgraded. Release the read hold first, then acquire the lock with the kind write.",
    {
      ...toKeyFields(key),
      holders: [{ owner, count, fence }],
      remainingMs: Math.round(frame.hold.remainingMs()),
      asOf,
      heldByCaller: true,
    },
  );
}

/**
 * Adds `heldByCaller` to the error for a refused acquire if the caller itself holds the lock in the frame. Returns any
 * other error unchanged.
 */
export function markHeldByCaller(error: unknown, { canBeEntered, hold }: LockFrame): unknown {
  if (!(error instanceof HeldError || error instanceof WaitTimeoutError)) return error;
  if (!canBeEntered || !error.facts.holders.some(({ fence }) => fence === hold.fence)) return error;
  const message = `${error.message} The caller already holds it; set reentrant to re-enter its hold.`;
  const facts = { ...error.facts, heldByCaller: true };
  return error instanceof HeldError ? new HeldError(message, facts) : new WaitTimeoutError(message, facts);
}

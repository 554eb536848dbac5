import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { toKeyFields } from "../../../lib/keys/key.ts";
import { HeldError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import type { Hold } from "./hold.ts";

/**
 * The outcome of a nested call's wait to re-enter the hold of a frame. `closed`: the work of the frame has ended, and
 * nested calls can no longer re-enter its hold.
 */
export type TurnOutcome = "granted" | "closed" | "timed_out" | "aborted";

interface Turn {
  settle(outcome: TurnOutcome): void;
}

/**
 * The scope in which the work of a `withLock` or `withLocks` call holds one lock. Nested calls that re-enter the hold
 * take turns, so concurrent branches of the work exclude each other.
 */
export class LockFrame {
  #isOpen = true;
  #isOccupied = false;
  #onVacant: (() => void) | undefined;
  readonly #queue: Turn[] = [];

  constructor(
    readonly client: object,
    readonly hold: Hold,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether a nested call can re-enter the hold now. */
  get canBeEntered(): boolean {
    const { state } = this.hold;
    return this.#isOpen && (state === "held" || state === "jeopardy");
  }

  isOf(client: object, key: string): boolean {
    return this.client === client && this.hold.key === key;
  }

  /** Waits for up to `waitMs` until no other branch is inside the frame. After `granted`, call `endTurn` once. */
  takeTurn(waitMs: number, signal: AbortSignal | undefined): Promise<TurnOutcome> {
    if (!this.#isOpen) return Promise.resolve("closed");
    if (!this.#isOccupied) {
      this.#isOccupied = true;
      return Promise.resolve("granted");
    }
    if (waitMs <= 0) return Promise.resolve("timed_out");
    if (signal?.aborted) return Promise.resolve("aborted");
    return new Promise((resolve) => {
      const onAbort = () => turn.settle("aborted");
      const timer = Number.isFinite(waitMs)
        ? armLongTimer(waitMs, () => turn.settle("timed_out"))
        : undefined;
      const turn: Turn = {
        settle: (outcome) => {
          timer?.cancel();
          signal?.removeEventListener("abort", onAbort);
          const at = this.#queue.indexOf(turn);
          if (at >= 0) this.#queue.splice(at, 1);
          resolve(outcome);
        },
      };
      // One signal may cancel many waits.
      if (signal !== undefined) setMaxListeners(0, signal);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(turn);
    });
  }

  endTurn(): void {
    const [next] = this.#queue;
    if (next !== undefined) {
      next.settle("granted");
      return;
    }
    this.#isOccupied = false;
    this.#onVacant?.();
  }

  /**
   * Calls `callback` when no nested call is running inside the frame; immediately if none is running. A nested call
   * that the work did not await can outlive the frame. The next branch of the enclosing frame must wait until that call
   * has ended.
   */
  whenVacant(callback: () => void): void {
    if (this.#isOccupied) this.#onVacant = callback;
    else callback();
  }

  /** Closes the frame after its work has ended. Nested calls that wait for their turn get the outcome `closed`. */
  close(): void {
    this.#isOpen = false;
    for (const turn of [...this.#queue]) turn.settle("closed");
  }

  /**
   * Creates the error for a nested call that was refused because another branch is inside the frame: a WaitTimeoutError
   * if the call waited, otherwise a HeldError.
   */
  createOccupiedError(waitMs: number): HeldError | WaitTimeoutError {
    const { key, owner, count, fence, asOf } = this.hold;
    const facts = {
      ...toKeyFields(key),
      holders: [{ owner, count, fence }],
      remainingMs: Math.round(this.hold.remainingMs()),
      asOf,
      heldByCaller: true,
    };
    return waitMs > 0
      ? new WaitTimeoutError(`Another branch of the caller was inside for all of ${waitMs} ms.`, facts)
      : new HeldError("Another branch of the caller is inside. Set waitMs to wait for your turn.", facts);
  }
}

/** Maximum duration of a timer, in ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

function armLongTimer(ms: number, onEnd: () => void): { cancel(): void } {
  let leftMs = ms;
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    const timerMs = Math.min(leftMs, TIMER_MS_MAX);
    leftMs -= timerMs;
    timer = setTimeout(() => (leftMs > 0 ? arm() : onEnd()), timerMs);
  };
  arm();
  return { cancel: () => clearTimeout(timer) };
}

/**
 * The frames around the current asynchronous code, innermost first. There is at most one frame per client and key: an
 * inner frame hides the outer frames of the same lock, even after the inner frame is closed.
 */
const scope = new AsyncLocalStorage<readonly LockFrame[]>();

/** Finds the nearest enclosing frame of the lock; `undefined` if there is no such frame or if it is closed. */
export function findFrame(client: object, key: string): LockFrame | undefined {
  const frame = scope.getStore()?.find((each) => each.isOf(client, key));
  return frame?.isOpen ? frame : undefined;
}

/** Lists the holds of the client's enclosing frames, innermost first. Omits holds that nested calls cannot re-enter. */
export function listEnclosingHolds(client: object): Hold[] {
  const frames = scope.getStore() ?? [];
  return frames.flatMap((frame) => (frame.client === client && frame.canBeEntered ? [frame.hold] : []));
}

/** Runs the work inside the frame, and closes the frame when the work has ended. */
export async function runInFrame<Result>(frame: LockFrame, work: () => Promise<Result>): Promise<Result> {
  const { client, hold } = frame;
  // Drops closed frames to keep the list short if calls are nested without limit. The outer frames of the same lock
  // were already dropped.
  const around = (scope.getStore() ?? []).filter((each) => each.isOpen && !each.isOf(client, hold.key));
  try {
    return await scope.run([frame, ...around], async () => await work());
  } finally {
    frame.close();
  }
}

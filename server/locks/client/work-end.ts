import type { LostError } from "../../errors/lock-errors.ts";
import type { Hold } from "./hold.ts";
import type { Logger } from "./logger.ts";

/**
 * Releases the hold after the work has ended. A failed release is logged, not thrown, and the hold then ends when its
 * lease expires.
 *
 * @returns the loss if the hold was lost before its release; otherwise `undefined`
 */
export async function releaseAfterWork(hold: Hold, log: Logger | undefined): Promise<LostError | undefined> {
  const { key, owner, fence, holdId } = hold;
  const { loss } = hold;
  try {
    await hold.release();
  } catch (error) {
    if (loss === undefined) {
      log?.warn({ err: error, key, owner, fence, holdId }, "release failed; the lease ends the hold");
    }
  }
  const lost = loss ?? hold.loss;
  if (lost !== undefined) {
    log?.warn({ key, owner, fence, holdId, why: lost.message }, "hold lost before the work finished");
  }
  return lost;
}

/**
 * Sets `loss` as the `cause` of an error that the caller's function threw. Has no effect if the error already has a
 * cause or cannot be changed.
 */
export function attachLoss(error: unknown, loss: LostError | undefined): void {
  if (loss === undefined || error === loss || !(error instanceof Error)) return;
  try {
    if (error.cause !== undefined) return;
    Reflect.defineProperty(error, "cause", { value: loss, configurable: true, writable: true });
  } catch {
    // `cause` cannot be set because the error has a getter or is a proxy, so the error is thrown unchanged.
  }
}

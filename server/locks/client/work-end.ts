import type { LostError } from "../../errors/lock-errors.ts";
import type { Hold } from "./hold.ts";
import type { Logger } from "./logger.ts";

/**
 * Releases the hold of a work that has settled. A release that fails is logged, and the lease ends the hold.
 *
 * @returns the loss, when the hold was lost before
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

/** Gives an error of the work the loss as its cause, where it has none and can take one. */
export function attachLoss(error: unknown, loss: LostError | undefined): void {
  if (loss === undefined || error === loss || !(error instanceof Error)) return;
  try {
    if (error.cause !== undefined) return;
    Reflect.defineProperty(error, "cause", { value: loss, configurable: true, writable: true });
  } catch {
    // A getter or a proxy of the caller's: the error is thrown as it is.
  }
}

import { LockGroup } from "../../../lib/client/lock-group.ts";
import { HeldError, LostError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import type { AcquireOptions, LockVerbs } from "../verbs/contract/verbs.ts";
import { acquireWithRetry } from "./acquire-with-retry.ts";
import type { Hold } from "./hold.ts";
import type { HoldLeases } from "./hold-leases.ts";
import type { AcquireAllOptions } from "./hold-options.ts";
import { findFrame, LockFrame, runInFrame } from "./lock-frame.ts";
import type { Logger } from "./logger.ts";
import { markHeldByCaller } from "./reentry.ts";
import { attachLoss, releaseAfterWork } from "./work-end.ts";

/** The holds of several locks that a `LockClient` acquired together. */
export type HoldGroup = LockGroup<Hold>;

/** Acquires several locks for one client, and runs work while the client holds them. */
export class GroupLocker {
  constructor(
    private readonly client: object,
    private readonly verbs: LockVerbs,
    private readonly leases: HoldLeases,
    private readonly log: Logger | undefined,
  ) {}

  /**
   * Acquires all locks, and starts to renew their holds unless the option `renew` is false.
   *
   * @param isClosed returns whether the client was closed during the acquire; if so, the grants are withdrawn
   * @returns the holds; `undefined` if the client was closed
   * @throws like `LockClient.acquireAll`
   */
  async acquire(
    keys: readonly string[],
    ask: AcquireOptions & { readonly signal?: AbortSignal | undefined },
    { renew = true, onJeopardy, retry }: AcquireAllOptions,
    isClosed: () => boolean,
  ): Promise<HoldGroup | undefined> {
    const subject = { key: keys.join(" "), owner: ask.owner };
    const send = (options: AcquireOptions) => this.verbs.acquireAll(keys, options);
    const [{ grants, abandon }, sentAt] = await acquireWithRetry(send, subject, ask, retry, this.log).catch(
      (error: unknown) => {
        throw this.#markHeldByCaller(error);
      },
    );
    if (isClosed()) {
      abandon();
      return undefined;
    }
    const onHoldJeopardy = () => onJeopardy?.(group);
    const watch = { renew, onJeopardy: onHoldJeopardy };
    const group: HoldGroup = new LockGroup(grants.map((grant) => this.leases.open([grant, sentAt], watch)));
    return group;
  }

  /**
   * Runs the work inside the frames of all holds, so that nested calls can re-enter each hold. Then releases the holds.
   *
   * @throws like `LockClient.withLocks`
   */
  async run<Result>(group: HoldGroup, work: (group: HoldGroup) => Promise<Result>): Promise<Result> {
    const frames = group.holds.map((hold) => new LockFrame(this.client, hold));
    const run = frames.reduce<() => Promise<Result>>(
      (inner, frame) => () => runInFrame(frame, inner),
      async () => await work(group),
    );
    let result: Result;
    try {
      // The grants may have arrived after the local deadline of a hold.
      group.assertHeld();
      result = await run();
    } catch (error) {
      attachLoss(error, await this.#release(group));
      throw error;
    }
    const loss = await this.#release(group);
    if (loss !== undefined) throw loss;
    return result;
  }

  /**
   * Releases all holds. A failed release is logged, not thrown.
   *
   * @returns the LostError for the first hold of the group that was lost; `undefined` if no hold was lost
   */
  async #release({ holds }: HoldGroup): Promise<LostError | undefined> {
    const losses = await Promise.all(holds.map((hold) => releaseAfterWork(hold, this.log)));
    return losses.find((loss) => loss instanceof LostError);
  }

  #markHeldByCaller(error: unknown): unknown {
    if (!(error instanceof HeldError || error instanceof WaitTimeoutError)) return error;
    const frame = findFrame(this.client, error.facts.key);
    return frame === undefined ? error : markHeldByCaller(error, frame);
  }
}

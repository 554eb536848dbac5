import { setTimeout as sleep } from "node:timers/promises";
import { LostError, QueueFullError } from "../../errors/lock-errors.ts";
import { NotReplicatedError, UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { Hold } from "./hold.ts";
import type { HoldOptions } from "./hold-options.ts";
import type { LockClient } from "./lock-client.ts";
import { assertCampaignOptions } from "./options.ts";

export interface CampaignOptions extends Omit<HoldOptions, "waitMs" | "retry" | "signal"> {
  /**
   * Called on election. The client leads until the returned promise settles, or until `signal` aborts because the
   * leadership has ended. Send `hold.fence` with each write.
   */
  readonly onElected: (signal: AbortSignal, hold: Hold) => Promise<void>;
  /** Called with the LostError if the client loses leadership. Not called if the client resigns. */
  readonly onLost?: (reason: unknown) => void;
  /** Ends the campaign when aborted. If the client is the leader, its leadership ends too. */
  readonly signal: AbortSignal;
}

const PAUSE_MS = 500;

/**
 * Takes part in the election of a leader among the clients that campaign for `key`. When the leader resigns, exits or
 * loses its lock, another candidate is elected. At most one client leads at a time, and each client measures its lease
 * on its own clock. If the process of a leader was suspended until the lease expired, the signal aborts when the
 * process resumes.
 *
 * When `onElected` settles, the client releases the lock. Unless this function throws, the client becomes a candidate
 * again after a short pause.
 *
 * @returns once `signal` has aborted
 * @throws errors that `onElected` throws, except those caused by the abort of the signal that it received;
 * InvalidError; errors from the acquire that a retry cannot resolve
 */
export async function campaign(client: LockClient, key: string, options: CampaignOptions): Promise<void> {
  assertCampaignOptions(options);
  const { onElected, onLost, signal, ...holding } = options;
  while (!signal.aborted) {
    const hold = await acquireLeadership(client, key, { ...holding, signal });
    if (hold !== undefined) await lead(hold, { onElected, onLost, signal });
    // Also pauses after a term, so that an `onElected` that returns immediately does not overload Redis.
    await sleep(PAUSE_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
  }
}

async function lead(
  hold: Hold,
  { onElected, onLost, signal }: Pick<CampaignOptions, "onElected" | "onLost" | "signal">,
): Promise<void> {
  const leadership = AbortSignal.any([hold.signal, signal]);
  // If the grant arrived after the local deadline, another client may lead already.
  const isElected = hold.state === "held";
  try {
    if (isElected) await onElected(leadership, hold);
  } catch (error) {
    if (!isEndOf(hold.signal, error) && !isEndOf(signal, error)) throw error;
  } finally {
    const { loss } = hold;
    await hold.release().catch(() => undefined);
    // The release may be the first call that finds the loss.
    const lost = loss ?? hold.loss;
    if (isElected && lost !== undefined) onLost?.(lost);
  }
}

/** Whether `error` is the abort reason of the signal, or the AbortError of an API that received the signal. */
function isEndOf({ aborted, reason }: AbortSignal, error: unknown): boolean {
  if (!aborted) return false;
  return (
    error === reason || (error instanceof Error && error.name === "AbortError" && error.cause === reason)
  );
}

/**
 * Waits until the client acquires the lock of the leader, or until the attempt fails.
 * @returns `undefined` if another attempt is needed
 */
async function acquireLeadership(
  client: LockClient,
  key: string,
  options: HoldOptions & { signal: AbortSignal },
): Promise<Hold | undefined> {
  try {
    return await client.acquire(key, { ...options, waitMs: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (options.signal.aborted) return undefined;
    if (client.isClosed || !isPassing(error)) throw error;
    return undefined;
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof UnavailableError ||
    error instanceof UnknownOutcomeError ||
    error instanceof NotReplicatedError ||
    error instanceof QueueFullError ||
    error instanceof LostError
  );
}

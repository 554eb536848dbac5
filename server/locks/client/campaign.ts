import { setTimeout as sleep } from "node:timers/promises";
import { QueueFullError } from "../../errors/lock-errors.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { Hold } from "./hold.ts";
import type { HoldOptions, LockClient } from "./lock-client.ts";

export interface CampaignOptions extends Omit<HoldOptions, "waitMs" | "retry" | "signal"> {
  /** Leads as long as this runs. The signal ends with the lead: stop then, and use `hold.fence` for what you write. */
  readonly onElected: (signal: AbortSignal, hold: Hold) => Promise<void>;
  /** The lead was lost, not given up. */
  readonly onLost?: (reason: unknown) => void;
  /** Ends the campaign, and the lead with it. */
  readonly signal: AbortSignal;
}

const PAUSE_MS = 500;

/**
 * Picks one of many instances and keeps picking: when the leader ends, dies or loses its lock, another is elected.
 * At most one leads by its own clock; a leader that was suspended finds its signal ended when it wakes.
 *
 * Resolves when the signal ends. What `onElected` throws ends the lead and the campaign.
 */
export async function campaign(client: LockClient, key: string, options: CampaignOptions): Promise<void> {
  const { onElected, onLost, signal, ...holding } = options;
  while (!signal.aborted) {
    const hold = await acquireLeadership(client, key, { ...holding, signal });
    if (hold === undefined) continue;
    const lead = AbortSignal.any([hold.signal, signal]);
    try {
      await onElected(lead, hold);
    } finally {
      if (hold.signal.aborted) onLost?.(hold.signal.reason);
      await hold.release().catch(() => undefined);
    }
  }
}

async function acquireLeadership(
  client: LockClient,
  key: string,
  options: HoldOptions & { signal: AbortSignal },
) {
  try {
    return await client.acquire(key, { ...options, waitMs: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (options.signal.aborted) return undefined;
    const isPassing =
      error instanceof UnavailableError ||
      error instanceof UnknownOutcomeError ||
      error instanceof QueueFullError;
    if (!isPassing) throw error;
    await sleep(PAUSE_MS * (0.5 + Math.random()), undefined, { signal: options.signal }).catch(
      () => undefined,
    );
    return undefined;
  }
}

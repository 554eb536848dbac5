import { setMaxListeners } from "node:events";
import type { Redis } from "ioredis";
import { StartupError } from "../../errors/startup-error.ts";
import { buildEventChannel } from "../../formats/keys.ts";
import { COMMAND_TIMEOUT_MS, connect, parseRedisAddress, waitUntilReady } from "../../redis/connect.ts";
import { computeMajority } from "../../redis/majority.ts";
import { fetchRunId } from "../../redis/server-info.ts";

/**
 * One of the independent Redis servers of a quorum, with Lockkeeper's connections to it. The connections reopen
 * automatically.
 */
export interface QuorumMaster {
  /** The server's address as shown in messages, without credentials. */
  readonly label: string;
  readonly channel: string;
  readonly db: number;
  readonly verbs: Redis;
  readonly wake: Redis;
  readonly renewals: Redis;
}

/**
 * The accepted numbers of masters. `odd`: an odd number, 3 or more. `any`: 2 or more. The server accepts `any`, and
 * reports an even number as a finding.
 */
export type MasterCountRule = "odd" | "any";

const OPEN_MS = 5000;
/**
 * Extra time, in ms, for masters that are slightly slower than the majority. With it, the first holds have votes of all
 * masters.
 */
const STRAGGLER_WAIT_MS = 200;

/**
 * Connects to all masters. A minority of the masters can be down.
 *
 * @throws StartupError if the URLs do not form a valid quorum, or if no majority of the masters responds within five
 *   seconds
 */
export async function openQuorumMasters(
  urls: readonly string[],
  count: MasterCountRule,
): Promise<QuorumMaster[]> {
  assertCount(urls.length, count);
  const masters = createMasters(urls);
  try {
    await waitForMajority(masters);
    await assertDistinct(masters);
  } catch (error) {
    closeQuorumMasters(masters);
    throw error;
  }
  return masters;
}

export function closeQuorumMasters(masters: readonly QuorumMaster[]): void {
  for (const { verbs, wake, renewals } of masters) {
    for (const redis of [verbs, wake, renewals]) redis.disconnect();
  }
}

function assertCount(count: number, rule: MasterCountRule): void {
  if (count >= 3 && count % 2 === 1) return;
  if (rule === "any" && count >= 2) return;
  throw new StartupError(
    `A quorum needs an odd number of independent Redis masters, 3 or more; ${count} ${count === 1 ? "was" : "were"} given. An additional even master tolerates no further failure, and fewer than 3 tolerate none.`,
  );
}

function createMasters(urls: readonly string[]): QuorumMaster[] {
  const addresses = urls.map((url) => parseRedisAddress(url));
  const labels = addresses.map(({ label }) => label);
  const twice = labels.find((label, at) => labels.indexOf(label) !== at);
  if (twice !== undefined) throw createSameServerError(twice, twice);
  return addresses.map((address) => ({
    label: address.label,
    channel: buildEventChannel(address.db),
    db: address.db,
    // Late replies are useful, so commands have no time limit. Instead, the connection to a silent master is closed
    // after this time. The master gets no further requests until a new connection responds.
    verbs: connect(address, "verbs", { commandTimeout: undefined, socketTimeout: COMMAND_TIMEOUT_MS }),
    wake: connect(address, "wake", { autoResubscribe: false }),
    renewals: connect(address, "renewals"),
  }));
}

async function waitForMajority(masters: readonly QuorumMaster[]): Promise<void> {
  const majority = computeMajority(masters.length);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let ready = 0;
  const opened = masters.map(async ({ verbs, wake, renewals }) => {
    await Promise.all([verbs, wake, renewals].map((redis) => waitUntilReady(redis, stop.signal)));
    ready++;
    if (ready === majority) arm(STRAGGLER_WAIT_MS);
  });
  let timer: NodeJS.Timeout | undefined;
  const arm = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), ms);
  };
  arm(OPEN_MS);
  const states = await Promise.allSettled(opened);
  clearTimeout(timer);
  if (ready >= majority) return;
  const silent = masters.filter((_, at) => states[at]?.status === "rejected").map(({ label }) => label);
  throw new StartupError(
    `The quorum needs ${majority} of its ${masters.length} masters, but ${ready} responded within ${OPEN_MS / 1000} seconds. No response from ${silent.join(", ")}.`,
  );
}

/**
 * Rejects two addresses of the same server, because its votes would count twice. Does not check masters that are down.
 */
async function assertDistinct(masters: readonly QuorumMaster[]): Promise<void> {
  const seen = new Map<string, string>();
  for (const { label, verbs } of masters) {
    if (verbs.status !== "ready") continue;
    const runId = await fetchRunId(verbs);
    if (runId === undefined) continue;
    const other = seen.get(runId);
    if (other !== undefined) throw createSameServerError(other, label);
    seen.set(runId, label);
  }
}

function createSameServerError(one: string, other: string): StartupError {
  return new StartupError(
    `${one} and ${other} are the same server; the masters of a quorum must be independent.`,
  );
}

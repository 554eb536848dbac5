import type { Contender } from "../contender.ts";
import type { Facts, Run } from "../figure.ts";
import { readPeerVersions } from "../machine.ts";
import { createRedisSemaphore } from "../peers/redis-semaphore.ts";
import { createRedlock } from "../peers/redlock.ts";
import { openOurs } from "./ours.ts";
import { openRaw } from "./raw.ts";

/** Opens Lockkeeper and its peers, in this order, each with its own connection. */
export async function openContenders(run: Run, url: string): Promise<readonly Contender[]> {
  const contenders = [await openOurs(url), await openRaw(url), createRedlock(url), createRedisSemaphore(url)];
  for (const contender of contenders) run.defer(() => contender.close());
  return contenders;
}

export function listSettings(contenders: readonly Contender[]): Facts {
  const names = new Set(contenders.map(({ name }) => name));
  const versions = Object.entries(readPeerVersions()).filter(([name]) => names.has(name));
  return {
    ...Object.fromEntries(versions),
    settings: Object.fromEntries(contenders.map(({ name, settings }) => [name, settings])),
  };
}

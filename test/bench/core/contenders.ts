import type { Contender } from "../contender.ts";
import type { Facts, Run } from "../figure.ts";
import { peerVersions } from "../machine.ts";
import { redisSemaphore } from "../peers/redis-semaphore.ts";
import { redlock } from "../peers/redlock.ts";
import { ours } from "./ours.ts";
import { raw } from "./raw.ts";

/** Ours first, then those it is compared with, each on a connection of its own. */
export async function openContenders(run: Run, url: string): Promise<readonly Contender[]> {
  const contenders = [await ours(url), await raw(url), redlock(url), redisSemaphore(url)];
  for (const contender of contenders) run.later(() => contender.close());
  return contenders;
}

export function settingsOf(contenders: readonly Contender[]): Facts {
  const names = new Set(contenders.map(({ name }) => name));
  const versions = Object.entries(peerVersions()).filter(([name]) => names.has(name));
  return {
    ...Object.fromEntries(versions),
    settings: Object.fromEntries(contenders.map(({ name, settings }) => [name, settings])),
  };
}

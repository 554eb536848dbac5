import type { ForceReleased } from "../../lib/contract/actions/force-release.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { FREED_TOGETHER } from "../../lib/formats/released-together.ts";
import { fieldsOfKey, type Key } from "../../lib/keys/key.ts";
import type { FreeAsk } from "../formats/lock-format.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { OperatorVerbs } from "../locks/verbs/verbs.ts";
import type { Hold } from "../watch/holds/observed-hold.ts";
import type { Watcher } from "../watch/watcher.ts";

type Freed = NonNullable<ForceReleased["together"]>[number];

interface Parts {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
}

/** More keys than anybody locks together. */
const KEYS_MAX = 100;

/** The other keys that are freed with this one. */
export function keysTogether(watcher: Watcher, hold: Hold, format: FormatName): Key[] {
  return FREED_TOGETHER.has(format) ? watcher.mirror.sharing(hold, KEYS_MAX) : [];
}

/** Frees each of the keys that still has the token of `seen`. */
export async function freeTogether(
  parts: Parts,
  keys: readonly Key[],
  seen: HeldObservation,
  ask: FreeAsk,
): Promise<Freed[]> {
  // The lock that was asked for is free by now, so no failure of another one may hide that.
  const free = async (key: Key): Promise<Freed> => ({
    ...fieldsOfKey(key),
    outcome: await freeOther(parts, key, seen, ask).catch(() => "unknown" as const),
  });
  return await Promise.all(keys.map(free));
}

async function freeOther(
  { locks, watcher }: Parts,
  key: Key,
  { format, holders: [{ owner }] }: HeldObservation,
  ask: FreeAsk,
): Promise<Freed["outcome"]> {
  const seen = await watcher.lookAs(key, format);
  if (seen.state === "free") return "already_gone";
  if (seen.state !== "held" || seen.format !== format || seen.holders[0].owner !== owner) return "changed";
  const { outcome } = await locks.forceRelease(seen, ask);
  return outcome === "gone" ? "already_gone" : outcome === "released" ? outcome : "changed";
}

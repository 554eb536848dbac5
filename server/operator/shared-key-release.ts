import type { ForceReleased } from "../../lib/contract/actions/force-release.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { RELEASED_TOGETHER } from "../../lib/formats/released-together.ts";
import { type Key, toKeyFields } from "../../lib/keys/key.ts";
import type { ForceReleaseParams } from "../formats/lock-format.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { OperatorVerbs } from "../locks/verbs/contract/verbs.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import type { Watcher } from "../watch/watcher.ts";

type SharedKeyResult = NonNullable<ForceReleased["together"]>[number];

interface SharedKeyReleaseDeps {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
}

/** Maximum number of other keys to release, which is more than any client locks together. */
const KEYS_MAX = 100;

/**
 * Finds up to 100 other keys that have the same token as a hold and are released together with the hold. Returns an
 * empty array for formats whose locks always have a single key.
 */
export function findKeysSharingToken(watcher: Watcher, hold: ObservedHold, format: FormatName): Key[] {
  return RELEASED_TOGETHER.has(format) ? watcher.index.findKeysSharingToken(hold, KEYS_MAX) : [];
}

/**
 * Force-releases each of `keys` that still has the token of `seen`. Returns the outcome for each key, which is
 * `unknown` if the force-release of the key failed.
 */
export async function forceReleaseSharedKeys(
  deps: SharedKeyReleaseDeps,
  keys: readonly Key[],
  seen: HeldObservation,
  request: ForceReleaseParams,
): Promise<SharedKeyResult[]> {
  // The requested lock has already been released. A failure to release another key is reported as `unknown` instead of
  // failing the request.
  const releaseKey = async (key: Key): Promise<SharedKeyResult> => ({
    ...toKeyFields(key),
    outcome: await forceReleaseSharedKey(deps, key, seen, request).catch(() => "unknown" as const),
  });
  return await Promise.all(keys.map(releaseKey));
}

async function forceReleaseSharedKey(
  { locks, watcher }: SharedKeyReleaseDeps,
  key: Key,
  { format, holders: [{ token }] }: HeldObservation,
  request: ForceReleaseParams,
): Promise<SharedKeyResult["outcome"]> {
  const seen = await watcher.readKeyAs(key, format);
  if (seen.state === "free") return "already_gone";
  if (seen.state !== "held" || seen.format !== format) return "changed";
  const [found] = seen.holders;
  if (found.token !== token || found.fence !== null) return "changed";
  const { outcome } = await locks.forceRelease(seen, request);
  return outcome === "gone" ? "already_gone" : outcome === "released" ? outcome : "changed";
}

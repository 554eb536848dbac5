import type { Extended, ExtendInput } from "../../lib/contract/actions/extend.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../lib/formats/format-catalogue.ts";
import { fieldsOfKey, type Key, textOfKey } from "../../lib/keys/key.ts";
import { LostError } from "../errors/lock-errors.ts";
import { ReadOnlyError, ReasonRequiredError } from "../errors/operator-errors.ts";
import type { HeldObservation } from "../formats/observation.ts";
import { notALock } from "../locks/verbs/error-factories.ts";
import type { OperatorVerbs } from "../locks/verbs/verbs.ts";
import type { KeyRange } from "../redis/glob.ts";
import type { Hold } from "../watch/holds/observed-hold.ts";
import { renewalOf } from "../watch/holds/renewal-policy.ts";
import type { Watcher } from "../watch/watcher.ts";
import { changed, find } from "./force-release.ts";

interface Parts {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
}

type Ask = ExtendInput & {
  readonly by: string;
  /** Keys that the caller may see; undefined: all. */
  readonly within: KeyRange | undefined;
};

/**
 * Gives the hold that the operator saw more time, or does nothing: compared as a force-release is.
 *
 * @throws LockkeeperError reason_required, format_required, read_only, invalid, lost, changed, unsure, not_a_lock,
 *   key_not_allowed, unavailable, unknown_outcome
 */
export async function extendByForce(parts: Parts, key: Key, ask: Ask): Promise<Extended> {
  const reason = ask.reason.trim();
  if (reason === "") throw new ReasonRequiredError("Say in `reason` why the lock stays taken for longer.");
  const { watcher, locks } = parts;
  const { leaseMs, by } = ask;
  const found = await find(parts, key, { ...ask, doing: "extend" });
  if ("goneAt" in found) throw isOver(key);
  const { hold, seen } = found;
  assertExtensible(seen);
  const reply = await locks.extend(seen, { leaseMs, by, reason });
  if (reply.outcome === "not_a_lock") throw notALock(key, reply.type);
  if (reply.outcome === "gone") throw isOver(key);
  if (reply.outcome === "changed") throw await changed(watcher, key, ask.within);
  const { outcome, remainingMs, asOf } = reply;
  return {
    ...{ ...fieldsOfKey(key), outcome, owner: textOfKey(seen.holders[0].owner), by },
    ...{ remainingMs, lasts: lastsOf(hold, seen), asOf },
  };
}

function isOver(key: Key): LostError {
  return new LostError(
    "The hold that you saw is over, and nothing was prolonged. Look at the lock.",
    fieldsOfKey(key),
  );
}

/** Where the end of the lock is not its key's time to live alone. */
const DEADLINE_IN_VALUE: ReadonlySet<FormatName> = new Set(["timestamp", "redis-lock"]);

/** @throws ReadOnlyError */
function assertExtensible(seen: HeldObservation): void {
  const why = whyNot(seen);
  if (why === undefined) return;
  throw new ReadOnlyError(
    `A lock of ${FORMAT_FACTS[seen.format].label} is not given more time here. ${why} Nothing was changed.`,
    { why },
  );
}

function whyNot({ format, type, kind, holders }: HeldObservation): string | undefined {
  const [{ fence }] = holders;
  if (holders.length > 1) return "Several hold it, and each has a time of its own.";
  if (fence !== null) return undefined;
  if (DEADLINE_IN_VALUE.has(format)) return "Its end stands in its value, by which its holder knows its own.";
  const isPlain = kind === "lock" || kind === "fair" || kind === "fenced";
  if (type === "hash" && format === "redisson" && isPlain) return undefined;
  if (type === "string" && isPlain) return undefined;
  return "When it ends is not told by the time to live of its key alone.";
}

function lastsOf({ judgement }: Hold, seen: HeldObservation): Extended["lasts"] {
  // Our own renewals never shorten a lease.
  if (seen.holders[0].fence !== null) return "to_its_end";
  const { who } = renewalOf(seen);
  if (who === "all" || judgement.state === "renewing" || judgement.state === "late") return "until_renewed";
  return who === "none" ? "to_its_end" : "unknown";
}

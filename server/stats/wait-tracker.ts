import { parseReservedOwner } from "../../lib/contract/actions/reservation.ts";
import type { EventType, LockEvent } from "../../lib/contract/event.ts";
import type { PatternCount } from "../../lib/contract/stats.ts";
import { formatKey, type Key, parseKeyFields } from "../../lib/keys/key.ts";
import { toKeyPattern } from "../../lib/keys/key-pattern.ts";
import type { ObservedHold, ObservedHolder } from "../watch/holds/observed-hold.ts";
import { BoundedMap } from "./bounded-map.ts";
import { type PatternRecord, PatternRegistry } from "./pattern-registry.ts";
import type { StatsSeries } from "./stats-series.ts";
import type { VerbCall } from "./verb-call.ts";

/**
 * Maximum number of key and label pairs whose waits are timed. The waits of a dropped pair are still counted, but
 * without their durations.
 */
const WAITS_MAX = 10_000;
/** Maximum number of timed waits per key and label. The Lua scripts limit the waiters per key to the same number. */
const SAME_LABEL_WAITS_MAX = 1000;
/** Maximum number of holds that have left the index and whose end event has not arrived yet. */
const GONE_HOLDS_MAX = 10_000;
/** Time in ms within which the end event of a hold arrives after the hold has left the index. */
const REPORTED_WITHIN_MS = 5000;
/** Maximum number of expired holds that are remembered to detect that their holders still use them. */
const EXPIRED_HOLDS_MAX = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Maximum time in ms by which an event can be ahead of the Redis clock. The limit exists because any client can publish
 * on the event channel.
 */
const CLOCK_AHEAD_MS = 60_000;
/**
 * Maximum difference in ms between the time of an event and the last clock reading for which the clock is not read
 * again.
 */
const COMPARED_NEAR_MS = 30_000;
/** Maximum number of keys whose pattern is cached. An acquire and its release usually follow each other closely. */
const KNOWN_PATTERNS_MAX = 2000;

/** Facts about an ended hold that its end event does not contain. */
interface GoneHold {
  readonly isRenewed: boolean;
  /** Whether the hold already existed when it was first observed. Its duration is then unknown. */
  readonly isStartUnknown: boolean;
  /** Time at which the hold left the index, on the Redis clock, in Unix milliseconds. */
  readonly at: number;
}

export interface WaitTrackerDeps {
  /** Returns the current time on the Redis clock, in Unix milliseconds. */
  now(): number;
  findHold(key: Key): ObservedHold | undefined;
  readonly series: StatsSeries;
}

/**
 * Tracker of the waits and hold times of one target. Counts acquisitions, waits, expiries and other events by key
 * pattern.
 */
export class WaitTracker {
  readonly patterns = new PatternRegistry();
  /** Number of holds since the process started that expired while their holder was still using them. */
  expiredInUse = 0;
  readonly #patternByKey = new Map<Key, string>();
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** Start times of waits by key and label, longest wait first. Clients with the same label are indistinguishable. */
  readonly #waits = new BoundedMap<number[]>(WAITS_MAX);
  readonly #goneHolds = new BoundedMap<GoneHold>(GONE_HOLDS_MAX);
  /** Holds from past events whose start is unknown, because they already existed when they were first observed. */
  readonly #holdsOfUnknownStart = new BoundedMap<true>(GONE_HOLDS_MAX);
  readonly #expiredHolds = new BoundedMap<true>(EXPIRED_HOLDS_MAX);

  constructor(private readonly deps: WaitTrackerDeps) {}

  /**
   * Records facts about holders that this change removes from the index. Must be called before `onEvent` is called for
   * the same change.
   */
  onHoldChange(before: ObservedHold | undefined, after: ObservedHold | undefined): void {
    if (before === undefined) return;
    for (const holder of before.holders) {
      if (after?.holders.some(({ epoch }) => epoch === holder.epoch)) continue;
      const gone = toGoneHold(before, holder, this.deps.now());
      if (gone !== undefined)
        this.#goneHolds.set(formatHoldKey(before.key, holder.seen.fence, formatKey(holder.seen.token)), gone);
    }
  }

  onEvent(event: LockEvent): void {
    // These are the most frequent types, and neither is counted.
    if (event.type === "renewed" || event.type === "seen") return;
    const at = this.#clampTime(event);
    if (at === undefined || parseReservedOwner(event.owner ?? "") !== undefined) return;
    const key = parseKeyFields(event);
    this.#countEvent(event, key, at, this.patterns.getOrCreate(this.#findPattern(key), at));
  }

  /**
   * Counts an event from before this process started, without adding it to the time series. The history does not
   * contain waits.
   */
  addPastEvent(event: LockEvent): void {
    const at = this.#clampTime(event);
    const { type, owner = "", fence, heldMs, observed } = event;
    if (at === undefined || parseReservedOwner(owner) !== undefined) return;
    const key = parseKeyFields(event);
    if (type === "seen") {
      this.#holdsOfUnknownStart.set(formatHoldKey(key, fence, owner), true);
      return;
    }
    const pattern = this.patterns.getOrCreate(this.#findPattern(key), at);
    const counted = COUNT_BY_EVENT[type];
    if (counted !== undefined) pattern.count(counted, at);
    if (type !== "released" && type !== "expired") return;
    const isOlder =
      this.#holdsOfUnknownStart.take(formatHoldKey(key, fence, owner)) && observed === "inferred";
    if (heldMs !== undefined && !isOlder) pattern.addHeldTime(heldMs, at);
  }

  /**
   * Returns the time of an event, limited to about a minute ahead of the Redis clock. Returns `undefined` if the event
   * is older than a day.
   */
  #clampTime({ at }: LockEvent): number | undefined {
    if (Math.abs(at - this.#comparedAt) <= COMPARED_NEAR_MS) return at;
    this.#comparedAt = this.deps.now();
    return at < this.#comparedAt - DAY_MS ? undefined : Math.min(at, this.#comparedAt + CLOCK_AHEAD_MS);
  }

  #findPattern(key: Key): string {
    const known = this.#patternByKey.get(key);
    if (known !== undefined) return known;
    const pattern = toKeyPattern(key);
    if (this.#patternByKey.size >= KNOWN_PATTERNS_MAX) this.#patternByKey.clear();
    this.#patternByKey.set(key, pattern);
    return pattern;
  }

  #countEvent(event: LockEvent, key: Key, at: number, pattern: PatternRecord): void {
    const { type, owner = "" } = event;
    const counted = COUNT_BY_EVENT[type];
    if (counted !== undefined) pattern.count(counted, at);
    if (counted === "acquisitions") this.deps.series.countAcquisition();
    if (counted === "acquisitions" || type === "reentered") this.#endWait(key, owner, at, pattern);
    else if (type === "waiting") this.#startWait(key, owner, at);
    else if (type === "wait_ended") this.#takeWait(key, owner);
    else if (type === "released" || type === "expired") this.#endHold(event, key, at, pattern);
  }

  /** Counts the outcome of a verb call that this instance handled. */
  onVerbCall({ verb, key, fence }: VerbCall, outcome: string): void {
    const isRefused = verb === "acquire" && (outcome === "held" || outcome === "queue_full");
    const isNotRenewed = verb === "renew" && RENEWAL_FAILURES.has(outcome);
    const isLate = fence !== undefined && (outcome === "lost" || outcome === "not_held");
    if (!isRefused && !isNotRenewed && !isLate) return;
    const at = this.deps.now();
    const pattern = this.patterns.getOrCreate(toKeyPattern(key), at);
    if (isRefused) pattern.count("refusals", at);
    if (isNotRenewed) pattern.count("renewalsFailed", at);
    if (isLate && this.#expiredHolds.take(formatHoldKey(key, fence, "")))
      this.#countExpiredInUse(pattern, at);
  }

  #startWait(key: Key, owner: string, at: number): void {
    const name = formatWaitKey(key, owner);
    const starts = this.#waits.take(name) ?? [];
    if (starts.length < SAME_LABEL_WAITS_MAX) starts.push(at);
    this.#waits.set(name, starts);
  }

  /**
   * Removes the longest wait with the given key and label. Returns the time at which the wait started, or `undefined`
   * if no wait has this key and label.
   */
  #takeWait(key: Key, owner: string): number | undefined {
    const name = formatWaitKey(key, owner);
    const starts = this.#waits.take(name) ?? [];
    const since = starts.shift();
    if (starts.length > 0) this.#waits.set(name, starts);
    return since;
  }

  #endWait(key: Key, owner: string, at: number, pattern: PatternRecord): void {
    if (this.#waits.size === 0) return;
    const since = this.#takeWait(key, owner);
    if (since === undefined) return;
    const ms = Math.max(0, at - since);
    pattern.addWaitTime(ms, at);
    this.deps.series.addWaitTime(ms);
  }

  #endHold(
    { type, owner = "", fence, heldMs, observed }: LockEvent,
    key: Key,
    at: number,
    pattern: PatternRecord,
  ): void {
    // Reported releases contain the hold time.
    if (type === "released" && observed === "exact") {
      if (heldMs !== undefined) pattern.addHeldTime(heldMs, at);
      return;
    }
    const name = formatHoldKey(key, fence, owner);
    const gone = this.#takeGoneHold(name) ?? this.#findIndexedHold(key, name);
    if (heldMs !== undefined && !gone?.isStartUnknown) pattern.addHeldTime(heldMs, at);
    if (type !== "expired") return;
    this.deps.series.countExpiry();
    if (gone?.isRenewed) this.#countExpiredInUse(pattern, at);
    else if (fence !== undefined) this.#expiredHolds.set(name, true);
  }

  /**
   * Removes and returns the facts about a hold that recently left the index. Ignores older facts, because they belong
   * to an earlier hold of the same owner whose end was reported.
   */
  #takeGoneHold(name: string): GoneHold | undefined {
    const gone = this.#goneHolds.take(name);
    return gone !== undefined && this.deps.now() - gone.at < REPORTED_WITHIN_MS ? gone : undefined;
  }

  /**
   * Returns the facts about a hold that is still in the index. The end event of a hold may arrive before the
   * observation that removes the hold.
   */
  #findIndexedHold(key: Key, name: string): GoneHold | undefined {
    const hold = this.deps.findHold(key);
    const holder = hold?.holders.find(
      ({ seen: { fence, token } }) => formatHoldKey(key, fence, formatKey(token)) === name,
    );
    return hold && holder && toGoneHold(hold, holder, this.deps.now());
  }

  #countExpiredInUse(pattern: PatternRecord, at: number): void {
    pattern.count("expiredInUse", at);
    this.expiredInUse++;
  }
}

const COUNT_BY_EVENT: Partial<Record<EventType, PatternCount>> = {
  acquired: "acquisitions",
  recreated: "acquisitions",
  waiting: "waits",
  wait_ended: "givenUp",
  expired: "expired",
  force_released: "forceReleases",
  evicted: "evictions",
};
const RENEWAL_FAILURES: ReadonlySet<string> = new Set(["lost", "unavailable", "unknown_outcome", "internal"]);

function toGoneHold(
  { renewals, seen }: ObservedHold,
  holder: ObservedHolder,
  at: number,
): GoneHold | undefined {
  const isRenewed = renewals.count > 0 && seen.holders.length === 1;
  const isOlder = holder.since === "at_least" && holder.seen.sinceMs === null;
  return isRenewed || isOlder ? { isRenewed, isStartUnknown: isOlder, at } : undefined;
}

function formatWaitKey(key: Key, owner: string): string {
  return `${key}\n${owner}`;
}

/** Formats a map key that identifies a hold by its fencing token, or a foreign hold by the owner string in its lock. */
function formatHoldKey(key: Key, fence: string | null | undefined, stored: string): string {
  return `${key}\n${fence ?? `\n${stored}`}`;
}

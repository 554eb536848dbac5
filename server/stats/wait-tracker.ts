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

/** Who waits is remembered of so many; one who is forgotten is counted, but not for how long it waited. */
const WAITS_MAX = 10_000;
/** As many as may wait for one key at our scripts. */
const SAME_LABEL_WAITS_MAX = 1000;
/** Holds that are in the picture no more, until it is told how they ended. */
const GONE_HOLDS_MAX = 10_000;
/** How soon it is told how a hold ended that is in the picture no more. */
const REPORTED_WITHIN_MS = 5000;
/** Holds that expired, until their holder comes back for them. */
const EXPIRED_HOLDS_MAX = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Anyone may publish on our channel; a clock that is so far ahead is no clock. */
const CLOCK_AHEAD_MS = 60_000;
/** A time so near to one that was compared with the clock need not be. */
const COMPARED_NEAR_MS = 30_000;
/** Keys whose pattern is known: acquire and release come soon after each other. */
const KNOWN_PATTERNS_MAX = 2000;

/** What the picture knew of a hold that its ending does not tell. */
interface GoneHold {
  readonly isRenewed: boolean;
  /** It was held already when it was first seen, so nobody knows for how long it was. */
  readonly isStartUnknown: boolean;
  /** When it was missed. */
  readonly at: number;
}

export interface WaitTrackerDeps {
  /** Redis's clock, Unix milliseconds. */
  now(): number;
  findHold(key: Key): ObservedHold | undefined;
  readonly series: StatsSeries;
}

/** Counts what happens to the locks of one target, by the pattern of their keys. */
export class WaitTracker {
  readonly patterns = new PatternRegistry();
  /** Since the start. */
  expiredInUse = 0;
  readonly #patternByKey = new Map<Key, string>();
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** Since when clients wait, the longest first, by key and label: clients of one label cannot be told apart. */
  readonly #waits = new BoundedMap<number[]>(WAITS_MAX);
  readonly #goneHolds = new BoundedMap<GoneHold>(GONE_HOLDS_MAX);
  /** Of remembered events: holds that were there before somebody looked. */
  readonly #holdsOfUnknownStart = new BoundedMap<true>(GONE_HOLDS_MAX);
  readonly #expiredHolds = new BoundedMap<true>(EXPIRED_HOLDS_MAX);

  constructor(private readonly deps: WaitTrackerDeps) {}

  /** The picture of a key has changed. To be called before the events that tell of it. */
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
    // The most frequent of all, and neither says anything that is counted.
    if (event.type === "renewed" || event.type === "seen") return;
    const at = this.#clampTime(event);
    if (at === undefined || parseReservedOwner(event.owner ?? "") !== undefined) return;
    const key = parseKeyFields(event);
    this.#countEvent(event, key, at, this.patterns.getOrCreate(this.#findPattern(key), at));
  }

  /** What happened before this process began. It is no point of the series, and waits were not recorded. */
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

  /** undefined: too long ago. */
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

  /** What became of a call of one of our own verbs. */
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

  /** Since when the one waited that has waited longest. */
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
    // Our scripts tell all there is to know.
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

  /** One that was missed long ago was an earlier hold of the same owner, whose end was told by our scripts. */
  #takeGoneHold(name: string): GoneHold | undefined {
    const gone = this.#goneHolds.take(name);
    return gone !== undefined && this.deps.now() - gone.at < REPORTED_WITHIN_MS ? gone : undefined;
  }

  /** The word that somebody else has the lock may come before the look that shows it. */
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

/** Identifies a hold: one of ours by its fence, another one by what its lock stores. */
function formatHoldKey(key: Key, fence: string | null | undefined, stored: string): string {
  return `${key}\n${fence ?? `\n${stored}`}`;
}

import { reservedFor } from "../../lib/contract/actions/reservation.ts";
import type { EventType, LockEvent } from "../../lib/contract/event.ts";
import type { PatternCount } from "../../lib/contract/stats.ts";
import { type Key, keyOfFields, textOfKey } from "../../lib/keys/key.ts";
import { patternOf } from "../../lib/keys/key-pattern.ts";
import type { HeldBy, Hold } from "../watch/holds/observed-hold.ts";
import { Few } from "./bounded-map.ts";
import { type OnePattern, Patterns } from "./pattern-registry.ts";
import type { Series } from "./stats-series.ts";
import type { VerbCall } from "./verb-call.ts";

/** Who waits is remembered of so many; one who is forgotten is counted, but not for how long it waited. */
const WAITS_MAX = 10_000;
/** Holds that are in the picture no more, until it is told how they ended. */
const GONE_MAX = 10_000;
/** How soon it is told how a hold ended that is in the picture no more. */
const TOLD_WITHIN_MS = 5000;
/** Holds that expired, until their holder comes back for them. */
const LAPSED_MAX = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Anyone may publish on our channel; a clock that is so far ahead is no clock. */
const AHEAD_MS = 60_000;
/** A time so near to one that was compared with the clock need not be. */
const NEAR_MS = 30_000;
/** Keys whose pattern is known: acquire and release come soon after each other. */
const KNOWN_MAX = 2000;

/** What the picture knew of a hold that its ending does not tell. */
interface Gone {
  readonly isRenewed: boolean;
  /** It was held already when it was first seen, so nobody knows for how long it was. */
  readonly isOlder: boolean;
  /** When it was missed. */
  readonly at: number;
}

export interface LedgerParts {
  /** Redis's clock, Unix milliseconds. */
  now(): number;
  holdOf(key: Key): Hold | undefined;
  readonly series: Series;
}

/** Counts what happens to the locks of one target, by the pattern of their keys. */
export class Ledger {
  readonly patterns = new Patterns();
  /** Since the start. */
  expiredInUse = 0;
  readonly #known = new Map<Key, string>();
  #comparedAt = Number.NEGATIVE_INFINITY;
  readonly #waits = new Few<number>(WAITS_MAX);
  readonly #gone = new Few<Gone>(GONE_MAX);
  /** Of remembered events: holds that were there before somebody looked. */
  readonly #older = new Few<true>(GONE_MAX);
  readonly #lapsed = new Few<true>(LAPSED_MAX);

  constructor(private readonly parts: LedgerParts) {}

  /** The picture of a key has changed. To be called before the events that tell of it. */
  seen(before: Hold | undefined, after: Hold | undefined): void {
    if (before === undefined) return;
    for (const holder of before.holders) {
      if (after?.holders.some(({ epoch }) => epoch === holder.epoch)) continue;
      const gone = goneOf(before, holder, this.parts.now());
      if (gone !== undefined) this.#gone.put(nameOf(before.key, textOfKey(holder.seen.owner)), gone);
    }
  }

  event(event: LockEvent): void {
    // The most frequent of all, and neither says anything that is counted.
    if (event.type === "renewed" || event.type === "seen") return;
    const at = this.#timeOf(event);
    if (at === undefined || reservedFor(event.owner ?? "") !== undefined) return;
    const key = keyOfFields(event);
    this.#take(event, key, at, this.patterns.at(this.#patternOf(key), at));
  }

  /** What happened before this process began. It is no point of the series, and waits were not recorded. */
  remember(event: LockEvent): void {
    const at = this.#timeOf(event);
    const { type, owner = "", heldMs, observed } = event;
    if (at === undefined || reservedFor(owner) !== undefined) return;
    const key = keyOfFields(event);
    if (type === "seen") {
      this.#older.put(nameOf(key, owner), true);
      return;
    }
    const pattern = this.patterns.at(this.#patternOf(key), at);
    const counted = COUNTED[type];
    if (counted !== undefined) pattern.count(counted, at);
    if (type !== "released" && type !== "expired") return;
    const isOlder = this.#older.take(nameOf(key, owner)) && observed === "derived";
    if (heldMs !== undefined && !isOlder) pattern.held(heldMs, at);
  }

  /** undefined: too long ago. */
  #timeOf({ at }: LockEvent): number | undefined {
    if (Math.abs(at - this.#comparedAt) <= NEAR_MS) return at;
    this.#comparedAt = this.parts.now();
    return at < this.#comparedAt - DAY_MS ? undefined : Math.min(at, this.#comparedAt + AHEAD_MS);
  }

  #patternOf(key: Key): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const pattern = patternOf(key);
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(key, pattern);
    return pattern;
  }

  #take(event: LockEvent, key: Key, at: number, pattern: OnePattern): void {
    const { type, owner = "" } = event;
    const counted = COUNTED[type];
    if (counted !== undefined) pattern.count(counted, at);
    if (counted === "acquisitions") this.parts.series.acquired();
    if (counted === "acquisitions" || type === "reentered") this.#waitIsOver(key, owner, at, pattern);
    else if (type === "waiting") this.#waits.put(nameOf(key, owner), at);
    else if (type === "wait_ended") this.#waits.take(nameOf(key, owner));
    else if (type === "released" || type === "expired") this.#ended(event, key, at, pattern);
  }

  /** What became of a call of one of our own verbs. */
  verb({ verb, key, owner }: VerbCall, outcome: string): void {
    const isRefused = verb === "acquire" && (outcome === "held" || outcome === "queue_full");
    const isNotRenewed = verb === "renew" && NOT_RENEWED.has(outcome);
    const isLate = owner !== undefined && (outcome === "lost" || outcome === "not_held");
    if (!isRefused && !isNotRenewed && !isLate) return;
    const at = this.parts.now();
    const pattern = this.patterns.at(patternOf(key), at);
    if (isRefused) pattern.count("refusals", at);
    if (isNotRenewed) pattern.count("renewalsFailed", at);
    if (isLate && this.#lapsed.take(nameOf(key, owner))) this.#countInUse(pattern, at);
  }

  #waitIsOver(key: Key, owner: string, at: number, pattern: OnePattern): void {
    if (this.#waits.size === 0) return;
    const since = this.#waits.take(nameOf(key, owner));
    if (since === undefined) return;
    const ms = Math.max(0, at - since);
    pattern.waited(ms, at);
    this.parts.series.waited(ms);
  }

  #ended({ type, owner = "", heldMs, observed }: LockEvent, key: Key, at: number, pattern: OnePattern): void {
    // Our scripts tell all there is to know.
    if (type === "released" && observed === "exact") {
      if (heldMs !== undefined) pattern.held(heldMs, at);
      return;
    }
    const name = nameOf(key, owner);
    const gone = this.#missed(name) ?? this.#stillSeen(key, owner);
    if (heldMs !== undefined && !gone?.isOlder) pattern.held(heldMs, at);
    if (type !== "expired") return;
    this.parts.series.expired();
    if (gone?.isRenewed) this.#countInUse(pattern, at);
    else this.#lapsed.put(name, true);
  }

  /** One that was missed long ago was an earlier hold of the same owner, whose end was told by our scripts. */
  #missed(name: string): Gone | undefined {
    const gone = this.#gone.take(name);
    return gone !== undefined && this.parts.now() - gone.at < TOLD_WITHIN_MS ? gone : undefined;
  }

  /** The word that somebody else has the lock may come before the look that shows it. */
  #stillSeen(key: Key, owner: string): Gone | undefined {
    const hold = this.parts.holdOf(key);
    const holder = hold?.holders.find(({ seen }) => textOfKey(seen.owner) === owner);
    return hold && holder && goneOf(hold, holder, this.parts.now());
  }

  #countInUse(pattern: OnePattern, at: number): void {
    pattern.count("expiredInUse", at);
    this.expiredInUse++;
  }
}

const COUNTED: Partial<Record<EventType, PatternCount>> = {
  acquired: "acquisitions",
  recreated: "acquisitions",
  waiting: "waits",
  wait_ended: "givenUp",
  expired: "expired",
  force_released: "forceReleases",
  evicted: "evictions",
};
const NOT_RENEWED: ReadonlySet<string> = new Set(["lost", "unavailable", "unknown_outcome", "internal"]);

function goneOf({ renewals, seen }: Hold, holder: HeldBy, at: number): Gone | undefined {
  const isRenewed = renewals.count > 0 && seen.holders.length === 1;
  const isOlder = holder.since === "at_least" && holder.seen.sinceMs === null;
  return isRenewed || isOlder ? { isRenewed, isOlder, at } : undefined;
}

function nameOf(key: Key, owner: string): string {
  return `${key}\n${owner}`;
}

import type { RuleChange, RulesPreview } from "../../../lib/contract/detection/rule-preview.ts";
import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import { fieldsOfKey, type Key } from "../../../lib/keys/key.ts";
import { inShares } from "../../concurrency/for-each-yielding.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master } from "../../redis/master.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { Discovery } from "../scan/scan-cursor.ts";

/** Redis is asked for so many keys at most: what is beyond is counted, and not looked at. */
const READ_MAX = 2000;
const AT_ONCE = 50;
/** Keys that are no locks by now are looked for in so many, and for so long. */
const SCANNED_MAX = 20_000;
const SCAN_MS_MAX = 1000;
const SAMPLE_MAX = 5;

export interface Surroundings {
  /** The picture by key. */
  readonly holds: { keys(): Iterable<Key>; get(key: Key): Hold | undefined; readonly size: number };
  readonly masters: readonly Master[];
  readonly watch: readonly string[];
  isWatched(key: Key): boolean;
  /** Looks now by other rules; the picture stays as it is. @throws when Redis is away */
  readBy(key: Key, rules: FormatRules): Promise<Observation>;
}

/**
 * What other rules would make of the locks that are held now, and which keys that are no locks by the present rules would
 * be some. Nothing is changed. Only keys are read for which the two sets of rules say something else.
 *
 * @throws when Redis is away
 */
export async function previewRules(
  around: Surroundings,
  present: FormatRules,
  next: FormatRules,
): Promise<RulesPreview> {
  const differs = (key: Key) => present.formatOf(key) !== next.formatOf(key);
  const affected: Key[] = [];
  // A key that is given back and taken again meanwhile would come twice.
  await inShares([...around.holds.keys()], (key) => {
    if (differs(key)) affected.push(key);
  });
  const strangers = await strangersOf(around, differs);
  const changes = new Changes();
  await readAll(around, affected.slice(0, READ_MAX), next, (key, seen) => {
    const hold = around.holds.get(key);
    // What was given back meanwhile, or Redis does not let be read, would be read as nothing by any rules.
    const isRead = seen.state !== "free" && seen.state !== "unreadable";
    if (hold !== undefined && isRead) changes.add(key, meaningOf(hold.seen), meaningOf(seen));
  });
  await readAll(around, strangers.keys, next, (key, seen) => changes.add(key, null, meaningOf(seen)));
  return {
    held: around.holds.size,
    affected: affected.length,
    looked: Math.min(affected.length, READ_MAX),
    scanned: strangers.scanned,
    isWhole: strangers.isWhole,
    changes: changes.list,
  };
}

interface Strangers {
  readonly keys: readonly Key[];
  readonly scanned: number;
  readonly isWhole: boolean;
}

/** Watched keys that are not in the picture, and of which the rules say something else: a bounded walk. */
async function strangersOf(around: Surroundings, differs: (key: Key) => boolean): Promise<Strangers> {
  const keys = new Set<Key>();
  const until = performance.now() + SCAN_MS_MAX;
  let scanned = 0;
  for (const { redis } of around.masters) {
    const walk = new Discovery(redis, around.watch);
    const stop = new AbortController();
    for await (const page of walk.pages(stop.signal, "each")) {
      for (const key of page)
        if (around.holds.get(key) === undefined && around.isWatched(key) && differs(key)) keys.add(key);
      const isEnough = scanned + walk.scanned >= SCANNED_MAX || keys.size >= READ_MAX;
      if (isEnough || performance.now() > until)
        return { keys: [...keys].slice(0, READ_MAX), scanned: scanned + walk.scanned, isWhole: false };
    }
    scanned += walk.scanned;
  }
  return { keys: [...keys], scanned, isWhole: true };
}

async function readAll(
  { readBy }: Surroundings,
  keys: readonly Key[],
  rules: FormatRules,
  take: (key: Key, seen: Observation) => void,
): Promise<void> {
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const batch = keys.slice(at, at + AT_ONCE);
    const seen = await Promise.all(batch.map((key) => readBy(key, rules)));
    for (const [index, key] of batch.entries()) {
      const observation = seen[index];
      if (observation !== undefined) take(key, observation);
    }
  }
}

interface Meaning {
  readonly format: FormatName;
  readonly confidence: Confidence;
}

/** null: no lock. */
function meaningOf(seen: Observation): Meaning | null {
  if (seen.state !== "held" && seen.state !== "ended") return null;
  return { format: seen.format, confidence: seen.confidence };
}

/** What changes alike is one line. */
class Changes {
  readonly #byLine = new Map<string, RuleChange>();

  add(key: Key, from: Meaning | null, to: Meaning | null): void {
    if (from?.format === to?.format && from?.confidence === to?.confidence) return;
    const line = JSON.stringify([from, to]);
    const known = this.#byLine.get(line) ?? { from, to, count: 0, sample: [] };
    const sample = known.sample.length < SAMPLE_MAX ? [...known.sample, fieldsOfKey(key)] : known.sample;
    this.#byLine.set(line, { ...known, count: known.count + 1, sample });
  }

  /** The largest first. */
  get list(): RuleChange[] {
    return [...this.#byLine.values()].sort((one, other) => other.count - one.count);
  }
}

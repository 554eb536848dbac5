import type { RuleChange, RulePreview } from "../../../lib/contract/detection/rule-preview.ts";
import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { forEachYielding } from "../../concurrency/for-each-yielding.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master } from "../../redis/master.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { ScanCursor } from "../scan/scan-cursor.ts";

/** Redis is asked for so many keys at most: what is beyond is counted, and not looked at. */
const READ_MAX = 2000;
const BATCH_SIZE = 50;
/** Keys that are no locks by now are looked for in so many, and for so long. */
const SCANNED_MAX = 20_000;
const SCAN_MS_MAX = 1000;
const SAMPLE_MAX = 5;

export interface RulePreviewDeps {
  /** The picture by key. */
  readonly holds: { keys(): Iterable<Key>; get(key: Key): ObservedHold | undefined; readonly size: number };
  readonly masters: readonly Master[];
  readonly watch: readonly string[];
  isWatched(key: Key): boolean;
  /** Looks now by other rules; the picture stays as it is. @throws when Redis is away */
  readKeyWithRules(key: Key, rules: FormatRules): Promise<Observation>;
}

/**
 * What other rules would make of the locks that are held now, and which keys that are no locks by the present rules would
 * be some. Nothing is changed. Only keys are read for which the two sets of rules say something else.
 *
 * @throws when Redis is away
 */
export async function previewRules(
  deps: RulePreviewDeps,
  present: FormatRules,
  next: FormatRules,
): Promise<RulePreview> {
  const differs = (key: Key) => present.findFormat(key) !== next.findFormat(key);
  const affected: Key[] = [];
  // A key that is given back and taken again meanwhile would come twice.
  await forEachYielding([...deps.holds.keys()], (key) => {
    if (differs(key)) affected.push(key);
  });
  const strangers = await findUnlistedKeys(deps, differs);
  const changes = new RuleChanges();
  await readInBatches(deps, affected.slice(0, READ_MAX), next, (key, seen) => {
    const hold = deps.holds.get(key);
    // What was given back meanwhile, or Redis does not let be read, would be read as nothing by any rules.
    const isRead = seen.state !== "free" && seen.state !== "unreadable";
    if (hold !== undefined && isRead) changes.add(key, toInterpretation(hold.seen), toInterpretation(seen));
  });
  await readInBatches(deps, strangers.keys, next, (key, seen) =>
    changes.add(key, null, toInterpretation(seen)),
  );
  return {
    held: deps.holds.size,
    affected: affected.length,
    looked: Math.min(affected.length, READ_MAX),
    scanned: strangers.scanned,
    isWhole: strangers.isWhole,
    changes: changes.list,
  };
}

interface UnlistedKeys {
  readonly keys: readonly Key[];
  readonly scanned: number;
  readonly isWhole: boolean;
}

/** Watched keys that are not in the picture, and of which the rules say something else: a bounded walk. */
async function findUnlistedKeys(
  deps: RulePreviewDeps,
  differs: (key: Key) => boolean,
): Promise<UnlistedKeys> {
  const keys = new Set<Key>();
  const until = performance.now() + SCAN_MS_MAX;
  let scanned = 0;
  for (const { reads } of deps.masters) {
    const cursor = new ScanCursor(reads.shared, deps.watch);
    const stop = new AbortController();
    for await (const page of cursor.readPages(stop.signal, "each")) {
      for (const key of page)
        if (deps.holds.get(key) === undefined && deps.isWatched(key) && differs(key)) keys.add(key);
      const isEnough = scanned + cursor.scanned >= SCANNED_MAX || keys.size >= READ_MAX;
      if (isEnough || performance.now() > until)
        return { keys: [...keys].slice(0, READ_MAX), scanned: scanned + cursor.scanned, isWhole: false };
    }
    scanned += cursor.scanned;
  }
  return { keys: [...keys], scanned, isWhole: true };
}

async function readInBatches(
  { readKeyWithRules }: RulePreviewDeps,
  keys: readonly Key[],
  rules: FormatRules,
  take: (key: Key, seen: Observation) => void,
): Promise<void> {
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const batch = keys.slice(at, at + BATCH_SIZE);
    const seen = await Promise.all(batch.map((key) => readKeyWithRules(key, rules)));
    for (const [index, key] of batch.entries()) {
      const observation = seen[index];
      if (observation !== undefined) take(key, observation);
    }
  }
}

interface Interpretation {
  readonly format: FormatName;
  readonly confidence: Confidence;
}

/** null: no lock. */
function toInterpretation(seen: Observation): Interpretation | null {
  if (seen.state !== "held" && seen.state !== "ended") return null;
  return { format: seen.format, confidence: seen.confidence };
}

/** What changes alike is one line. */
class RuleChanges {
  readonly #byInterpretation = new Map<string, RuleChange>();

  add(key: Key, from: Interpretation | null, to: Interpretation | null): void {
    if (from?.format === to?.format && from?.confidence === to?.confidence) return;
    const line = JSON.stringify([from, to]);
    const known = this.#byInterpretation.get(line) ?? { from, to, count: 0, sample: [] };
    const sample = known.sample.length < SAMPLE_MAX ? [...known.sample, toKeyFields(key)] : known.sample;
    this.#byInterpretation.set(line, { ...known, count: known.count + 1, sample });
  }

  /** The largest first. */
  get list(): RuleChange[] {
    return [...this.#byInterpretation.values()].sort((one, other) => other.count - one.count);
  }
}

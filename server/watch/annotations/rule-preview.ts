import type { RuleChange, RulePreview } from "../../../lib/contract/detection/rule-preview.ts";
import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { forEachYielding } from "../../concurrency/for-each-yielding.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master } from "../../redis/master.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { ScanCursor } from "../scan/scan-cursor.ts";

/** Maximum number of held keys to read. Further keys are only counted. */
const READ_MAX = 2000;
const BATCH_SIZE = 50;
/** Limits of the scan for keys that are not locks under the current rules: a number of keys, and a time in ms. */
const SCANNED_MAX = 20_000;
const SCAN_MS_MAX = 1000;
const SAMPLE_MAX = 5;

export interface RulePreviewDeps {
  /** The indexed holds. */
  readonly holds: { keys(): Iterable<Key>; get(key: Key): ObservedHold | undefined; readonly size: number };
  readonly masters: readonly Master[];
  readonly watch: readonly string[];
  isWatched(key: Key): boolean;
  /**
   * Reads a key under the given rules, without changing the index.
   *
   * @throws if Redis is unreachable
   */
  readKeyWithRules(key: Key, rules: FormatRules): Promise<Observation>;
}

/**
 * Computes how `next` would change the interpretation of the held locks, and which other keys would become locks. Reads
 * only keys for which `present` and `next` specify different formats: up to 2000 held keys and 2000 other keys. Changes
 * nothing.
 *
 * @throws if Redis is unreachable
 */
export async function previewRules(
  deps: RulePreviewDeps,
  present: FormatRules,
  next: FormatRules,
): Promise<RulePreview> {
  const differs = (key: Key) => present.findFormat(key) !== next.findFormat(key);
  const affected: Key[] = [];
  // Iterates over a copy of the keys. Otherwise, a key that is released and acquired during the iteration could be
  // visited twice.
  await forEachYielding([...deps.holds.keys()], (key) => {
    if (differs(key)) affected.push(key);
  });
  const unlisted = await findUnlistedKeys(deps, differs);
  const changes = new RuleChanges();
  await readInBatches(deps, affected.slice(0, READ_MAX), next, (key, seen) => {
    const hold = deps.holds.get(key);
    // A key that was released since or cannot be read has no format under any rules.
    const isRead = seen.state !== "free" && seen.state !== "unreadable";
    if (hold !== undefined && isRead) changes.add(key, toInterpretation(hold.seen), toInterpretation(seen));
  });
  await readInBatches(deps, unlisted.keys, next, (key, seen) =>
    changes.add(key, null, toInterpretation(seen)),
  );
  return {
    held: deps.holds.size,
    affected: affected.length,
    readCount: Math.min(affected.length, READ_MAX),
    scanned: unlisted.scanned,
    isWhole: unlisted.isWhole,
    changes: changes.list,
  };
}

interface UnlistedKeys {
  readonly keys: readonly Key[];
  readonly scanned: number;
  readonly isWhole: boolean;
}

/**
 * Scans for watched keys that are not in the index and whose format differs between the two sets of rules. Stops when a
 * number of keys or a time is exceeded.
 */
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
      const isLimitReached = scanned + cursor.scanned >= SCANNED_MAX || keys.size >= READ_MAX;
      if (isLimitReached || performance.now() > until)
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

/** Returns the format and confidence of an observed lock, or `null` if the key is not a lock. */
function toInterpretation(seen: Observation): Interpretation | null {
  if (seen.state !== "held" && seen.state !== "ended") return null;
  return { format: seen.format, confidence: seen.confidence };
}

/** Counter of changes of interpretation. Identical changes are one entry. */
class RuleChanges {
  readonly #byInterpretation = new Map<string, RuleChange>();

  add(key: Key, from: Interpretation | null, to: Interpretation | null): void {
    if (from?.format === to?.format && from?.confidence === to?.confidence) return;
    const line = JSON.stringify([from, to]);
    const known = this.#byInterpretation.get(line) ?? { from, to, count: 0, sample: [] };
    const sample = known.sample.length < SAMPLE_MAX ? [...known.sample, toKeyFields(key)] : known.sample;
    this.#byInterpretation.set(line, { ...known, count: known.count + 1, sample });
  }

  /** The changes, most frequent first. */
  get list(): RuleChange[] {
    return [...this.#byInterpretation.values()].sort((one, other) => other.count - one.count);
  }
}

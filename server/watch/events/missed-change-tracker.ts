import type { Missed as MissedCounts } from "../../../lib/contract/live.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Circumstances } from "../holds/continuity.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { TOLERANCE_MS } from "../holds/renewal-history.ts";

/** What is told about a change that was seen may be on its way for so long. */
const GRACE_MS = 2000;
/** Words that no look has taken in yet; more than that means that we do not get to look. */
const WORDS_MAX = 300_000;

type What = "found" | "gone" | "changed";

interface Suspect {
  readonly what: What;
  readonly seenAt: number;
  readonly sight: string;
  readonly asOf: number;
}

/** A look, and what the picture had and has of its key. */
export interface Sighting {
  readonly observation: Observation;
  readonly before: Hold | undefined;
  readonly after: Hold | undefined;
  readonly circumstances: Circumstances;
  /** Redis's clock. */
  readonly asOf: number;
  /** Of performance.now(). */
  readonly sentAt: number;
}

/**
 * Counts the changes that looking has found and nobody has told of, though they should have. A change whose word comes
 * soon after, a lease that has just ended, and all that happened while we knew that we do not hear are none.
 */
export class Missed {
  readonly #counts = { found: 0, gone: 0, changed: 0, lastAt: null as number | null };
  /** When something was last said of a key that no look has taken in yet. */
  readonly #words = new Map<Key, number>();
  readonly #suspects = new Map<Key, Suspect>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    /** Names the stretch of time without a break in what is heard from all masters. */
    private readonly sight: () => string,
    private readonly onMissed: (what: What) => void,
  ) {}

  get counts(): MissedCounts {
    return { ...this.#counts };
  }

  /** Something was said of the key. */
  word(key: Key): void {
    this.#suspects.delete(key);
    if (this.#words.size >= WORDS_MAX) this.#words.clear();
    this.#words.set(key, performance.now());
  }

  seen(sighting: Sighting): void {
    const { observation, before, circumstances, sentAt, asOf } = sighting;
    const { key } = observation;
    const saidAt = this.#words.get(key);
    if (saidAt !== undefined) {
      if (sentAt > saidAt) this.#words.delete(key);
      return;
    }
    const what = whatOf(sighting);
    // Else it is new to us, and not news.
    const shouldBeTold =
      circumstances.since === "exact" && (before?.sight ?? circumstances.sight) === circumstances.sight;
    if (what === undefined || !shouldBeTold || observation.state === "unreadable") return;
    this.#suspects.set(key, { what, seenAt: performance.now(), sight: this.sight(), asOf });
    this.#timer ??= setTimeout(() => this.#judge(), GRACE_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #judge(): void {
    this.#timer = undefined;
    const sight = this.sight();
    for (const [key, suspect] of this.#suspects) {
      const waitMs = suspect.seenAt + GRACE_MS - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#judge(), waitMs).unref();
        return;
      }
      this.#suspects.delete(key);
      if (suspect.sight !== sight) continue;
      this.#counts[suspect.what]++;
      this.#counts.lastAt = suspect.asOf;
      this.onMissed(suspect.what);
    }
  }
}

function whatOf({ before, after, asOf }: Sighting): What | undefined {
  if (before === undefined) return after?.seen.state === "held" ? "found" : undefined;
  if (after === undefined) return mayHaveEnded(before, asOf) ? undefined : "gone";
  const epochs = new Set(before.holders.map(({ epoch }) => epoch));
  return after.holders.some(({ epoch }) => epochs.has(epoch)) ? undefined : "changed";
}

function mayHaveEnded({ endsAtMs, seen }: Hold, asOf: number): boolean {
  return seen.state === "ended" || (endsAtMs !== null && asOf >= endsAtMs - TOLERANCE_MS);
}

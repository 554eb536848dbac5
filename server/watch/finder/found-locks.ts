import type { FoundGroup } from "../../../lib/contract/detection/lock-finder.ts";
import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import { formatKey, type Key } from "../../../lib/keys/key.ts";
import { toKeyPattern } from "../../../lib/keys/key-pattern.ts";
import type { HeldObservation } from "../../formats/observation.ts";

const CONFIDENCE_ORDER: readonly Confidence[] = ["certain", "likely", "possible"];
/** Minimum number of patterns to merge. Only patterns that differ in a single segment are merged. */
const FAMILY_SIZE_MIN = 8;
const GROUPS_MAX = 2000;
const GROUPS_SHOWN_MAX = 200;

interface KeyGroup {
  readonly segments: readonly string[];
  readonly format: FormatName;
  confidenceRank: number;
  count: number;
  readonly example: Key;
}

interface KeyPredicates {
  isWatched(key: Key): boolean;
  /** Whether a lock with this key is always listed, even if it is only a possible lock. */
  isAlwaysListed(key: Key): boolean;
}

/** The locks that the lock finder found, grouped by format and key pattern. */
export class FoundLocks {
  readonly #groups = new Map<string, KeyGroup>();

  add({ key, format, confidence }: HeldObservation): void {
    const segments = toKeyPattern(key).split(SEPARATORS);
    const sureness = CONFIDENCE_ORDER.indexOf(confidence);
    this.#addGroup({ segments, format, confidenceRank: sureness, count: 1, example: key });
    if (this.#groups.size > GROUPS_MAX) this.#mergeGroups();
  }

  listGroups({ isWatched, isAlwaysListed }: KeyPredicates): FoundGroup[] {
    this.#mergeGroups();
    const all = [...this.#groups.values()].sort(
      (a, b) => a.confidenceRank - b.confidenceRank || b.count - a.count,
    );
    return all.slice(0, GROUPS_SHOWN_MAX).map(({ segments, format, confidenceRank, count, example }) => ({
      ...{
        pattern: toGlob(segments),
        format,
        confidence: CONFIDENCE_ORDER[confidenceRank] ?? "possible",
        count,
      },
      ...{ example: formatKey(example), isWatched: isWatched(example) },
      isListed: CONFIDENCE_ORDER[confidenceRank] !== "possible" || isAlwaysListed(example),
    }));
  }

  #addGroup(group: KeyGroup): void {
    const name = formatGroupId(group.format, group.segments);
    const known = this.#groups.get(name);
    if (known === undefined) {
      this.#groups.set(name, group);
      return;
    }
    known.count += group.count;
    known.confidenceRank = Math.min(known.confidenceRank, group.confidenceRank);
  }

  /**
   * Merges groups whose patterns differ in a single segment, from the last segment to the second. The first segment is
   * not merged, because it identifies the kind of key. If more than `GROUPS_MAX` groups remain, merges all groups of
   * each format.
   */
  #mergeGroups(): void {
    const most = Math.max(0, ...[...this.#groups.values()].map(({ segments }) => segments.length));
    // Odd positions hold separators.
    for (let at = most - 1 - ((most - 1) % 2); at >= 2; at -= 2) this.#mergeGroupsAt(at);
    if (this.#groups.size <= GROUPS_MAX) return;
    const all = [...this.#groups.values()];
    this.#groups.clear();
    for (const group of all) this.#addGroup({ ...group, segments: ["*"] });
  }

  #mergeGroupsAt(at: number): void {
    const families = new Map<string, KeyGroup[]>();
    for (const group of this.#groups.values()) {
      if (group.segments[at] === undefined) continue;
      const family = formatGroupId(group.format, group.segments.with(at, "*"));
      const groups = families.get(family);
      if (groups === undefined) families.set(family, [group]);
      else groups.push(group);
    }
    for (const groups of families.values()) {
      const isKnown = groups.length > 1 && groups.some(({ segments }) => segments[at] === "*");
      if (groups.length < FAMILY_SIZE_MIN && !isKnown) continue;
      for (const { format, segments } of groups) this.#groups.delete(formatGroupId(format, segments));
      for (const group of groups) this.#addGroup({ ...group, segments: group.segments.with(at, "*") });
    }
  }
}

const SEPARATORS = /([:/|.])/;

function formatGroupId(format: FormatName, segments: readonly string[]): string {
  return `${format}\n${segments.join("")}`;
}

/** Returns a glob for the segments. Escapes all special characters of a glob except `*`. */
function toGlob(segments: readonly string[]): string {
  return segments
    .join("")
    .replace(/[[\]?\\]/g, "\\$&")
    .replace(/\*+/g, "*");
}

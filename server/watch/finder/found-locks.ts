import type { FoundGroup } from "../../../lib/contract/detection/lock-finder.ts";
import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import { type Key, textOfKey } from "../../../lib/keys/key.ts";
import { patternOf } from "../../../lib/keys/key-pattern.ts";
import type { HeldObservation } from "../../formats/observation.ts";

const SURENESS: readonly Confidence[] = ["certain", "likely", "possible"];
/** So many names that differ in one segment alone are one family. */
const VARIES = 8;
const KINDS_MAX = 2000;
const GROUPS_SHOWN = 200;

interface Group {
  readonly segments: readonly string[];
  readonly format: FormatName;
  sureness: number;
  count: number;
  readonly example: Key;
}

/** What a finder has found, by format and by what names have in common. */
export class Finds {
  readonly #groups = new Map<string, Group>();

  add({ key, format, confidence }: HeldObservation): void {
    const segments = patternOf(key).split(SEPARATORS);
    const sureness = SURENESS.indexOf(confidence);
    this.#put({ segments, format, sureness, count: 1, example: key });
    if (this.#groups.size > KINDS_MAX) this.#merge();
  }

  groups(isWatched: (key: Key) => boolean): FoundGroup[] {
    this.#merge();
    const all = [...this.#groups.values()].sort((a, b) => a.sureness - b.sureness || b.count - a.count);
    return all.slice(0, GROUPS_SHOWN).map(({ segments, format, sureness, count, example }) => ({
      ...{ pattern: globOf(segments), format, confidence: SURENESS[sureness] ?? "possible", count },
      ...{ example: textOfKey(example), isWatched: isWatched(example) },
    }));
  }

  #put(group: Group): void {
    const name = nameOf(group.format, group.segments);
    const known = this.#groups.get(name);
    if (known === undefined) {
      this.#groups.set(name, group);
      return;
    }
    known.count += group.count;
    known.sureness = Math.min(known.sureness, group.sureness);
  }

  /** Names that differ in one segment become one, from the last segment to the second: the first names the family. */
  #merge(): void {
    const most = Math.max(0, ...[...this.#groups.values()].map(({ segments }) => segments.length));
    // Separators stand between the segments.
    for (let at = most - 1 - ((most - 1) % 2); at >= 2; at -= 2) this.#mergeAt(at);
    if (this.#groups.size <= KINDS_MAX) return;
    const all = [...this.#groups.values()];
    this.#groups.clear();
    for (const group of all) this.#put({ ...group, segments: ["*"] });
  }

  #mergeAt(at: number): void {
    const families = new Map<string, Group[]>();
    for (const group of this.#groups.values()) {
      if (group.segments[at] === undefined) continue;
      const family = nameOf(group.format, group.segments.with(at, "*"));
      const groups = families.get(family);
      if (groups === undefined) families.set(family, [group]);
      else groups.push(group);
    }
    for (const groups of families.values()) {
      const isKnown = groups.length > 1 && groups.some(({ segments }) => segments[at] === "*");
      if (groups.length < VARIES && !isKnown) continue;
      for (const { format, segments } of groups) this.#groups.delete(nameOf(format, segments));
      for (const group of groups) this.#put({ ...group, segments: group.segments.with(at, "*") });
    }
  }
}

const SEPARATORS = /([:/|.])/;

function nameOf(format: FormatName, segments: readonly string[]): string {
  return `${format}\n${segments.join("")}`;
}

/** What else means something in a pattern of Redis stands for itself. */
function globOf(segments: readonly string[]): string {
  return segments
    .join("")
    .replace(/[[\]?\\]/g, "\\$&")
    .replace(/\*+/g, "*");
}

import type { FormatName } from "../../lib/contract/format.ts";
import { type Key, textOfKey } from "../../lib/contract/key.ts";
import { Glob } from "../redis/glob.ts";

/** Keys of this name are of this format: what their shape alone does not tell. */
export interface FormatRule {
  /** Redis's glob. */
  readonly pattern: string;
  readonly format: FormatName;
}

/** The first rule that fits a key counts. */
export class FormatRules {
  readonly #rules: readonly { glob: Glob; format: FormatName }[];

  constructor(rules: readonly FormatRule[]) {
    this.#rules = rules.map(({ pattern, format }) => ({ glob: new Glob(pattern), format }));
  }

  formatOf(key: Key): FormatName | undefined {
    if (this.#rules.length === 0) return undefined;
    const text = textOfKey(key);
    return this.#rules.find(({ glob }) => glob.matches(text))?.format;
  }
}

export const NO_RULES = new FormatRules([]);

import type { FormatRule } from "../../lib/contract/detection/format-rule.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import { Glob } from "../redis/glob.ts";

/** The first rule that fits a key counts. */
export class FormatRules {
  readonly #rules: readonly { glob: Glob; format: FormatName }[];

  constructor(rules: readonly FormatRule[]) {
    this.#rules = rules.map(({ pattern, format }) => ({ glob: new Glob(pattern), format }));
  }

  findFormat(key: Key): FormatName | undefined {
    if (this.#rules.length === 0) return undefined;
    const text = formatKey(key);
    return this.#rules.find(({ glob }) => glob.matches(text))?.format;
  }
}

export const NO_RULES = new FormatRules([]);

import type { FormatRule } from "../../lib/contract/detection/format-rule.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import { Glob, KeyPatternSet } from "../redis/glob.ts";
import type { KeyReach } from "./lock-format.ts";

/** Assigns formats to keys by key pattern, and determines which keys the API may acquire. */
export class FormatRules {
  readonly #rules: readonly { glob: Glob; format: FormatName }[];
  readonly #lockableKeys: KeyPatternSet;

  /** @param lockable patterns of the keys that the API may acquire */
  constructor(rules: readonly FormatRule[], lockable: readonly string[] = []) {
    this.#lockableKeys = new KeyPatternSet(lockable);
    this.#rules = rules.map(({ pattern, format }) => ({ glob: new Glob(pattern), format }));
  }

  findFormat(key: Key): FormatName | undefined {
    if (this.#rules.length === 0) return undefined;
    const text = formatKey(key);
    return this.#rules.find(({ glob }) => glob.matches(text))?.format;
  }

  findReach(key: Key): KeyReach {
    return this.#lockableKeys.has(key) ? "lockable" : "watched";
  }
}

export const NO_RULES = new FormatRules([]);

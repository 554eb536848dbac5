import type { FormatName } from "../../lib/contract/format.ts";
import { KNOWN_FORMATS } from "./known-formats.ts";
import type { LockType, Recognised } from "./observation.ts";
import type { RawKey } from "./raw.ts";
import { recogniseRedisson } from "./redisson/recognise.ts";
import { recogniseOurString } from "./spoken-strings.ts";
import { recogniseString } from "./strings/recognise.ts";

type Recogniser = (raw: RawKey) => Recognised | undefined;

/** The most telling first: what one recognises the next are not asked. */
const BY_SHAPE: Readonly<Record<LockType, readonly Recogniser[]>> = {
  hash: [(raw) => recogniseRedisson(raw, "by_shape")],
  string: [recogniseOurString, (raw) => recogniseRedisson(raw, "by_shape"), recogniseString],
  set: [],
  zset: [],
};

/** What a key is; undefined: nothing that could be a lock. What our companion tells comes before any rule. */
export function recognise(raw: RawKey, rule: FormatName | undefined): Recognised | undefined {
  if (rule !== undefined && raw.told === undefined) {
    const told = KNOWN_FORMATS[rule].recognise(raw, "by_rule");
    if (told !== undefined) return told;
  }
  for (const recogniser of BY_SHAPE[raw.type]) {
    const found = recogniser(raw);
    if (found !== undefined) return found;
  }
  return undefined;
}

import type { FormatName } from "../../../lib/contract/format.ts";
import { recognisePermits, recogniseReaders } from "../members/medallion.ts";
import { recogniseSemaphore } from "../members/redis-semaphore.ts";
import { recogniseJobs } from "../members/sidekiq.ts";
import { recogniseSymfony } from "../members/symfony.ts";
import type { LockType, Recognised } from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { recogniseRedisson } from "../redisson/detect-redisson.ts";
import { recogniseString } from "../strings/detect-string.ts";
import { recogniseOurString } from "../writable-strings.ts";
import { knownFormat } from "./lock-formats.ts";

type Recogniser = (raw: RawKey) => Recognised | undefined;

/** The most telling first: what one recognises the next are not asked. */
const BY_SHAPE: Readonly<Record<LockType, readonly Recogniser[]>> = {
  hash: [(raw) => recogniseRedisson(raw, "by_shape"), (raw) => recogniseJobs(raw, "by_shape")],
  string: [recogniseOurString, (raw) => recogniseRedisson(raw, "by_shape"), recogniseString],
  set: [(raw) => recogniseReaders(raw, "by_shape")],
  zset: [
    (raw) => recogniseSemaphore(raw, "by_shape"),
    (raw) => recognisePermits(raw, "by_shape"),
    (raw) => recogniseSymfony(raw, "by_shape"),
  ],
};

/** What a key is; undefined: nothing that could be a lock. A hold of ours comes before any rule. */
export function recognise(raw: RawKey, rule: FormatName | undefined): Recognised | undefined {
  if (rule !== undefined && !isOurs(raw)) {
    const told = knownFormat(rule, raw.type)?.recognise(raw, "by_rule");
    if (told !== undefined) return told;
  }
  for (const recogniser of BY_SHAPE[raw.type]) {
    const found = recogniser(raw);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The companion outlives its hold, so what it tells is compared with what is there. */
function isOurs(raw: RawKey): boolean {
  if (raw.type === "string") return recogniseOurString(raw) !== undefined;
  return (
    raw.type === "hash" &&
    raw.content.some((bytes, at) => at % 2 === 0 && bytes.toString("utf8") === raw.told?.owner)
  );
}

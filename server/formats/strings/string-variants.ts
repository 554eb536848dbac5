import type { FormatName, LockKind } from "../../../lib/contract/format.ts";
import type { ValueSyntaxName } from "./value-syntax.ts";

/** A pattern that tests a key name of any length in linear time. */
export type NamePattern = Pick<RegExp, "test">;

/** A library, or one of its lock types, that stores a lock in one string. */
export interface StringVariant {
  readonly format: FormatName;
  readonly shape: ValueSyntaxName;
  /** Matches the key names that the library generates. */
  readonly own?: NamePattern;
  /** `own`: the library always uses its own naming scheme for keys. `any`: the application can choose the key. */
  readonly names: "own" | "any";
  /**
   * `always`: the library always sets a TTL. `maybe`: the key may have no TTL. `as_stated`: the TTL matches the end
   * time in the value.
   */
  readonly ends: "always" | "maybe" | "as_stated";
  /**
   * Strength of the evidence if it differs from the default. `unmistakable`: no other data has such a value.
   * `unmistakable_in_lock`: no other data has such a value under a key that names a lock. `guess`: other data often has
   * such names and values. `named_lock`: other data often uses this key pattern, so the key must also name a lock.
   */
  readonly evidence?: "unmistakable" | "unmistakable_in_lock" | "guess" | "named_lock";
  readonly kind?: LockKind;
  /** Other libraries that write the same values under the same keys. */
  readonly beside?: readonly FormatName[];
}

/** Matches keys of Bull and BullMQ, and possibly of other applications. */
const JOB_LOCK = /^.+:[^:]+:lock$/;
/** Matches `<prefix>:<index of the key>:<name>`, with the default prefix. */
const RUEIDISLOCK_NAME = /^rueidislock:\d{1,3}:/;
const LARAVEL_NAME = /laravel_unique_job:|laravel-queue-overlap:|framework[/\\]schedule-[0-9a-f]{40}/;
const LARAVEL_CACHE = createSequencePattern(/[-_]database[-_]/, /[-_]cache[-_:]/);

const createLeasedVariant = (
  format: FormatName,
  shape: ValueSyntaxName,
  own: NamePattern,
): StringVariant => ({
  ...({ names: "own", ends: "always" } as const),
  ...{ format, shape, own },
});
const createOptionalLeaseVariant = (
  format: FormatName,
  shape: ValueSyntaxName,
  own: NamePattern,
): StringVariant => ({
  ...createLeasedVariant(format, shape, own),
  ends: "maybe",
});
/** Creates a variant that matches any key and always has a TTL. */
const createUnnamedVariant = (format: FormatName, shape: ValueSyntaxName): StringVariant => ({
  ...({ names: "any", ends: "always" } as const),
  ...{ format, shape },
});

/** The variants by value syntax and key. Within a syntax, variants with key patterns come first. */
export const STRING_VARIANTS: readonly StringVariant[] = [
  { ...createUnnamedVariant("shedlock", "shedlock"), ends: "maybe", evidence: "unmistakable" },
  {
    ...createUnnamedVariant("medallion", "medallion"),
    own: /\.writer$/,
    kind: "write",
    names: "own",
    evidence: "unmistakable",
  },
  { ...createUnnamedVariant("medallion", "medallion"), evidence: "unmistakable_in_lock" },
  createLeasedVariant("rueidislock", "bytes24", RUEIDISLOCK_NAME),
  createLeasedVariant("simple-redis-mutex", "fraction", /^@simple-redis-mutex:lock-/),
  createOptionalLeaseVariant("huey", "any", createSequencePattern(/(?:^|:)huey\.r\./, /\.lock\./)),
  createOptionalLeaseVariant("celery-singleton", "uuid4", /(?:^|:)SINGLETONLOCK_[0-9a-f]{32}$/),
  createLeasedVariant("lock4j", "hex32", /^lock4j:/),
  createLeasedVariant("rq", "hex32", /^rq:scheduler-lock:/),
  createLeasedVariant("warlock", "base64OfUuid1", /:lock$/),
  createLeasedVariant("bullmq", "uuidAndNumber", JOB_LOCK),
  { ...createLeasedVariant("bull", "uuid4", JOB_LOCK), evidence: "guess" },
  { ...createLeasedVariant("bullmq", "text", /^\{?bull\}?:.+:[^:]+:lock$/), evidence: "guess" },
  createLeasedVariant("php-lock", "hex64", /^php-malkusch-lock:/),
  createLeasedVariant("php-lock", "hex64Packed", /^php-malkusch-lock:/),
  { ...createLeasedVariant("php-lock", "hex32", /^lock_/), beside: ["redlock"], evidence: "named_lock" },
  { ...createLeasedVariant("php-lock", "hex32Packed", /^lock_/), evidence: "named_lock" },
  createLeasedVariant("redbeat", "uuid1", /(?:^|:)redbeat:?:lock$/),
  createLeasedVariant("celery-once", "uuid1", /(?:^|:)qo_/),
  createLeasedVariant("tooz", "uuid1", createSequencePattern(/_tooz/, /_lock$/)),
  createOptionalLeaseVariant("django-redis", "uuid1", /^:\d+:/),
  { ...createUnnamedVariant("redis-py", "uuid1"), ends: "maybe" },
  createLeasedVariant("rq", "pid", /^rq:scheduler-lock:/),
  createLeasedVariant("redis-semaphore", "uuid4", /(?:^|:)mutex:/),
  createLeasedVariant("redis-semaphore", "uuid4AndMore", /(?:^|:)mutex:/),
  createOptionalLeaseVariant("python-redis-lock", "base64Of18", /(?:^|:)lock:/),
  { ...createLeasedVariant("redis-lock", "epochMs", /^lock\./), ends: "as_stated", beside: ["timestamp"] },
  { ...createLeasedVariant("redlock-net", "uuid4", /^redlock:/), beside: ["redlock-rb", "spring"] },
  createLeasedVariant("pottery", "uuid4", /^redlock:/),
  createUnnamedVariant("redlock-rb", "uuid4"),
  createUnnamedVariant("spring", "uuid4"),
  createUnnamedVariant("lan1tian", "uuid4"),
  createUnnamedVariant("ioredis-lock", "uuid4"),
  createUnnamedVariant("ioredis-lock", "uuid1Dashed"),
  createUnnamedVariant("redlock", "hex32"),
  createUnnamedVariant("redsync", "base64Of16"),
  createUnnamedVariant("bsm-redislock", "base64UrlOf16"),
  createUnnamedVariant("bsm-redislock", "base64UrlOf16AndMore"),
  createOptionalLeaseVariant("laravel", "alnum16", LARAVEL_NAME),
  createOptionalLeaseVariant("laravel", "alnum16Packed", LARAVEL_NAME),
  createLeasedVariant("laravel", "alnum16", LARAVEL_CACHE),
  { ...createUnnamedVariant("laravel", "alnum16"), ends: "maybe" },
  { ...createUnnamedVariant("laravel", "alnum16Packed"), ends: "maybe" },
];

export const STRING_FORMAT_NAMES: readonly FormatName[] = [
  ...new Set(STRING_VARIANTS.map(({ format }) => format)),
];

/**
 * Returns the formats that write this value syntax under any key. Neither the key nor the value distinguishes these
 * formats.
 */
export function findLookalikeFormats(shape: ValueSyntaxName): FormatName[] {
  return STRING_VARIANTS.filter((each) => each.shape === shape && each.names === "any").map(
    ({ format }) => format,
  );
}

/**
 * Creates a linear-time test for one pattern followed anywhere by another. The expression `/first.*second/` can take
 * quadratic time.
 */
function createSequencePattern(first: RegExp, second: RegExp): NamePattern {
  return {
    test(name) {
      const found = first.exec(name);
      return found !== null && second.test(name.slice(found.index + found[0].length));
    },
  };
}

import type { FormatName, Kind } from "../../../lib/contract/format.ts";
import type { ShapeName } from "./value-syntax.ts";

/** A library, or one of its objects, that keeps its lock in one string. */
export interface Flavour {
  readonly format: FormatName;
  readonly shape: ShapeName;
  /** Names that the library itself gives to its keys. */
  readonly own?: RegExp;
  /** `own`: a key of another name is none of it. `any`: its user may name the key as he likes. */
  readonly names: "own" | "any";
  /** `always`: the library never writes it without a time to live; `as_told`: of the length that the value tells. */
  readonly ends: "always" | "maybe" | "as_told";
  /** The value occurs nowhere else: the name of the key says nothing more. */
  readonly isUnmistakable?: true;
  /** Names and values are too common: something else than both has to tell. */
  readonly isGuess?: true;
  readonly kind?: Kind;
  /** What else writes such a value under such a name. */
  readonly beside?: readonly FormatName[];
}

/** Bull's and BullMQ's; but any app may name a lock so. */
const JOB_LOCK = /^.+:[^:]+:lock$/;
const LARAVEL_NAME = /laravel_unique_job:|laravel-queue-overlap:|framework[/\\]schedule-[0-9a-f]{40}/;
const LARAVEL_CACHE = /[-_]database[-_].*[-_]cache[-_:]/;

const always = (format: FormatName, shape: ShapeName, own: RegExp): Flavour => ({
  ...({ names: "own", ends: "always" } as const),
  ...{ format, shape, own },
});
const maybe = (format: FormatName, shape: ShapeName, own: RegExp): Flavour => ({
  ...always(format, shape, own),
  ends: "maybe",
});
/** At any name, always with a time to live. */
const bare = (format: FormatName, shape: ShapeName): Flavour => ({
  ...({ names: "any", ends: "always" } as const),
  ...{ format, shape },
});

/** What shape and name tell. Of one shape the library's own names come first. */
export const FLAVOURS: readonly Flavour[] = [
  { ...bare("shedlock", "shedlock"), ends: "maybe", isUnmistakable: true },
  { ...bare("medallion", "medallion"), own: /\.writer$/, kind: "write", names: "own", isUnmistakable: true },
  { ...bare("medallion", "medallion"), isUnmistakable: true },
  always("bullmq", "uuidAndNumber", JOB_LOCK),
  { ...always("bull", "uuid4", JOB_LOCK), isGuess: true },
  { ...always("bullmq", "text", /^\{?bull\}?:.+:[^:]+:lock$/), isGuess: true },
  always("php-lock", "hex64", /^php-malkusch-lock:/),
  always("php-lock", "hex64Packed", /^php-malkusch-lock:/),
  { ...always("php-lock", "hex32", /^lock_/), beside: ["redlock"] },
  always("php-lock", "hex32Packed", /^lock_/),
  always("redbeat", "uuid1", /(?:^|:)redbeat:?:lock$/),
  always("celery-once", "uuid1", /(?:^|:)qo_/),
  always("tooz", "uuid1", /_tooz.*_lock$/),
  maybe("django-redis", "uuid1", /^:\d+:/),
  { ...bare("redis-py", "uuid1"), ends: "maybe" },
  always("rq", "pid", /^rq:scheduler-lock:/),
  always("redis-semaphore", "uuid4", /(?:^|:)mutex:/),
  always("redis-semaphore", "uuid4AndMore", /(?:^|:)mutex:/),
  maybe("python-redis-lock", "base64Of18", /(?:^|:)lock:/),
  { ...always("redis-lock", "epochMs", /^lock\./), ends: "as_told", beside: ["timestamp"] },
  { ...always("redlock-net", "uuid4", /^redlock:/), beside: ["redlock-rb", "spring"] },
  always("pottery", "uuid4", /^redlock:/),
  bare("redlock-rb", "uuid4"),
  bare("spring", "uuid4"),
  bare("lan1tian", "uuid4"),
  bare("ioredis-lock", "uuid4"),
  bare("ioredis-lock", "uuid1Dashed"),
  bare("redlock", "hex32"),
  bare("redsync", "base64Of16"),
  bare("bsm-redislock", "base64UrlOf16"),
  bare("bsm-redislock", "base64UrlOf16AndMore"),
  maybe("laravel", "alnum16", LARAVEL_NAME),
  maybe("laravel", "alnum16Packed", LARAVEL_NAME),
  always("laravel", "alnum16", LARAVEL_CACHE),
  { ...bare("laravel", "alnum16"), ends: "maybe" },
  { ...bare("laravel", "alnum16Packed"), ends: "maybe" },
];

export const STRING_FORMATS: readonly FormatName[] = [...new Set(FLAVOURS.map(({ format }) => format))];

/** Those that leave nothing in key or value by which they could be told apart. */
export function alikeWith(shape: ShapeName): FormatName[] {
  return FLAVOURS.filter((each) => each.shape === shape && each.names === "any").map(({ format }) => format);
}

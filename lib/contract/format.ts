import { z } from "zod";

/** The formats that our verbs write. Each other one is read, and freed as its library would. */
export const WritableFormat = z.enum(["redisson", "token", "timestamp"]).meta({
  description:
    "How the lock is written in Redis: as Redisson does; as one string with its owner, as redlock, redis-py and many do; as one string with the time at which it ends.",
});
export type WritableFormat = z.infer<typeof WritableFormat>;

/** Every format that is recognised, by the library that writes it. `token` is one string of an unknown library. */
export const FORMAT_NAMES = [
  ...WritableFormat.options,
  "bsm-redislock",
  "bull",
  "bullmq",
  "celery-once",
  "django-redis",
  "ioredis-lock",
  "lan1tian",
  "laravel",
  "medallion",
  "php-lock",
  "pottery",
  "python-redis-lock",
  "redbeat",
  "redis-lock",
  "redis-py",
  "redis-semaphore",
  "redlock",
  "redlock-net",
  "redlock-rb",
  "redsync",
  "rq",
  "shedlock",
  "sidekiq-unique-jobs",
  "spring",
  "symfony",
  "tooz",
] as const;
export const FormatName = z.enum(FORMAT_NAMES).meta({
  id: "FormatName",
  description: "How the lock is written in Redis: by which family of libraries.",
  example: "redis-py",
});
export type FormatName = z.infer<typeof FormatName>;

export function isWritableFormat(format: FormatName): format is WritableFormat {
  return WritableFormat.safeParse(format).success;
}

export const LockKind = z
  .enum(["lock", "fair", "fenced", "read", "write", "multi", "semaphore", "latch"])
  .meta({
    description: "What it is within its format. A read/write lock is `read` or `write` as it is held.",
  });
export type LockKind = z.infer<typeof LockKind>;

export const Confidence = z.enum(["certain", "likely", "possible"]).meta({
  description:
    "How sure it is that this is a lock, and of this format. `possible`: it is freed only when the request names the format.",
});
export type Confidence = z.infer<typeof Confidence>;

export const TimestampUnit = z.enum(["s", "ms"]).meta({
  description: "What the format `timestamp` writes its deadline in; one key has one unit.",
});
export type TimestampUnit = z.infer<typeof TimestampUnit>;

/** What is asked of a format, and how it writes a deadline. */
export const formatFields = {
  format: WritableFormat.optional().meta({
    description: "`redisson` by default; on a quorum it is `token`, and no other is taken there.",
  }),
  unit: TimestampUnit.optional().meta({
    description: "With the format `timestamp` only: what its deadline is written in; `ms` by default.",
  }),
};

export function hasValidUnit({
  format,
  unit,
}: {
  format?: WritableFormat | undefined;
  unit?: TimestampUnit | undefined;
}) {
  return unit === undefined || format === "timestamp";
}
export const UNIT_ERROR = {
  path: ["unit"],
  message: 'unit belongs to the format "timestamp" alone; leave it out, or ask for that format',
};

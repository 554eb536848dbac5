import { z } from "zod";

/** The formats that our verbs write. Each other one is read, and freed as its library would. */
export const SpokenFormat = z.enum(["redisson", "token", "timestamp"]).meta({
  description:
    "How the lock is written in Redis: as Redisson does; as one string with its owner, as redlock, redis-py and many do; as one string with the time at which it ends.",
});
export type SpokenFormat = z.infer<typeof SpokenFormat>;

/** Every format that is recognised, by the library that writes it. `token` is one string of an unknown library. */
export const FORMAT_NAMES = [
  ...SpokenFormat.options,
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

export function isSpoken(format: FormatName): format is SpokenFormat {
  return SpokenFormat.safeParse(format).success;
}

export const Kind = z.enum(["lock", "fair", "fenced", "read", "write", "multi", "semaphore", "latch"]).meta({
  description: "What it is within its format. A read/write lock is `read` or `write` as it is held.",
});
export type Kind = z.infer<typeof Kind>;

export const Confidence = z.enum(["certain", "likely", "possible"]).meta({
  description:
    "How sure it is that this is a lock, and of this format. `possible`: it is freed only when the request names the format.",
});
export type Confidence = z.infer<typeof Confidence>;

export const Unit = z.enum(["s", "ms"]).meta({
  description: "What the format `timestamp` writes its deadline in; one key has one unit.",
});
export type Unit = z.infer<typeof Unit>;

/** What is asked of a format, and how it writes a deadline. */
export const formatFields = {
  format: SpokenFormat.optional().meta({
    description: "`redisson` by default; on a quorum it is `token`, and no other is taken there.",
  }),
  unit: Unit.optional().meta({
    description: "With the format `timestamp` only: what its deadline is written in; `ms` by default.",
  }),
};

export function hasItsUnit({ format, unit }: { format?: SpokenFormat | undefined; unit?: Unit | undefined }) {
  return unit === undefined || format === "timestamp";
}
export const UNIT_FAULT = {
  path: ["unit"],
  message: 'unit belongs to the format "timestamp" alone; leave it out, or ask for that format',
};

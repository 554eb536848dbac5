import { z } from "zod";

/**
 * Formats in which the API can acquire locks. Locks in other formats can be viewed and force-released, and some of them
 * can be extended.
 */
export const WritableFormat = z.enum(["redisson", "token", "timestamp"]).meta({
  description:
    "Format of the lock in Redis. `redisson`: a hash, as Redisson writes it. `token`: a string with the owner, as redlock, redis-py and others write it. `timestamp`: a string with the time at which the lock expires.",
});
export type WritableFormat = z.infer<typeof WritableFormat>;

/** Kinds of lock that the API can acquire. */
export const WritableKind = z.enum(["lock", "fair", "read", "write", "semaphore", "plain_semaphore"]).meta({
  description:
    "Kind of lock. `lock`: an exclusive lock. `fair`: an exclusive lock that its waiters acquire in the order in which they began to wait, as Redisson's `RFairLock`. `read` and `write`: the two kinds of a read/write lock, as Redisson's `RReadWriteLock`: several readers, each with its own lease, or one writer. `semaphore`: permits that several clients hold at once, as Redisson's `RPermitExpirableSemaphore`. `plain_semaphore`: the same for permits that JVMs share as Redisson's `RSemaphore`, which does not store who has them.",
});
export type WritableKind = z.infer<typeof WritableKind>;

/** Kinds of lock whose holds are permits. */
export type SemaphoreKind = Extract<WritableKind, "semaphore" | "plain_semaphore">;

export function isSemaphoreKind(kind: WritableKind | LockKind | undefined): kind is SemaphoreKind {
  return kind === "semaphore" || kind === "plain_semaphore";
}

/** Returns whether several holds of this kind can exist on one key at the same time. */
export function isSharedKind(kind: WritableKind | LockKind | undefined): boolean {
  return isSemaphoreKind(kind) || kind === "read";
}

/**
 * Returns `kind` if it is a kind of semaphore, and `semaphore` if not.
 *
 * @param kind the kind in the companion of a hold
 */
export function getSemaphoreKind(kind: WritableKind | undefined): SemaphoreKind {
  return isSemaphoreKind(kind) ? kind : "semaphore";
}

/**
 * All formats that Lockkeeper recognizes. A format is named after the library that writes it, except `token` and
 * `timestamp`, which many libraries write.
 */
export const FORMAT_NAMES = [
  ...WritableFormat.options,
  "bsm-redislock",
  "bull",
  "bullmq",
  "celery-once",
  "celery-singleton",
  "django-redis",
  "huey",
  "ioredis-lock",
  "lan1tian",
  "laravel",
  "lock4j",
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
  "rueidislock",
  "shedlock",
  "sidekiq-unique-jobs",
  "simple-redis-mutex",
  "spring",
  "symfony",
  "tooz",
  "warlock",
] as const;
export const FormatName = z.enum(FORMAT_NAMES).meta({
  id: "FormatName",
  description: "Format of the lock in Redis, named after the library that writes it.",
  example: "redis-py",
});
export type FormatName = z.infer<typeof FormatName>;

export function isWritableFormat(format: FormatName): format is WritableFormat {
  return WritableFormat.safeParse(format).success;
}

export const LockKind = z
  .enum(["lock", "fair", "fenced", "read", "write", "multi", "semaphore", "latch"])
  .meta({
    description:
      "Kind of lock within its format. A read/write lock is `read` or `write`, depending on how it is held.",
  });
export type LockKind = z.infer<typeof LockKind>;

/** Kinds that the error `kind_conflict` can report for a key that is used as another kind of lock. */
export const UsedKind = z.enum(["lock", "read", "write", "semaphore", "plain_semaphore", "latch"]);
export type UsedKind = z.infer<typeof UsedKind>;

export const Confidence = z.enum(["certain", "likely", "possible"]).meta({
  description:
    "How certain it is that the key is a lock of this format. `certain`: by something that occurs nowhere else. `likely`: by a key name that a library uses, or by the name of a lock and a known value. `possible`: it may be application data, and a force-release must name the format.",
});
export type Confidence = z.infer<typeof Confidence>;

export const TimestampUnit = z.enum(["s", "ms"]).meta({
  description:
    "Unit of the deadline that the format `timestamp` stores: seconds or milliseconds. All locks of one key use the same unit.",
});
export type TimestampUnit = z.infer<typeof TimestampUnit>;

/** Fields of a request that select the format of a lock and the unit of its deadline. */
export const formatFields = {
  format: WritableFormat.optional().meta({
    description:
      "Format of the lock. Defaults to `redisson`. On a quorum target it defaults to `token`, the only format supported there.",
  }),
  unit: TimestampUnit.optional().meta({
    description: "Unit of the deadline. Only with the format `timestamp`. Defaults to `ms`.",
  }),
};

export const kindField = {
  kind: WritableKind.optional().meta({
    description:
      "Kind of the lock. Defaults to `lock`. Every other kind requires the format `redisson`, and a quorum target supports none. All clients of a key must use the same kind.",
  }),
};

/** Returns whether the format supports locks of this kind. */
export function hasValidKind({
  format = "redisson",
  kind = "lock",
}: {
  format?: WritableFormat | undefined;
  kind?: WritableKind | undefined;
}) {
  return kind === "lock" || format === "redisson";
}
export const KIND_ERROR = {
  path: ["kind"],
  message: 'must be "lock" unless the format is "redisson"',
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
  message: 'is only allowed with the format "timestamp"',
};

import type { FormatName } from "@/lib/contract/format.ts";

/**
 * The display names of formats. They are separate from the longer descriptions in `FORMAT_FACTS`, which few pages need.
 * A test compares the labels with those in `FORMAT_FACTS`.
 */
export const FORMAT_LABELS: Readonly<Record<FormatName, string>> = {
  redisson: "Redisson",
  token: "One string",
  timestamp: "Deadline",
  shedlock: "ShedLock",
  spring: "Spring Integration",
  lock4j: "lock4j",
  lan1tian: "lan1tian/lock",
  bullmq: "BullMQ",
  bull: "Bull",
  "ioredis-lock": "ioredis-lock",
  "redis-lock": "redis-lock (npm)",
  "redis-semaphore": "redis-semaphore",
  redlock: "redlock",
  "simple-redis-mutex": "simple-redis-mutex",
  warlock: "node-redis-warlock",
  "celery-singleton": "celery-singleton",
  huey: "huey",
  "celery-once": "celery-once",
  "django-redis": "django-redis",
  pottery: "pottery",
  "python-redis-lock": "python-redis-lock",
  redbeat: "RedBeat",
  "redis-py": "redis-py",
  rq: "RQ",
  tooz: "tooz",
  "bsm-redislock": "bsm/redislock",
  redsync: "redsync",
  rueidislock: "rueidislock",
  "redlock-net": "RedLock.net",
  medallion: "DistributedLock",
  laravel: "Laravel",
  symfony: "Symfony",
  "php-lock": "php-lock",
  "sidekiq-unique-jobs": "sidekiq-unique-jobs",
  "redlock-rb": "redlock-rb",
};

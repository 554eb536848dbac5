import type { FormatName } from "@/lib/contract/format.ts";

/**
 * How people call each format: all of it that the table needs. What else is known is prose, which comes with the pages
 * and sheets that show it. A test holds the two together.
 */
export const FORMAT_LABELS: Readonly<Record<FormatName, string>> = {
  redisson: "Redisson",
  token: "One string",
  timestamp: "Deadline",
  shedlock: "ShedLock",
  spring: "Spring Integration",
  lan1tian: "lan1tian/lock",
  bullmq: "BullMQ",
  bull: "Bull",
  "ioredis-lock": "ioredis-lock",
  "redis-lock": "redis-lock (npm)",
  "redis-semaphore": "redis-semaphore",
  redlock: "redlock",
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
  "redlock-net": "RedLock.net",
  medallion: "DistributedLock",
  laravel: "Laravel",
  symfony: "Symfony",
  "php-lock": "php-lock",
  "sidekiq-unique-jobs": "sidekiq-unique-jobs",
  "redlock-rb": "redlock-rb",
};

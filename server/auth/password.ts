import { hash, verify } from "@node-rs/argon2";
import { RateLimitedError } from "../errors/request-errors.ts";

/** As OWASP says for argon2id, which is the default algorithm: 19 MiB, two passes, one lane. */
const ARGON2_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Each takes a thread of libuv's four and 19 MiB; files and DNS need threads as well. */
const CONCURRENCY_MAX = 2;
const QUEUE_MAX = 50;

/** A hash that no password is known for, so that a name that does not exist takes as long as one that does. */
const DUMMY_HASH = `$argon2id$v=19$m=${ARGON2_OPTIONS.memoryCost},t=${ARGON2_OPTIONS.timeCost},p=${ARGON2_OPTIONS.parallelism}$bG9ja2tlZXBlci1ub2JvZHk$8HyYlIhVdGxDpZrpTHRkjuSYIfgCYmQWfgAMVK2ktFc`;

let running = 0;
const queue: (() => void)[] = [];

/** @throws LockkeeperError rate_limited when too many wait already */
export async function hashPassword(password: string): Promise<string> {
  return await runLimited(() => hash(normalizePassword(password), ARGON2_OPTIONS));
}

/**
 * @param stored undefined or null: there is none, which takes as long to tell
 * @throws LockkeeperError rate_limited when too many wait already
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await runLimited(() =>
    verify(stored ?? DUMMY_HASH, normalizePassword(password)).catch(() => false),
  );
  return isRight && stored !== null && stored !== undefined;
}

/** Keyboards differ in how they write the same letter. */
function normalizePassword(password: string): string {
  return password.normalize("NFC");
}

async function runLimited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (queue.length >= QUEUE_MAX) {
    throw new RateLimitedError("Too many passwords are being checked now. Try again in a moment.", {
      remainingMs: 1000,
    });
  }
  if (running >= CONCURRENCY_MAX) await new Promise<void>((resolve) => queue.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  }
}

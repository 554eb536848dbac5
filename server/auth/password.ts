import { hash, verify } from "@node-rs/argon2";
import { RateLimitedError } from "../errors/request-errors.ts";

/**
 * Options of argon2id, as recommended by OWASP: 19 MiB, two passes, one lane. argon2id is the default algorithm of the
 * library.
 */
const ARGON2_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/**
 * Maximum number of hashes that are computed at the same time. Each hash takes 19 MiB and one of libuv's four threads,
 * which file and DNS operations also need.
 */
const CONCURRENCY_MAX = 2;
const QUEUE_MAX = 50;

/**
 * The hash of a random password. Unknown operator names are verified against this hash, so that they take as long as
 * known names.
 */
const DUMMY_HASH = `$argon2id$v=19$m=${ARGON2_OPTIONS.memoryCost},t=${ARGON2_OPTIONS.timeCost},p=${ARGON2_OPTIONS.parallelism}$bG9ja2tlZXBlci1ub2JvZHk$8HyYlIhVdGxDpZrpTHRkjuSYIfgCYmQWfgAMVK2ktFc`;

let running = 0;
const queue: (() => void)[] = [];

/** Hashes a password with argon2id. @throws LockkeeperError rate_limited if too many hashes are queued */
export async function hashPassword(password: string): Promise<string> {
  return await runLimited(() => hash(normalizePassword(password), ARGON2_OPTIONS));
}

/**
 * Returns whether a password matches a stored hash.
 *
 * @param stored the stored hash. If there is no hash, the result is `false`, and the function takes the same time
 * @throws LockkeeperError rate_limited if too many hashes are queued
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await runLimited(() =>
    verify(stored ?? DUMMY_HASH, normalizePassword(password)).catch(() => false),
  );
  return isRight && stored !== null && stored !== undefined;
}

/** Normalizes a password to NFC, because operating systems encode the same letter in different ways. */
function normalizePassword(password: string): string {
  return password.normalize("NFC");
}

async function runLimited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (queue.length >= QUEUE_MAX) {
    throw new RateLimitedError("Too many passwords are being verified. Retry in 1 s.", {
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

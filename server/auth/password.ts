import { hash, verify } from "@node-rs/argon2";
import { RateLimitedError } from "../errors/request-errors.ts";

/** As OWASP says for argon2id, which is the default algorithm: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Each takes a thread of libuv's four and 19 MiB; files and DNS need threads as well. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 50;

/** A hash that no password is known for, so that a name that does not exist takes as long as one that does. */
const NOBODYS = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$bG9ja2tlZXBlci1ub2JvZHk$8HyYlIhVdGxDpZrpTHRkjuSYIfgCYmQWfgAMVK2ktFc`;

let running = 0;
const waiting: (() => void)[] = [];

/** @throws LockkeeperError rate_limited when too many wait already */
export async function hashPassword(password: string): Promise<string> {
  return await inTurn(() => hash(normalised(password), OPTIONS));
}

/**
 * @param stored undefined or null: there is none, which takes as long to tell
 * @throws LockkeeperError rate_limited when too many wait already
 */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await inTurn(() => verify(stored ?? NOBODYS, normalised(password)).catch(() => false));
  return isRight && stored !== null && stored !== undefined;
}

/** Keyboards differ in how they write the same letter. */
function normalised(password: string): string {
  return password.normalize("NFC");
}

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= WAITING_MAX) {
    throw new RateLimitedError("Too many passwords are being checked now. Try again in a moment.", {
      remainingMs: 1000,
    });
  }
  if (running >= AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

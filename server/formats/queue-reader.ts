import type { Key } from "../../lib/keys/key.ts";
import type { RedisArgument } from "../redis/commands.ts";
import type { WaitDeclaration } from "./wait-declaration.ts";

/** A waiter as stored in Redis. */
export interface QueuedClient {
  readonly owner: Key;
  /** Start of the wait in Unix ms; `null` if it is not stored. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  /** Whether the waiter is a Lockkeeper client; set only for waiters in the queue of another library. */
  readonly isOurs?: boolean;
  /** The declaration of the waiter; only for a waiter of Lockkeeper's verbs. */
  readonly declaration?: WaitDeclaration | undefined;
}

/** A read-only Redis command: its name, its key and its other arguments. */
export type ReadCommand = readonly [command: string, key: RedisArgument, ...more: RedisArgument[]];

/**
 * Name of a pseudo-command that runs as a script and reads several strings in one slot. One GETRANGE per string would
 * cost more. The parameters are the first key, the index of the last byte to read, and the other keys.
 */
export const READ_TEXTS = "READ_TEXTS";

/** Reads the waiters that a library stores in Redis. */
export interface QueueReader {
  /** `in_turn`: the first waiter is next. `unknown`: the order of the list does not determine the next waiter. */
  readonly order: "in_turn" | "unknown";
  /** Builds the read-only commands that read the waiters of the lock at `key`. */
  buildCommands(key: Key): readonly ReadCommand[];
  /**
   * Parses the waiters from the replies to the commands.
   *
   * @param answers one reply per command, with strings as bytes; `undefined` if Redis refused the command
   * @param asOf time of the read on the Redis clock, in Unix ms
   */
  parseQueue(answers: readonly unknown[], asOf: number): readonly QueuedClient[];
}

/** Maximum number of waiters to read per lock. Lockkeeper's verbs accept the same number of waiters per lock. */
export const QUEUED_MAX = 1000;

/** Parses a reply that lists the members of a sorted set, each followed by its score. */
export function parseMemberScores(answer: unknown): [member: Buffer, score: Buffer][] {
  const flat: readonly unknown[] = Array.isArray(answer) ? answer : [];
  const pairs: [Buffer, Buffer][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [member, score] = [flat[at], flat[at + 1]];
    if (Buffer.isBuffer(member) && Buffer.isBuffer(score)) pairs.push([member, score]);
  }
  return pairs;
}

/** Returns the strings in a reply, in order; empty if the reply is not a list. */
export function parseMembers(answer: unknown): Buffer[] {
  return Array.isArray(answer) ? answer.filter((member) => Buffer.isBuffer(member)) : [];
}

import type { Key } from "../../lib/keys/key.ts";
import type { RedisArgument } from "../redis/commands.ts";

/** Somebody who waits, as Redis tells of it. */
export interface QueuedClient {
  readonly owner: Key;
  /** Null: written nowhere. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

/** A command that only reads: its name, its key, its other arguments. */
export type ReadCommand = readonly [command: string, key: RedisArgument, ...more: RedisArgument[]];

/** Where a library writes down who waits. */
export interface QueueReader {
  /** in_turn: whoever stands first is served next, and nobody before. unseen: they stand there, and no order is kept. */
  readonly order: "in_turn" | "unknown";
  /** Commands that only read. */
  buildCommands(key: Key): readonly ReadCommand[];
  /** @param answers one a command, its texts as bytes; undefined where it was refused  @param asOf Redis's clock */
  parseQueue(answers: readonly unknown[], asOf: number): readonly QueuedClient[];
}

/** As many as may wait by our verbs. */
export const QUEUED_MAX = 1000;

/** Members and scores of a sorted set. */
export function parseMemberScores(answer: unknown): [member: Buffer, score: Buffer][] {
  const flat: readonly unknown[] = Array.isArray(answer) ? answer : [];
  const pairs: [Buffer, Buffer][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [member, score] = [flat[at], flat[at + 1]];
    if (Buffer.isBuffer(member) && Buffer.isBuffer(score)) pairs.push([member, score]);
  }
  return pairs;
}

/** Members of a list, as they stand. */
export function parseMembers(answer: unknown): Buffer[] {
  return Array.isArray(answer) ? answer.filter((member) => Buffer.isBuffer(member)) : [];
}

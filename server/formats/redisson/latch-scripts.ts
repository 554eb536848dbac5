import { createHash } from "node:crypto";
import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { UnexpectedReplyError } from "../../redis/failure.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { buildColocatedKey, buildCompanionKey, buildPlainPermitsKey, TARGET_PREFIX } from "../keys.ts";
import type { LockRequest } from "../lock-requests.ts";
import { formatShardedFlag } from "../lock-writer.ts";
import { type NotALockReply, parseNotALockReply } from "../script-replies.ts";
import { buildLatchChannel, buildPermitsKey } from "./redisson-keys.ts";

type Keys = RedisArgument[];

export type LatchReply =
  | NotALockReply
  | { readonly outcome: "request_id_reused" }
  | {
      readonly outcome: "set" | "already_set" | "counted" | "count";
      readonly asOf: number;
      /** The count of the latch; 0 if the latch is open. */
      readonly count: number;
      /**
       * When a client of Lockkeeper last opened the latch, in Unix microseconds; 0 if unknown, and for every outcome
       * except `count`.
       */
      readonly openedUs: number;
    };

const LATCH = `${TARGET_PREFIX}latch`;
/** Builds the key that stores when the latch was last opened. */
export const buildOpenedKey = (key: Key) => buildColocatedKey(LATCH, key);
/**
 * Builds the keys that show whether another kind of lock uses the key: its companion, and the permits of both kinds of
 * semaphore.
 */
const buildOtherKeys = (key: Key) => [
  buildCompanionKey(key),
  buildPermitsKey(key),
  buildPlainPermitsKey(key),
];
/**
 * Builds the key that stores a request. The key contains a hash of the request id, because braces in the id would
 * change the slot.
 */
const buildRequestKey = (key: Key, id: string) =>
  buildColocatedKey(`${LATCH}:${createHash("sha256").update(id).digest("base64url").slice(0, 22)}`, key);

/** Runs the operations on latches, with one script per operation. */
export class LatchScripts {
  readonly #set: Script<Keys, Keys, LatchReply>;
  readonly #countDown: Script<Keys, Keys, LatchReply>;
  readonly #read: Script<Keys, Keys, LatchReply>;

  /** @param scripts the folder with the latch scripts */
  constructor(scripts: URL = new URL("latch/", import.meta.url)) {
    const script = (name: string) => new Script<Keys, Keys, LatchReply>(new URL(name, scripts), parseReply);
    this.#set = script("set-count.lua");
    this.#countDown = script("count-down.lua");
    this.#read = script("read.lua");
  }

  setCount(redis: Commands, key: Key, count: number, { id, digest }: LockRequest): Promise<LatchReply> {
    return this.#set.run(
      redis,
      [toRedisArgument(key), buildRequestKey(key, id), ...buildOtherKeys(key)],
      [count, digest, buildLatchChannel(key), formatShardedFlag(redis)],
    );
  }

  countDown(redis: Commands, key: Key, { id, digest }: LockRequest): Promise<LatchReply> {
    return this.#countDown.run(
      redis,
      [toRedisArgument(key), buildRequestKey(key, id), buildOpenedKey(key), ...buildOtherKeys(key)],
      [digest, buildLatchChannel(key), formatShardedFlag(redis)],
    );
  }

  read(redis: Commands, key: Key): Promise<LatchReply> {
    return this.#read.read(redis, [toRedisArgument(key), buildOpenedKey(key), ...buildOtherKeys(key)], []);
  }
}

function parseReply(reply: unknown): LatchReply {
  const fields = Array.isArray(reply) ? reply.map(String) : [];
  const [outcome, first = "", count, openedUs = "0"] = fields;
  switch (outcome) {
    case "not_a_lock":
      return parseNotALockReply(fields);
    case "request_id_reused":
      return { outcome };
    case "set":
    case "already_set":
    case "counted":
    case "count":
      return { outcome, asOf: Number(first), count: Number(count), openedUs: Number(openedUs) };
    default:
      throw new UnexpectedReplyError(`A script of a latch returned ${JSON.stringify(outcome)}`);
  }
}

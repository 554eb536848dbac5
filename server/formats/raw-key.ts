import { decodeKey, type Key } from "../../lib/keys/key.ts";
import { type Companion, parseCompanion } from "./companion.ts";
import { LOCK_TYPES, type LockType, type NotALockObservation } from "./observation.ts";
import { parseRemainingMs } from "./script-replies.ts";

/** A larger hash or set and a longer string are somebody's data and are not read. A group of Redisson has three fields a value. */
export const FIELDS_MAX = 192;
/** Of a set or sorted set: a semaphore has more holders than a lock has readers. */
export const MEMBERS_MAX = 256;
export const VALUE_BYTES_MAX = 1024;

const READ_LIMITS = {
  string: { most: VALUE_BYTES_MAX, of: "bytes" },
  hash: { most: FIELDS_MAX, of: "fields" },
  set: { most: MEMBERS_MAX, of: "members" },
  zset: { most: MEMBERS_MAX, of: "members" },
} as const;

/** How much of a key was too much to be read; undefined: all of it was read. */
export function findUnreadSize({ type, size }: Pick<RawKey, "type" | "size">): NotALockObservation["unread"] {
  return size > READ_LIMITS[type].most ? { size, ...READ_LIMITS[type] } : undefined;
}

/** A key and what stands beside it, as read.lua found it. */
export interface RawKey {
  readonly key: Key;
  readonly asOf: number;
  readonly type: LockType;
  /** null: no expiry. */
  readonly remainingMs: number | null;
  /** Bytes of a string, else members. */
  readonly size: number;
  /** The string; or fields and values, members, members and scores. Empty: too large, not read. */
  readonly content: readonly Buffer[];
  readonly companion: Companion | undefined;
  /** Who waits by our own verbs. */
  readonly waiting: number;
  /** Redisson's fencing counter. */
  readonly fenceCounter: string | null;
  /** The length of Redisson's fair queue. */
  readonly queued: number;
  /** Permits of Redisson's semaphore that are out: members and scores. */
  readonly permits: readonly Buffer[];
}

export type RawReply =
  | { readonly type: "none"; readonly asOf: number; readonly waiting: number; readonly queued: number }
  | { readonly type: "other"; readonly asOf: number; readonly name: string }
  | { readonly type: "read"; readonly raw: Omit<RawKey, "key"> };

/** @param reply of read.lua, its texts as strings or as bytes */
export function parseRawReply(reply: unknown): RawReply {
  const [now, type, remaining, size, content, companion, waiting, fence, queued, permits] =
    reply as unknown[];
  const asOf = Number(toText(now));
  const name = toText(type);
  if (name === "none") return { type: name, asOf, waiting: Number(waiting), queued: Number(queued) };
  const lockType = LOCK_TYPES.find((each) => each === name);
  if (lockType === undefined) return { type: "other", asOf, name };
  const fits = lockType !== "string" || Number(size) <= VALUE_BYTES_MAX;
  const raw = {
    ...{ asOf, type: lockType, size: Number(size) },
    remainingMs: parseRemainingMs(Number(toText(remaining))),
    content: fits ? toBuffers(content) : [],
    companion: parseCompanion(toText(companion)),
    waiting: Number(waiting),
    fenceCounter: toText(fence) || null,
    queued: Number(queued),
    permits: toBuffers(permits),
  };
  return { type: "read", raw };
}

/** What stands beside a key, each as its command answered; undefined where it was refused. */
interface AuxiliaryReplies {
  readonly companion: unknown;
  readonly waiting: unknown;
  readonly fence: unknown;
  readonly queued: unknown;
  readonly permits: unknown;
}

/** A reply of read.lua on the key alone, and what was asked one by one, as if all of it had been asked at once. */
export function addAuxiliaryReplies(reply: RawReply, beside: AuxiliaryReplies): RawReply {
  const [waiting, length] = [Number(beside.waiting ?? 0), Number(beside.queued ?? 0)];
  if (reply.type === "none") return { ...reply, waiting, queued: length };
  if (reply.type === "other") return reply;
  const { type, content } = reply.raw;
  const isHash = type === "hash";
  const isNumber = type === "string" && /^-?\d{1,11}$/.test(String(content[0] ?? ""));
  const raw = {
    ...reply.raw,
    companion: parseCompanion(toText(beside.companion ?? "")),
    waiting,
    fenceCounter: isHash ? toText(beside.fence ?? "") || null : null,
    queued: isHash ? length : 0,
    permits: isNumber ? toBuffers(beside.permits ?? []) : [],
  };
  return { type: "read", raw };
}

/** The text of bytes, which are kept where they are not UTF-8. */
export const toOwner = (bytes: Buffer): Key => decodeKey(bytes);

function toText(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : String(value);
}

function toBuffers(values: unknown): Buffer[] {
  return (values as (Buffer | string)[]).map((value) =>
    Buffer.isBuffer(value) ? value : Buffer.from(value),
  );
}

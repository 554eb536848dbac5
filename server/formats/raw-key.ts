import type { SemaphoreKind } from "../../lib/contract/format.ts";
import { decodeKey, type Key } from "../../lib/keys/key.ts";
import { type Companion, parseCompanion } from "./companion.ts";
import { LOCK_TYPES, type LockType, type NotALockObservation } from "./observation.ts";
import { parseRemainingMs } from "./script-replies.ts";

/**
 * Maximum number of fields in the hash of a lock. A hash with more fields is treated as application data and is not
 * read. Redisson's multi locks have three fields per value.
 */
export const FIELDS_MAX = 192;
/**
 * Maximum number of members in a set or sorted set. Larger than `FIELDS_MAX`, because semaphores have more holders than
 * read/write locks.
 */
export const MEMBERS_MAX = 256;
/** The maximum size in bytes of a string, field name, field value or member of a lock. */
export const VALUE_BYTES_MAX = 1024;
/** Maximum memory usage, in bytes, of a hash, set or sorted set that is read. */
export const CONTENT_BYTES_MAX = 512 * 1024;
/** Maximum size of a companion in bytes. A larger companion counts as missing. */
export const COMPANION_BYTES_MAX = 8192;

const COUNT_LIMITS = {
  string: { most: VALUE_BYTES_MAX, of: "bytes" },
  hash: { most: FIELDS_MAX, of: "fields" },
  set: { most: MEMBERS_MAX, of: "members" },
  zset: { most: MEMBERS_MAX, of: "members" },
} as const;

type MeasuredKey = Pick<RawKey, "type" | "size" | "bytes" | "content">;

/** Returns the size of a key that exceeds a limit for locks; `undefined` if the key is within all limits. */
export function findExcessSize({ type, size, bytes, content }: MeasuredKey): NotALockObservation["unread"] {
  const limit = COUNT_LIMITS[type];
  if (size > limit.most) return { size, ...limit };
  if (type === "string") return undefined;
  if (bytes > CONTENT_BYTES_MAX) return { size: bytes, most: CONTENT_BYTES_MAX, of: "bytes" };
  const longest = content.reduce((most, { length }) => Math.max(most, length), 0);
  if (longest <= VALUE_BYTES_MAX) return undefined;
  return { size: longest, most: VALUE_BYTES_MAX, of: "bytes_of_one_element" };
}

/** Describes the size of a key that is too large to be read, such as `of 300 fields, and at most 192 are read`. */
export function describeExcess({ size, most, of }: NonNullable<NotALockObservation["unread"]>): string {
  if (of !== "bytes_of_one_element") return `of ${size} ${of}, and at most ${most} are read`;
  return `with ${size} bytes in one element, and at most ${most} are read`;
}

/** A key and its auxiliary keys, as returned by read.lua. */
export interface RawKey {
  readonly key: Key;
  readonly asOf: number;
  readonly type: LockType;
  /** `null` if the key has no TTL. */
  readonly remainingMs: number | null;
  /** Number of bytes of a string; number of fields or members of any other type. */
  readonly size: number;
  /**
   * Memory usage of the content in bytes. For a string, which can be a semaphore, the memory usage of the set that
   * contains its permits. In all cases, 0 if not measured.
   */
  readonly bytes: number;
  /**
   * The content by type: a string; fields and values; members; or members and scores. Empty if the content is too large
   * to be read.
   */
  readonly content: readonly Buffer[];
  readonly companion: Companion | undefined;
  /** Number of waiters of Lockkeeper's verbs outside the fair queue. */
  readonly waiting: number;
  /** The value of Redisson's fencing counter; `null` if the counter does not exist. */
  readonly fenceCounter: string | null;
  /** Number of waiters in Redisson's fair queue, excluding Lockkeeper's waiters whose heartbeats have expired. */
  readonly queued: number;
  /** Acquired permits of a Redisson semaphore: members and scores, alternating. */
  readonly permits: readonly Buffer[];
  /** Set for a plain semaphore, for which only the permits of Lockkeeper's holds are known. */
  readonly isPlain?: true;
  /**
   * The kind that the companion of a semaphore or latch specifies. If no permit is acquired, the number in the key does
   * not represent a held lock.
   */
  readonly namedKind?: SemaphoreKind | "latch";
}

export type RawReply =
  | { readonly type: "none"; readonly asOf: number; readonly waiting: number; readonly queued: number }
  | { readonly type: "other"; readonly asOf: number; readonly name: string }
  /** The key was not read, because the Redis user may not run MEMORY USAGE on it. */
  | { readonly type: "unmeasured"; readonly asOf: number; readonly name: LockType }
  | { readonly type: "read"; readonly raw: Omit<RawKey, "key"> };

/** Parses a reply from read.lua. @param reply the reply, with strings as text or as bytes */
export function parseRawReply(reply: unknown): RawReply {
  const [now, type, remaining, size, content, companion, waiting, fence, queued, permits, measured, plain] =
    reply as unknown[];
  const asOf = Number(toText(now));
  const name = toText(type);
  if (name === "none") return { type: name, asOf, waiting: Number(waiting), queued: Number(queued) };
  const lockType = LOCK_TYPES.find((each) => each === name);
  if (lockType === undefined) return { type: "other", asOf, name };
  const isString = lockType === "string";
  if (!isString && Number(measured) < 0) return { type: "unmeasured", asOf, name: lockType };
  const fits = !isString || Number(size) <= VALUE_BYTES_MAX;
  const stored = toText(companion);
  const raw = {
    asOf,
    type: lockType,
    size: Number(size),
    bytes: Math.max(0, Number(measured)),
    remainingMs: parseRemainingMs(Number(toText(remaining))),
    content: fits ? toBuffers(content) : [],
    companion: parseCompanion(stored),
    waiting: Number(waiting),
    fenceCounter: toText(fence) || null,
    queued: Number(queued),
    permits: toBuffers(permits),
    ...(Number(plain) === 1 ? { isPlain: true as const } : {}),
    ...(isString ? parseNamedKind(stored) : {}),
  };
  return { type: "read", raw };
}

/**
 * Returns the kind of semaphore or latch that a companion without a hold names; an empty object if it names no kind.
 */
function parseNamedKind(companion: string): Pick<RawKey, "namedKind"> {
  const [token, kind] = companion.split("\n", 2);
  const isNamed = token === "" && (kind === "semaphore" || kind === "plain_semaphore" || kind === "latch");
  return isNamed ? { namedKind: kind } : {};
}

/** The replies for the auxiliary keys of a key. A reply is `undefined` if Redis refused the command. */
interface AuxiliaryReplies {
  readonly companion: unknown;
  readonly waiting: unknown;
  readonly fence: unknown;
  readonly queued: unknown;
  readonly permits: unknown;
  readonly plainPermits: unknown;
}

/** Adds the content of auxiliary keys, which were read separately, to the reply from read.lua for a key. */
export function addAuxiliaryReplies(reply: RawReply, beside: AuxiliaryReplies): RawReply {
  const [waiting, length] = [Number(beside.waiting ?? 0), Number(beside.queued ?? 0)];
  if (reply.type === "none") return { ...reply, waiting, queued: length };
  if (reply.type !== "read") return reply;
  const { type, content } = reply.raw;
  const isHash = type === "hash";
  const isNumber = type === "string" && /^-?\d{1,11}$/.test(String(content[0] ?? ""));
  const acquired = isNumber ? toBuffers(beside.permits ?? []) : [];
  const plain = isNumber ? toBuffers(beside.plainPermits ?? []) : [];
  const isPlain = acquired.length === 0 && plain.length > 0;
  const raw = {
    ...reply.raw,
    ...(isPlain ? { isPlain: true as const } : {}),
    ...(isNumber ? parseNamedKind(toText(beside.companion ?? "")) : {}),
    companion: parseBoundedCompanion(beside.companion),
    waiting,
    fenceCounter: isHash ? toText(beside.fence ?? "") || null : null,
    queued: isHash ? length : 0,
    permits: isPlain ? plain : acquired,
  };
  return { type: "read", raw };
}

/** @param answer the reply of a GETRANGE that reads one byte more than the size limit of a companion */
function parseBoundedCompanion(answer: unknown): Companion | undefined {
  const bytes = Buffer.isBuffer(answer) ? answer : Buffer.from(String(answer ?? ""));
  return bytes.length > COMPANION_BYTES_MAX ? undefined : parseCompanion(bytes.toString("utf8"));
}

/** Decodes bytes as an owner, without losing bytes that are not UTF-8. */
export const toOwner = (bytes: Buffer): Key => decodeKey(bytes);

function toText(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : String(value);
}

function toBuffers(values: unknown): Buffer[] {
  return (values as (Buffer | string)[]).map((value) =>
    Buffer.isBuffer(value) ? value : Buffer.from(value),
  );
}

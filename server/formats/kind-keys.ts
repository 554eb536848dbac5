import type { LockKind, WritableKind } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { buildReadWriteChannel, buildWakeChannel } from "./keys.ts";

/** The suffix of a writer's token. In Redisson's read/write lock, which is a hash, the whole token is a field name. */
export const WRITE_SUFFIX = ":write";

/** Returns the token of the reader that a writer becomes when it is downgraded. */
export function toReaderToken(writerToken: string): string {
  return writerToken.slice(0, -WRITE_SUFFIX.length);
}

export function isReadWrite(kind: LockKind | WritableKind | undefined): kind is "read" | "write" {
  return kind === "read" || kind === "write";
}

/** Returns the channel on which the waiters of a lock listen. */
export function buildKindWakeChannel(kind: WritableKind | undefined, key: Key): RedisArgument {
  return isReadWrite(kind) ? buildReadWriteChannel(key) : buildWakeChannel(key);
}

/** Returns the id of a waiter in the list of waiters. */
export function formatWaiterId(kind: WritableKind | undefined, requestId: string): string {
  // The id contains the role of a writer, because the list has no field for the role. No request id ends with this
  // suffix.
  return kind === "write" ? `${requestId}~write` : requestId;
}

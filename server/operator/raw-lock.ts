import {
  RAW_ENTRIES_MAX,
  RAW_TEXT_BYTES_MAX,
  type RawCopy,
  type RawEntry,
  type RawLock,
  type RawText,
} from "../../lib/contract/raw-lock.ts";
import { decodeKey, isBinaryKey, type Key, toKeyFields } from "../../lib/keys/key.ts";
import type { RawReply } from "../formats/raw-key.ts";
import { type RawKeyReading, readRawKey } from "../formats/registry/read-keys.ts";
import { requireReadable } from "../formats/registry/require-readable.ts";
import { assertIsLock, type DirectReadTarget, findMastersToAsk, getFirstFailure } from "./direct-read.ts";

/**
 * Reads the content of a lock as it is stored on each master. Does not return the content of keys that are not locks,
 * because read access to locks does not include other data in Redis.
 *
 * @throws LockkeeperError `not_a_lock` or `unavailable`, or the Redis error if no master responds
 */
export async function readRawCopies({ name, masters, rules }: DirectReadTarget, key: Key): Promise<RawLock> {
  const selectedMasters = findMastersToAsk(masters, key);
  const reads = await Promise.allSettled(
    selectedMasters.map(async ({ reads }) => {
      const read = await readRawKey(await reads.waitUntilReady(), key, rules.rules, masters.routing);
      requireReadable(read.observation);
      return read;
    }),
  );
  const copies: RawCopy[] = [];
  const unansweredMasters: string[] = [];
  for (const [at, { name: master }] of selectedMasters.entries()) {
    const read = reads[at];
    if (read?.status === "fulfilled") copies.push(toRawCopy(master, read.value));
    else unansweredMasters.push(master);
  }
  if (copies.length === 0) throw getFirstFailure(reads);
  assertIsLock(reads.flatMap((read) => (read.status === "fulfilled" ? [read.value.observation] : [])));
  return { target: name, ...toKeyFields(key), copies, silent: unansweredMasters };
}

function toRawCopy(master: string, { reply, observation }: RawKeyReading): RawCopy {
  const isLock = observation.state === "held" || observation.state === "ended";
  if (reply.type !== "read") {
    const type = reply.type === "other" ? reply.name : "none";
    return { master, type, remainingMs: null, size: null, entries: [], asOf: reply.asOf };
  }
  const { type, remainingMs, size, asOf } = reply.raw;
  return { master, type, remainingMs, size, entries: isLock ? toRawEntries(reply.raw) : [], asOf };
}

function toRawEntries({ type, content }: Extract<RawReply, { type: "read" }>["raw"]): RawEntry[] {
  if (type === "string" || type === "set") {
    return content.slice(0, RAW_ENTRIES_MAX).map((value) => ({ value: toRawText(value) }));
  }
  const entries: RawEntry[] = [];
  for (let at = 0; at + 1 < content.length && entries.length < RAW_ENTRIES_MAX; at += 2) {
    const [name, value] = [content[at], content[at + 1]];
    if (name !== undefined && value !== undefined)
      entries.push({ name: toRawText(name), value: toRawText(value) });
  }
  return entries;
}

function toRawText(whole: Buffer): RawText {
  const head = whole.subarray(0, RAW_TEXT_BYTES_MAX);
  const bytes = whole.length;
  if (isBinaryKey(decodeKey(whole))) {
    return { text: new TextDecoder().decode(head), base64: head.toString("base64"), bytes };
  }
  // The stream mode omits a truncated character at the end.
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(head, { stream: true }), bytes };
}

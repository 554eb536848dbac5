import {
  RAW_ENTRIES_MAX,
  RAW_TEXT_BYTES_MAX,
  type RawCopy,
  type RawEntry,
  type RawLock,
  type RawText,
} from "../../lib/contract/raw-lock.ts";
import { fieldsOfKey, isBinary, type Key, keyOfBytes } from "../../lib/keys/key.ts";
import type { RawReply } from "../formats/raw-key.ts";
import { type RawLook, readRaw } from "../formats/registry/read-keys.ts";
import { assertLock, firstFailure, mastersOf, type Where } from "./direct-read.ts";

/**
 * A lock as it stands in Redis. What is no lock is not told: who may look at locks may not read all else that a Redis
 * has.
 *
 * @throws LockkeeperError not_a_lock; the error of Redis when nobody answers
 */
export async function rawLook({ name, masters, rules }: Where, key: Key): Promise<RawLock> {
  const asked = mastersOf(masters, key);
  const looks = await Promise.allSettled(
    asked.map(({ redis }) => readRaw(redis, key, rules.rules, masters.spread)),
  );
  const copies: RawCopy[] = [];
  const silent: string[] = [];
  for (const [at, { name: master }] of asked.entries()) {
    const look = looks[at];
    if (look?.status === "fulfilled") copies.push(copyOf(master, look.value));
    else silent.push(master);
  }
  if (copies.length === 0) throw firstFailure(looks);
  assertLock(looks.flatMap((look) => (look.status === "fulfilled" ? [look.value.observation] : [])));
  return { target: name, ...fieldsOfKey(key), copies, silent };
}

function copyOf(master: string, { reply, observation }: RawLook): RawCopy {
  const isLock = observation.state === "held" || observation.state === "ended";
  if (reply.type !== "read") {
    const type = reply.type === "other" ? reply.name : "none";
    return { master, type, remainingMs: null, size: null, entries: [], asOf: reply.asOf };
  }
  const { type, remainingMs, size, asOf } = reply.raw;
  return { master, type, remainingMs, size, entries: isLock ? entriesOf(reply.raw) : [], asOf };
}

function entriesOf({ type, content }: Extract<RawReply, { type: "read" }>["raw"]): RawEntry[] {
  if (type === "string" || type === "set") {
    return content.slice(0, RAW_ENTRIES_MAX).map((value) => ({ value: textOf(value) }));
  }
  const entries: RawEntry[] = [];
  for (let at = 0; at + 1 < content.length && entries.length < RAW_ENTRIES_MAX; at += 2) {
    const [name, value] = [content[at], content[at + 1]];
    if (name !== undefined && value !== undefined) entries.push({ name: textOf(name), value: textOf(value) });
  }
  return entries;
}

function textOf(whole: Buffer): RawText {
  const told = whole.subarray(0, RAW_TEXT_BYTES_MAX);
  const bytes = whole.length;
  if (isBinary(keyOfBytes(whole))) {
    return { text: new TextDecoder().decode(told), base64: told.toString("base64"), bytes };
  }
  // As of a stream: a character that is cut in its middle is left out.
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(told, { stream: true }), bytes };
}

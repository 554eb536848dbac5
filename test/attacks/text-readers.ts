import { isBinaryKey } from "../../lib/keys/key.ts";
import { toKeyPattern } from "../../lib/keys/key-pattern.ts";
import { parseFilter } from "../../lib/query/filter.ts";
import { parseCompanion } from "../../server/formats/companion.ts";
import {
  buildCompanionKey,
  buildTokenChannel,
  findKeyFault,
  isAuxiliaryKey,
} from "../../server/formats/keys.ts";
import { LOCK_TYPES } from "../../server/formats/observation.ts";
import { isForeignOwner, isThreadOwner, parseEntry } from "../../server/formats/redisson/redisson-owner.ts";
import { detectLock } from "../../server/formats/registry/detect-lock.ts";
import { parseJobLockName } from "../../server/formats/strings/bull-job.ts";
import { hasLockLikeName } from "../../server/formats/strings/lock-name.ts";
import { STRING_VARIANTS } from "../../server/formats/strings/string-variants.ts";
import { matchSyntaxes, VALUE_SYNTAXES } from "../../server/formats/strings/value-syntax.ts";
import { parseScriptEvent } from "../../server/watch/connection/script-event.ts";
import { createRawKey } from "../support/raw-key.ts";

const UUID = "11111111-1111-4111-8111-111111111111";
const HEX = "0123456789abcdef";

/** The beginning of a text, a fragment that is repeated up to the requested length, and the end. */
const PARTS: readonly (readonly [beginning: string, repeated: string, end: string])[] = [
  ["a", ":repeat:1", ":x:lock"],
  ["a", ":repeat:", ":lock"],
  ["lock:", "_database_x", ""],
  ["lock:", "-database-_cach", ""],
  ["lock:", "_tooz", "_lockx"],
  ["bull:", "a:", ":lock"],
  ["", ":", "lock"],
  ["", "uniquejobs:", ":LOCKED"],
  ["uniquejobs:", HEX, ":LOCKE"],
  ["", `:${HEX}${HEX}:RUN`, ":LOCKED"],
  ["", ":rwlock_timeout:1", "x"],
  [":rwlock_timeout:", "1", "x"],
  ["", "semaphore", ":"],
  ["", "framework/schedule-0", ""],
  ["", "aA", ""],
  ["", "A", "a"],
  ["", "1a", ""],
  ["", "-_", ""],
  ["", "0123abcd-", ""],
  ["", `${UUID}`, ""],
  ["", `${UUID}:1:`, ""],
  [`${UUID}-`, "_1", "x"],
  ["host_", "1_", HEX],
  ["ADDED:", "1@", ":"],
  ["", "{", "}"],
  ["", "\n", ""],
  ["", "\t", "\n"],
  ["", "1", ""],
  ["", 'key:="', ""],
  ["", "\u00e9", ""],
];

/** Functions that parse text written by other clients, by description. */
export const TEXT_READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "auxiliary key detection": isAuxiliaryKey,
  "the pattern of a key": toKeyPattern,
  "lock-like name detection": hasLockLikeName,

  "the job of a lock": parseJobLockName,
  "the names that libraries give": (text) => STRING_VARIANTS.map(({ own }) => own?.test(text)),
  "the companion of a key": buildCompanionKey,
  "the fault of a key": findKeyFault,
  "binary key detection": isBinaryKey,
  "value syntax detection": (text) => matchSyntaxes(Buffer.from(text), 0),
  "each value syntax": (text) => Object.values(VALUE_SYNTAXES).map(({ pattern }) => pattern.test(text)),
  "thread owner detection": (text) => [isThreadOwner(text), isForeignOwner(text)],
  "the entry of a multi-lock": parseEntry,
  "the channel of a token": buildTokenChannel,
  "the companion": parseCompanion,
  "a script event": (text) => parseScriptEvent(Buffer.from(text)),
  "a filter": (text) => parseFilter(text),
  "detection by key name": (text) => {
    for (const value of [
      `${UUID}:17`,
      UUID,
      "Ab3Ab3Ab3Ab3Ab3A",
      "0b5fa54cc6f711f08de90242ac120002",
      "me",
      "5",
    ])
      detectLock(createRawKey(text, "string", [value]), undefined);
    detectLock(createRawKey(text, "hash", [HEX.repeat(2).slice(0, 24), "1795216490"]), undefined);
    detectLock(createRawKey(text, "zset", [UUID, String(Date.now())]), undefined);
    detectLock(createRawKey(text, "set", [`web_1_${HEX}${HEX}`]), undefined);
  },
  "detection by content": (text) => {
    for (const type of LOCK_TYPES) detectLock(createRawKey("lock:a", type, [text, text]), undefined);
  },
  "detection by rule": (text) => {
    for (const format of ["bullmq", "tooz", "laravel"] as const)
      detectLock(createRawKey(text, "string", [text]), format);
  },
};

/** Functions that create a text of about the given number of bytes. */
export const HOSTILE_TEXTS: readonly ((bytes: number) => string)[] = PARTS.map(
  ([beginning, repeated, end]) =>
    (bytes) =>
      beginning + repeated.repeat(Math.ceil(bytes / repeated.length)) + end,
);

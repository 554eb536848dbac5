import { EVENT_TYPES, type EventType } from "../../../lib/contract/event.ts";
import { NAME_CHARACTERS_MAX, REASON_CHARACTERS_MAX } from "../../../lib/contract/limits.ts";
import { decodeKey, KEY_BYTES_MAX, type Key } from "../../../lib/keys/key.ts";

/**
 * A script event: the message in which one of Lockkeeper's Lua scripts reports its change to a lock. Script events are
 * exact, arrive in order, and are numbered by `seq` within the hold.
 */
export interface ScriptEvent {
  readonly type: EventType;
  readonly key: Key;
  readonly at: number;
  /** The fencing token of the hold; `null` for an event about a foreign hold or a waiter. */
  readonly fence: string | null;
  readonly seq: number;
  readonly count: number;
  readonly heldMs: number | undefined;
  /**
   * The owner label of a Lockkeeper hold, or the stored value of a foreign lock. Tabs and line breaks are replaced with
   * spaces.
   */
  readonly owner: Key;
  /** The token of a reader, which shares its fencing token with other readers; `undefined` for any other hold. */
  readonly token?: string | undefined;
  readonly by: string | undefined;
  readonly reason: string | undefined;
  /** Set on an `acquired` event if the lock can have several holders. */
  readonly isShared?: true;
}

/**
 * Maximum length of an owner in bytes. The formats have the same limit and do not recognize a key with a longer owner
 * as a lock.
 */
const OWNER_BYTES_MAX = 1024;
/**
 * Maximum length of an actor's name in characters. The limit includes the prefix `key:` and leaves room for names
 * passed to the client library.
 */
const ACTOR_CHARACTERS_MAX = 4 * NAME_CHARACTERS_MAX;
/**
 * Maximum size, in bytes, of the JSON with the actor and the reason. JSON encodes a control character as six
 * characters.
 */
const ACTOR_JSON_BYTES_MAX = 6 * (ACTOR_CHARACTERS_MAX + REASON_CHARACTERS_MAX) + 64;
/** Maximum total size, in bytes, of an event's type, numbers and token. */
const FIELDS_BYTES_MAX = 192;
const HEADER_BYTES_MAX = OWNER_BYTES_MAX + ACTOR_JSON_BYTES_MAX + FIELDS_BYTES_MAX;

/** Matches the token of a reader. */
const TOKEN = /^[0-9a-f-]{36}:\d{1,15}$/;

const KNOWN_TYPES: ReadonlyMap<string, EventType> = new Map(EVENT_TYPES.map((type) => [type, type]));

/**
 * Parses `type ⇥ at ⇥ fence ⇥ seq ⇥ count ⇥ since ⇥ owner ⇥ JSON of actor and reason ⏎ key`. The event of a reader has
 * `⇥ token` before the line break.
 *
 * Returns `undefined` if the message has a different form, or if a field exceeds the maximum length that the scripts
 * write. Does not decode messages that exceed the length limit. These checks are required because any client can
 * publish on the channel, and each event reaches every open page and the history.
 */
export function parseScriptEvent(message: Uint8Array): ScriptEvent | undefined {
  if (message.length > HEADER_BYTES_MAX + KEY_BYTES_MAX) return undefined;
  // Keys and foreign owners may contain any bytes. Latin-1 maps each byte to one character.
  const text = toLatin1Text(message);
  const end = text.indexOf("\n");
  if (end < 0 || end > HEADER_BYTES_MAX || text.length - end - 1 > KEY_BYTES_MAX) return undefined;
  const fields = text.slice(0, end).split("\t");
  const [type, at, fence = "", seq, count, since = "", owner = "", who = "", token] = fields;
  const known = KNOWN_TYPES.get(type ?? "");
  if (
    known === undefined ||
    fields.length < 8 ||
    fields.length > 9 ||
    !isWholeNumber(at) ||
    !isWholeNumber(seq) ||
    !isWholeNumber(count)
  )
    return undefined;
  if (!isDigits(fence, 0, 16) || !isDigits(since, 0, 15)) return undefined;
  if (token !== undefined && !TOKEN.test(token)) return undefined;
  if (owner.length > OWNER_BYTES_MAX || who.length > ACTOR_JSON_BYTES_MAX) return undefined;
  const actor = parseActor(who);
  if (actor === undefined) return undefined;
  return {
    type: known,
    key: toKey(text.slice(end + 1)),
    at: Number(at),
    fence: fence || null,
    seq: Number(seq),
    count: Number(count),
    // The difference is negative if Redis's clock was set back during the hold.
    heldMs: since === "" ? undefined : Math.max(0, Number(at) - Number(since)),
    owner: toKey(owner),
    ...(token === undefined ? {} : { token }),
    ...actor,
  };
}

/** Returns an owner as it appears in messages: with spaces in place of tabs and line breaks, which separate fields. */
export const toMessageOwner = (owner: Key): string => owner.replace(/[\t\n]/g, " ");

function toLatin1Text({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * Converts a Latin-1 string, in which each character is one byte of a key, to the key. Nearly all keys are ASCII and
 * need no decoding.
 */
export function toKey(bytes: string): Key {
  return ASCII.test(bytes) ? bytes : decodeKey(Buffer.from(bytes, "latin1"));
}

// Rejects numbers with more than 15 digits, which can exceed the safe integers and the valid dates. A single event with
// such a number would make a whole page of events unreadable.
function isWholeNumber(text: string | undefined): boolean {
  return text !== undefined && isDigits(text, 1, 15);
}

/**
 * Returns whether the text consists of `least` to `most` digits. Uses no regular expression, because a regular
 * expression is slower for short strings.
 */
function isDigits(text: string, least: number, most: number): boolean {
  if (text.length < least || text.length > most) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/**
 * Parses the JSON with the actor and the reason. Returns `undefined` if the actor or the reason is too long, and no
 * actor if the JSON is invalid.
 */
function parseActor(bytes: string): Pick<ScriptEvent, "by" | "reason" | "isShared"> | undefined {
  // Most events have no actor. For an empty string, `JSON.parse` would throw, and catching the exception would cost
  // more than parsing all other fields.
  if (bytes === "") return NO_ACTOR;
  try {
    const { by, reason, shared } = JSON.parse(Buffer.from(bytes, "latin1").toString("utf8")) as {
      by?: unknown;
      reason?: unknown;
      shared?: unknown;
    };
    if (isLongerThan(by, ACTOR_CHARACTERS_MAX) || isLongerThan(reason, REASON_CHARACTERS_MAX))
      return undefined;
    return {
      by: typeof by === "string" ? by : undefined,
      reason: typeof reason === "string" && reason !== "" ? reason : undefined,
      ...(shared === true ? { isShared: true } : {}),
    };
  } catch {
    return NO_ACTOR;
  }
}

const NO_ACTOR = { by: undefined, reason: undefined };

function isLongerThan(text: unknown, most: number): boolean {
  return typeof text === "string" && text.length > most;
}

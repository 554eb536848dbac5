import { EVENT_TYPES, type EventType } from "../../../lib/contract/event.ts";
import { NAME_CHARACTERS_MAX, REASON_CHARACTERS_MAX } from "../../../lib/contract/limits.ts";
import { decodeKey, KEY_BYTES_MAX, type Key } from "../../../lib/keys/key.ts";

/** What one of our scripts published about a hold: exact, in order, numbered by `seq` within the hold. */
export interface ScriptEvent {
  readonly type: EventType;
  readonly key: Key;
  readonly at: number;
  /** null: forced upon a foreign hold. */
  readonly fence: string | null;
  readonly seq: number;
  readonly count: number;
  readonly heldMs: number | undefined;
  /** The label of a hold of ours; of another one what its lock stores, with a blank for each tab and line break. */
  readonly owner: Key;
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

/** As in the formats: a longer value is not a lock. */
const OWNER_BYTES_MAX = 1024;
/** Of a name, `key:` included, with room for names that the client library is given. */
const ACTOR_CHARACTERS_MAX = 4 * NAME_CHARACTERS_MAX;
/** JSON writes a control character as six. */
const ACTOR_JSON_BYTES_MAX = 6 * (ACTOR_CHARACTERS_MAX + REASON_CHARACTERS_MAX) + 64;
/** The numbers and the type of an event. */
const FIELDS_BYTES_MAX = 128;
const HEADER_BYTES_MAX = OWNER_BYTES_MAX + ACTOR_JSON_BYTES_MAX + FIELDS_BYTES_MAX;

/**
 * Reads `type ⇥ at ⇥ fence ⇥ seq ⇥ count ⇥ since ⇥ owner ⇥ JSON of who and why ⏎ key`.
 *
 * Any client may publish on the channel. Anything else, and any part that is longer than our scripts make it, is
 * undefined: every open page would receive it, and the history would keep it. Longer messages are not decoded.
 */
export function parseScriptEvent(message: Uint8Array): ScriptEvent | undefined {
  if (message.length > HEADER_BYTES_MAX + KEY_BYTES_MAX) return undefined;
  // A character is a byte here: a key and the owner of another library may have any.
  const text = toLatin1Text(message);
  const end = text.indexOf("\n");
  if (end < 0 || end > HEADER_BYTES_MAX || text.length - end - 1 > KEY_BYTES_MAX) return undefined;
  const fields = text.slice(0, end).split("\t");
  const [type, at, fence = "", seq, count, since = "", owner = "", who = ""] = fields;
  const known = EVENT_TYPES.find((name) => name === type);
  if (
    known === undefined ||
    fields.length !== 8 ||
    !isWholeNumber(at) ||
    !isWholeNumber(seq) ||
    !isWholeNumber(count)
  )
    return undefined;
  if (!/^\d{0,16}$/.test(fence) || !/^\d{0,15}$/.test(since)) return undefined;
  if (owner.length > OWNER_BYTES_MAX || who.length > ACTOR_JSON_BYTES_MAX) return undefined;
  const actor = parseActor(Buffer.from(who, "latin1").toString("utf8"));
  if (actor === undefined) return undefined;
  return {
    type: known,
    key: toKey(text.slice(end + 1)),
    at: Number(at),
    fence: fence || null,
    seq: Number(seq),
    count: Number(count),
    // Below zero when Redis's clock was set back in between.
    heldMs: since === "" ? undefined : Math.max(0, Number(at) - Number(since)),
    owner: toKey(owner),
    ...actor,
  };
}

/** An owner as a message gives it: tabs and line breaks part its words. */
export const toMessageOwner = (owner: Key): string => owner.replace(/[\t\n]/g, " ");

function toLatin1Text({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

const ASCII = /^[\0-\x7f]*$/;

/** Nearly all are ASCII, and are their own bytes. */
function toKey(bytes: string): Key {
  return ASCII.test(bytes) ? bytes : decodeKey(Buffer.from(bytes, "latin1"));
}

// Sixteen digits may be no safe integer and no date, and a page that cannot show one event shows none.
function isWholeNumber(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,15}$/.test(text);
}

/** undefined: a text is too long. */
function parseActor(json: string): { by: string | undefined; reason: string | undefined } | undefined {
  // Most events have none, and an error that is thrown costs more than all else that is done for an event.
  if (json === "") return { by: undefined, reason: undefined };
  try {
    const { by, reason } = JSON.parse(json) as { by?: unknown; reason?: unknown };
    if (isLongerThan(by, ACTOR_CHARACTERS_MAX) || isLongerThan(reason, REASON_CHARACTERS_MAX))
      return undefined;
    return {
      by: typeof by === "string" ? by : undefined,
      reason: typeof reason === "string" && reason !== "" ? reason : undefined,
    };
  } catch {
    return { by: undefined, reason: undefined };
  }
}

function isLongerThan(text: unknown, most: number): boolean {
  return typeof text === "string" && text.length > most;
}

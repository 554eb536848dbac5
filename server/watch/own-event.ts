import { EVENT_TYPES, type EventType } from "../../lib/contract/event.ts";
import { KEY_BYTES_MAX, type Key, keyOfBytes } from "../../lib/contract/key.ts";

/** What one of our scripts published about a hold: exact, in order, numbered by `seq` within the hold. */
export interface OwnEvent {
  readonly type: EventType;
  readonly key: Key;
  readonly at: number;
  /** null: forced upon a foreign hold. */
  readonly fence: string | null;
  readonly seq: number;
  readonly count: number;
  readonly heldMs: number | undefined;
  readonly owner: string;
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

const NEW_LINE = 0x0a;
/** Longer than anything our scripts say; every open page would be sent it, and sent it again as it comes back. */
const WORDS_BYTES_MAX = 16 * 1024;

/**
 * Reads `type ⇥ at ⇥ fence ⇥ seq ⇥ count ⇥ since ⇥ owner ⇥ JSON of who and why ⏎ key`. Anyone may publish on the
 * channel, so anything else is undefined and nothing more.
 */
export function parseOwnEvent(message: Uint8Array): OwnEvent | undefined {
  const end = message.indexOf(NEW_LINE);
  if (end < 0 || end > WORDS_BYTES_MAX || message.length - end - 1 > KEY_BYTES_MAX) return undefined;
  const words = new TextDecoder().decode(message.subarray(0, end)).split("\t");
  const [type, at, fence = "", seq, count, since = "", owner = "", who = ""] = words;
  const known = EVENT_TYPES.find((name) => name === type);
  if (known === undefined || words.length !== 8 || !isWhole(at) || !isWhole(seq) || !isWhole(count))
    return undefined;
  if (!/^\d{0,16}$/.test(fence) || !/^\d{0,15}$/.test(since)) return undefined;
  return {
    type: known,
    key: keyOfBytes(message.subarray(end + 1)),
    at: Number(at),
    fence: fence || null,
    seq: Number(seq),
    count: Number(count),
    // Below zero when Redis's clock was set back in between.
    heldMs: since === "" ? undefined : Math.max(0, Number(at) - Number(since)),
    owner,
    ...whoAndWhy(who),
  };
}

// Sixteen digits may be no safe integer and no date, and a page that cannot show one event shows none.
function isWhole(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,15}$/.test(text);
}

function whoAndWhy(json: string): { by: string | undefined; reason: string | undefined } {
  try {
    const { by, reason } = JSON.parse(json) as { by?: unknown; reason?: unknown };
    return {
      by: typeof by === "string" ? by : undefined,
      reason: typeof reason === "string" && reason !== "" ? reason : undefined,
    };
  } catch {
    return { by: undefined, reason: undefined };
  }
}

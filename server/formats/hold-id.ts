import { TimestampUnit, WritableFormat, WritableKind } from "../../lib/contract/format.ts";
import { decodeKey, encodeKey, isBinaryKey, KEY_BYTES_MAX, type Key } from "../../lib/keys/key.ts";
import { WRITE_SUFFIX } from "./kind-keys.ts";

/** The fields that identify one hold: its lock, and what distinguishes the hold from all other holds of that lock. */
export interface HoldRef {
  readonly key: Key;
  readonly format: WritableFormat;
  /** The kind of the lock; `lock` by default. */
  readonly kind?: WritableKind | undefined;
  /** The unit of the deadline in the lock; only for `timestamp`. */
  readonly unit: TimestampUnit | undefined;
  readonly token: string;
  /** The fencing token as a decimal string. */
  readonly fence: string;
}

/** The fields that identify one hold, including its target. */
export interface TargetHoldRef extends HoldRef {
  readonly target: string;
}

const PREFIX = "h1.";
const SYNTAX = /^h1\.[A-Za-z0-9_-]{1,2400}$/;
const TOKEN = /^[\x21-\x7e]{1,400}$/;
const FENCE = /^[1-9]\d{0,15}$/;

/**
 * Formats the `holdId` of a hold: `h1.` and the base64url encoding of target, format, unit or kind (empty for a plain
 * lock), token, fencing token and key, separated by zero bytes. The id contains the key, so no index is needed. The id
 * is not a secret.
 */
export function formatHoldId({ target, format, kind, unit, key, token, fence }: TargetHoldRef): string {
  const variant = unit ?? (kind === "lock" ? "" : (kind ?? ""));
  const head = `${target}\0${format}\0${variant}\0${token}\0${fence}\0`;
  if (!isBinaryKey(key)) return PREFIX + Buffer.from(head + key).toString("base64url");
  return PREFIX + Buffer.concat([Buffer.from(head), encodeKey(key)]).toString("base64url");
}

/** Parses a `holdId`. Returns `undefined` for any other string, including other encodings of the same bytes. */
export function parseHoldId(holdId: string): TargetHoldRef | undefined {
  if (!SYNTAX.test(holdId)) return undefined;
  const bytes = Buffer.from(holdId.slice(PREFIX.length), "base64url");
  const fields: string[] = [];
  let at = 0;
  while (fields.length < 5) {
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    fields.push(bytes.toString("utf8", at, end));
    at = end + 1;
  }
  const [target = "", format, variant, token = "", fence = ""] = fields;
  const known = WritableFormat.options.find((each) => each === format);
  if (known === undefined || target === "" || !TOKEN.test(token) || !FENCE.test(fence)) return undefined;
  const unit = TimestampUnit.options.find((each) => each === variant);
  const kind = WritableKind.options.find((each) => each === variant);
  const keyBytes = bytes.length - at;
  if (keyBytes === 0 || keyBytes > KEY_BYTES_MAX || (unit !== undefined) !== (known === "timestamp"))
    return undefined;
  if (kind !== undefined && known !== "redisson") return undefined;
  // The token of a writer is its field in the lock. No other kind has such fields.
  if ((kind === "write") !== token.endsWith(WRITE_SUFFIX)) return undefined;
  const ref = {
    target,
    format: known,
    ...(kind === undefined ? {} : { kind }),
    unit,
    token,
    fence,
    key: decodeKey(bytes.subarray(at)),
  };
  return formatHoldId(ref) === holdId ? ref : undefined;
}

/**
 * A lock's key as one string that a `Map` can hold.
 *
 * Redis keys are bytes. Nearly all are UTF-8 and are held as their text. The others are held as a lone
 * surrogate followed by the base64url of their bytes: well-formed text never contains a lone surrogate, so
 * the two kinds cannot meet.
 */
export type Key = string;

const BINARY_MARK = "\ud800";

/** The largest key, in bytes. */
export const KEY_BYTES_MAX = 1024;

const fatalUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossyUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const utf8 = new TextEncoder();

export function isBinary(key: Key): boolean {
  // By code point: the first half of a pair, as in U+10000, is the same code unit but no lone surrogate.
  return key.codePointAt(0) === BINARY_MARK.codePointAt(0);
}

export function keyOfBytes(bytes: Uint8Array): Key {
  try {
    return fatalUtf8.decode(bytes);
  } catch {
    return BINARY_MARK + toBase64Url(bytes);
  }
}

export function bytesOfKey(key: Key): Uint8Array {
  return isBinary(key) ? fromBase64Url(key.slice(1)) : utf8.encode(key);
}

/** What a person reads: bytes that are not UTF-8 appear as U+FFFD. */
export function textOfKey(key: Key): string {
  return isBinary(key) ? lossyUtf8.decode(bytesOfKey(key)) : key;
}

export interface KeyFields {
  key: string;
  keyBase64?: string;
}

/** A key as JSON carries it: `keyBase64` (standard base64) stands beside `key` when the bytes are not UTF-8. */
export function fieldsOfKey(key: Key): KeyFields {
  if (!isBinary(key)) return { key };
  return { key: textOfKey(key), keyBase64: toBase64(bytesOfKey(key)) };
}

export function keyOfFields(fields: KeyFields): Key {
  return fields.keyBase64 === undefined ? fields.key : keyOfBytes(fromBase64Url(fields.keyBase64));
}

/**
 * A key as one path segment: percent-encoded, or `~` + base64url of its bytes for the keys whose first form
 * would reach another route or another key (`.`, `..`, a `//` or a slash at either end, a leading `~`, not UTF-8), and
 * for those with a zero byte, which proxies refuse as `%00`.
 */
export function pathOfKey(key: Key): string {
  return needsByteForm(key) || key.includes("\0")
    ? `~${toBase64Url(bytesOfKey(key))}`
    : encodeURIComponent(key);
}

export type ParsedPath = { ok: true; key: Key } | { ok: false; why: string };

/** Reads a raw (still encoded) path segment. Slashes of the key must be encoded as `%2F`. */
export function keyOfPath(segment: string): ParsedPath {
  if (segment.startsWith("~")) return keyOfByteForm(segment.slice(1));
  const text = percentDecoded(segment);
  if (text === undefined) {
    return {
      ok: false,
      why: "the key in the path is not percent-encoded UTF-8; write ~ and the base64url of its bytes",
    };
  }
  if (text === "") return { ok: false, why: "the key in the path is empty; a key has at least one byte" };
  if (needsByteForm(text)) {
    return {
      ok: false,
      why: `this key must be written as ~ and the base64url of its bytes: ${pathOfKey(text)}`,
    };
  }
  return withinLimit(text);
}

function percentDecoded(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

function keyOfByteForm(encoded: string): ParsedPath {
  if (!/^[A-Za-z0-9_-]+$/.test(encoded) || encoded.length % 4 === 1) {
    return {
      ok: false,
      why: "after ~ the path must hold the base64url (A-Z a-z 0-9 - _, no padding) of the key's bytes",
    };
  }
  return withinLimit(keyOfBytes(fromBase64Url(encoded)));
}

function withinLimit(key: Key): ParsedPath {
  // No character has more than three bytes a code unit.
  if (!isBinary(key) && key.length * 3 <= KEY_BYTES_MAX) return { ok: true, key };
  const bytes = bytesOfKey(key).length;
  if (bytes <= KEY_BYTES_MAX) return { ok: true, key };
  return { ok: false, why: `the key has ${bytes} bytes; at most ${KEY_BYTES_MAX} are allowed` };
}

function needsByteForm(key: Key): boolean {
  return (
    isBinary(key) ||
    key === "." ||
    key === ".." ||
    key.startsWith("~") ||
    key.startsWith("/") ||
    key.endsWith("/") ||
    key.includes("//")
  );
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads both alphabets. */
function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * The key of a lock as a string that can be compared and used as the key of a `Map`.
 *
 * Redis keys are bytes. A key that is valid UTF-8 is represented as text. Any other key is represented as a lone
 * surrogate followed by the base64url of its bytes. Well-formed text never contains a lone surrogate, so the two forms
 * cannot collide.
 */
export type Key = string;

const BINARY_MARK = "\ud800";
/** The code point of `BINARY_MARK`. A constant, because computing it would enlarge the bundle of `@lockkeeper/client`. */
const BINARY_MARK_CODE_POINT = 0xd800;

/** Maximum length of a key in bytes. */
export const KEY_BYTES_MAX = 1024;

/**
 * Maximum length of a key encoded as a path segment, in characters. Percent encoding needs up to three characters per
 * byte, base64url fewer.
 */
export const KEY_PATH_CHARACTERS_MAX = 3 * KEY_BYTES_MAX;

/** Matches `keyBase64`: base64 or base64url, with or without padding. */
export const KEY_BASE64 = /^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$/;

/** Matches text whose percent-encoded form could reach another route or key: see `encodeKeyPath`. */
const BYTE_FORM_TEXT = /^\.\.?$|^[~/]|\/\/|\/$/;

const fatalUtf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossyUtf8 = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });
const utf8 = new TextEncoder();

export function isBinaryKey(key: Key): boolean {
  // Compares code points instead of code units, because the first code unit of U+10000 is the same as the mark.
  return key.codePointAt(0) === BINARY_MARK_CODE_POINT;
}

export function decodeKey(bytes: Uint8Array): Key {
  try {
    return fatalUtf8.decode(bytes);
  } catch {
    return BINARY_MARK + encodeBase64Url(bytes);
  }
}

export function encodeKey(key: Key): Uint8Array {
  return isBinaryKey(key) ? decodeBase64Url(key.slice(1)) : utf8.encode(key);
}

/** Formats a key for display. Replaces invalid UTF-8 with U+FFFD. */
export function formatKey(key: Key): string {
  return isBinaryKey(key) ? lossyUtf8.decode(encodeKey(key)) : key;
}

export interface KeyFields {
  key: string;
  keyBase64?: string;
}

/** Returns the JSON fields of a key: `key`, and also `keyBase64` (standard base64) if the bytes are not valid UTF-8. */
export function toKeyFields(key: Key): KeyFields {
  if (!isBinaryKey(key)) return { key };
  return { key: formatKey(key), keyBase64: encodeBase64(encodeKey(key)) };
}

export function parseKeyFields(fields: KeyFields): Key {
  return fields.keyBase64 === undefined ? fields.key : decodeKey(decodeBase64Url(fields.keyBase64));
}

/** Returns whether the fields, which may have any type, equal those that `toKeyFields` returns for the key. */
export function isSameKey(key: Key, { key: text, keyBase64 }: Readonly<Record<string, unknown>>): boolean {
  return isBinaryKey(key)
    ? keyBase64 === encodeBase64(encodeKey(key))
    : text === key && keyBase64 === undefined;
}

/**
 * Encodes a key as one path segment, usually with percent encoding. Some keys are encoded as `~` and the base64url of
 * their bytes instead: keys whose percent-encoded form could reach another route or key (`.`, `..`, `//`, a leading or
 * trailing slash, a leading `~`, invalid UTF-8), and keys with a zero byte, because proxies reject `%00`.
 */
export function encodeKeyPath(key: Key): string {
  return needsByteForm(key) || key.includes("\0")
    ? `~${encodeBase64Url(encodeKey(key))}`
    : encodeURIComponent(key);
}

export type ParsedKeyPath = { ok: true; key: Key } | { ok: false; why: string };

/** Parses a path segment in the form that `encodeKeyPath` returns. If the segment is invalid, returns the reason. */
export function parseKeyPath(segment: string): ParsedKeyPath {
  if (segment.startsWith("~")) return parseByteForm(segment.slice(1));
  const text = decodePercent(segment);
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
      why: `this key must be written as ~ and the base64url of its bytes: ${encodeKeyPath(text)}`,
    };
  }
  return checkKeyLength(text);
}

function decodePercent(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

function parseByteForm(encoded: string): ParsedKeyPath {
  if (!/^[A-Za-z0-9_-]+$/.test(encoded) || encoded.length % 4 === 1) {
    return {
      ok: false,
      why: "after ~ the path must hold the base64url (A-Z a-z 0-9 - _, no padding) of the key's bytes",
    };
  }
  return checkKeyLength(decodeKey(decodeBase64Url(encoded)));
}

function checkKeyLength(key: Key): ParsedKeyPath {
  // Avoids encoding short keys. A UTF-16 code unit takes at most three bytes in UTF-8.
  if (!isBinaryKey(key) && key.length * 3 <= KEY_BYTES_MAX) return { ok: true, key };
  const bytes = encodeKey(key).length;
  if (bytes <= KEY_BYTES_MAX) return { ok: true, key };
  return { ok: false, why: `the key has ${bytes} bytes; at most ${KEY_BYTES_MAX} are allowed` };
}

function needsByteForm(key: Key): boolean {
  return isBinaryKey(key) || BYTE_FORM_TEXT.test(key);
}

function encodeBase64(bytes: Uint8Array): string {
  // Not `fromCharCode(...bytes)`, because the number of arguments of a call is limited.
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64 and base64url. */
function decodeBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

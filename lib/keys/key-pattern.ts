import { isBinaryKey, type Key } from "./key.ts";

/** Maximum length of a pattern in characters. The start of a key is sufficient to identify its pattern. */
const PATTERN_CHARACTERS_MAX = 128;
/** Key pattern for all keys that are not valid UTF-8. */
export const BINARY_PATTERN = "(binary)";

// Each alternative starts at a word boundary, and either has a fixed length or matches the whole word. Matching
// therefore does not backtrack and is linear in the length of the key.
const UUID_OR_WORD =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9A-Za-z\u0080-\uffff])|[0-9A-Za-z\u0080-\uffff]+/gi;
/** Matches segments of 16 or more characters. `-` and `_` do not end a segment, because base64url contains them. */
const SEGMENT = /[0-9A-Za-z_-]{16,}/g;
const HAS_DIGIT = /[0-9]/;
const HEX_ID = /^[0-9a-f]{6,}$/i;
const WORD_AND_NUMBER = /^([^0-9]+)[0-9]+$/;
const TOKEN_LENGTH = 16;
const WORD_LENGTH_MAX = 40;

/**
 * Returns the key pattern of a key, in which `*` replaces numbers, UUIDs, hexadecimal ids and long tokens. For example,
 * `lock:order:42` becomes `lock:order:*`, and `job7-worker` becomes `job*-worker`. A long pattern is truncated to 128
 * characters and ends with `*`. The function is idempotent.
 */
export function toKeyPattern(key: Key): string {
  if (isBinaryKey(key)) return BINARY_PATTERN;
  const pattern = key.replace(SEGMENT, removeToken).replace(UUID_OR_WORD, generalizeWord);
  return pattern.length <= PATTERN_CHARACTERS_MAX ? pattern : truncatePattern(pattern);
}

/**
 * Returns `*` if the segment is a random token, such as a nanoid, which can contain `-` and `_`. Otherwise, returns the
 * segment. A token alternates between classes of characters more often than words do.
 */
function removeToken(segment: string): string {
  if (!HAS_DIGIT.test(segment)) return segment;
  let turns = 0;
  for (let at = 1; at < segment.length; at++) {
    if (classifyCharacter(segment.charCodeAt(at)) !== classifyCharacter(segment.charCodeAt(at - 1))) turns++;
  }
  const isHexOnly = !/[g-z_]/i.test(segment);
  return !isHexOnly && turns * 2 > segment.length ? "*" : segment;
}

function classifyCharacter(code: number): "digit" | "upper" | "lower" | "mark" {
  if (code >= 48 && code <= 57) return "digit";
  if (code >= 65 && code <= 90) return "upper";
  return code >= 97 && code <= 122 ? "lower" : "mark";
}

function generalizeWord(word: string): string {
  if (!HAS_DIGIT.test(word)) return word.length > WORD_LENGTH_MAX ? "*" : word;
  if (word.length >= TOKEN_LENGTH || HEX_ID.test(word)) return "*";
  const [, name] = WORD_AND_NUMBER.exec(word) ?? [];
  return name === undefined ? "*" : `${name}*`;
}

function truncatePattern(pattern: string): string {
  const end = PATTERN_CHARACTERS_MAX - 1;
  // Does not split a surrogate pair.
  const isHalf = (pattern.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return `${pattern.slice(0, isHalf ? end - 1 : end)}*`;
}

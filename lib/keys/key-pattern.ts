import { isBinaryKey, type Key } from "./key.ts";

/** Longer patterns are cut: what names a family of locks stands at the beginning. */
const PATTERN_CHARACTERS_MAX = 128;
/** Keys that are not UTF-8 have no words to compare. */
export const BINARY_PATTERN = "(binary)";

// Each alternative begins at the beginning of a word and is of fixed length or takes the whole word, so nothing is
// tried twice: linear in the length of the key, whatever it holds.
const UUID_OR_WORD =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9A-Za-z\u0080-\uffff])|[0-9A-Za-z\u0080-\uffff]+/gi;
/** What stands between the characters that apps build keys of; base64url has `-` and `_` of its own. */
const SEGMENT = /[0-9A-Za-z_-]{16,}/g;
const HAS_DIGIT = /[0-9]/;
const HEX_ID = /^[0-9a-f]{6,}$/i;
const WORD_AND_NUMBER = /^([^0-9]+)[0-9]+$/;
const TOKEN_LENGTH = 16;
const WORD_LENGTH_MAX = 40;

/**
 * The family that a key belongs to: what varies in it (numbers, UUIDs, hexadecimal ids, long tokens) becomes `*`.
 * `lock:order:42` is `lock:order:*`, `job7-worker` is `job*-worker`. A pattern is its own pattern.
 */
export function toKeyPattern(key: Key): string {
  if (isBinaryKey(key)) return BINARY_PATTERN;
  const pattern = key.replace(SEGMENT, removeToken).replace(UUID_OR_WORD, generalizeWord);
  return pattern.length <= PATTERN_CHARACTERS_MAX ? pattern : truncatePattern(pattern);
}

/** A token with `-` and `_` in it, as nanoid draws it, is no words: it changes its kind of character all the time. */
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
  // Half of a pair is no text.
  const isHalf = (pattern.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return `${pattern.slice(0, isHalf ? end - 1 : end)}*`;
}

export interface TextPart {
  text: string;
  /** Whether `text` is a placeholder for characters that are invisible or would reorder other characters. */
  isPlaceholder: boolean;
}

/** Maximum number of characters that are shown. A Redis key can be megabytes long. */
const SHOWN_MAX = 600;

// Control characters, format characters (bidirectional, zero width), lone surrogates, private use, and every space
// except U+0020.
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const EDGE_WHITESPACE = /^ +| +$/g;
/**
 * Matches strings that may contain characters to replace. Most strings do not match, so the check avoids a loop over
 * their characters.
 */
const MAY_BE_INVISIBLE = new RegExp(`${INVISIBLE_CHARACTERS.source}|\u2420|^ | $`, "u");

/**
 * Splits an untrusted string from Redis into parts. Replaces invisible characters, and spaces at the start and the end,
 * with visible placeholders. Truncates a string of more than 600 characters and appends `…`.
 */
export function splitVisibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  const cut = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  if (!MAY_BE_INVISIBLE.test(cut)) return cut === "" ? [] : [{ text: cut, isPlaceholder: false }];
  for (const character of cut.replace(EDGE_WHITESPACE, (spaces) => "\u2420".repeat(spaces.length))) {
    const stand = character === "\u2420" || INVISIBLE_CHARACTERS.test(character);
    const shown = stand ? getPlaceholder(character) : character;
    const last = parts.at(-1);
    if (last !== undefined && last.isPlaceholder === stand) last.text += shown;
    else parts.push({ text: shown, isPlaceholder: stand });
  }
  return parts;
}

export function toVisibleText(text: string): string {
  return splitVisibleParts(text)
    .map((part) => part.text)
    .join("");
}

/**
 * Replaces invisible characters of a string with placeholders, and shortens the string to about `most` characters.
 * Omits the middle, because host and thread names differ at the start and at the end.
 */
export function shortenText(text: string, most = 24): string {
  const whole = toVisibleText(text);
  const half = Math.floor(most / 2);
  return whole.length <= most ? whole : `${whole.slice(0, half)}…${whole.slice(-half)}`;
}

function getPlaceholder(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code === 0x2420) return character;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

import stringWidth from "string-width";

/** Matches control, format, surrogate and line separator characters, which a terminal interprets or hides. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ELLIPSIS = "…";

/**
 * Escapes the characters of untrusted text that a terminal would interpret or hide, for example as `\u{1b}`.
 * All text from Redis or a server must pass through this function before it is printed.
 */
export function toPrintable(text: string): string {
  return text.replace(INVISIBLE, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Returns the number of terminal columns that printable text occupies. CJK characters occupy two. */
export function measureColumns(text: string): number {
  return stringWidth(text);
}

/**
 * Shortens printable text to at most `columns` terminal columns, including an ellipsis. `columns` must be 1 or more.
 */
export function truncateToColumns(text: string, columns: number): string {
  if (measureColumns(text) <= columns) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (measureColumns(kept + segment) > columns - 1) break;
    kept += segment;
  }
  return kept + ELLIPSIS;
}

/** Pads printable text with spaces to `columns` terminal columns. */
export function padToColumns(text: string, columns: number, align: "left" | "right" = "left"): string {
  const padding = " ".repeat(Math.max(0, columns - measureColumns(text)));
  return align === "left" ? text + padding : padding + text;
}

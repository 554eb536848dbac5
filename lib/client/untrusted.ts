// Functions that read values from untrusted JSON. Each function returns `undefined` for a value of another type.

export function readObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export function readList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the value if it is a finite, non-negative number, and `undefined` if not. */
export function readAmount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value < Infinity ? value : undefined;
}

/** Returns the value if it is an integer, which can be negative, and `undefined` if not. */
export function readInteger(value: unknown): number | undefined {
  return Number.isInteger(value) ? (value as number) : undefined;
}

const DETAIL_CHARACTERS_MAX = 1000;

/**
 * Replaces characters that could affect a terminal with U+FFFD: control characters, line separators and bidirectional
 * formatting characters. Truncates text after 1,000 characters.
 */
export function toPrintable(text: string): string {
  const printable = text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
  return printable.length > DETAIL_CHARACTERS_MAX
    ? `${printable.slice(0, DETAIL_CHARACTERS_MAX)}…`
    : printable;
}

/** A completion of the text in a search box. */
export interface Completion {
  /** The start of the replaced text. */
  from: number;
  /** The end of the replaced text, exclusive. */
  to: number;
  items: readonly { text: string; hint: string }[];
}

/** Returns the text and the caret position after a completion. A complete value is followed by a space. */
export function applyCompletion(
  text: string,
  { from, to }: Completion,
  accepted: string,
): { text: string; caret: number } {
  const rest = text.slice(to);
  const isWhole = !/[:<>]$/.test(accepted);
  const gap = isWhole && !/^\s/.test(rest) ? " " : "";
  const before = `${text.slice(0, from)}${accepted}${gap}`;
  return { text: before + rest, caret: before.length + (isWhole && gap === "" ? 1 : 0) };
}

export const getOptionId = (list: string, index: number) => `${list}-${index}`;

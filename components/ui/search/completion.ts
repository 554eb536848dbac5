/** A completion for the text in a search box. */
export interface Completion {
  /** Start of the text to replace. */
  from: number;
  /** End of the text to replace, exclusive. */
  to: number;
  items: readonly { text: string; hint: string }[];
}

/** Returns the text and the caret position after a completion was accepted. A space follows a complete value. */
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

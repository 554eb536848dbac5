/** The completions for the text at the caret in a search box. */
export interface Completion {
  /** Index of the first character to replace. */
  from: number;
  /** Index after the last character to replace. */
  to: number;
  items: readonly { text: string; hint: string }[];
}

/**
 * Returns the text and the caret position after a completion is accepted. Adds a space after the completion if no
 * whitespace follows and the completion does not end with `:`, `<` or `>`.
 */
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

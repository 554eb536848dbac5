/** How what stands in a box may go on. */
export interface Completion {
  /** What is replaced: from here … */
  from: number;
  /** … to before here. */
  to: number;
  items: readonly { text: string; hint: string }[];
}

/** What the box holds when one is taken, and where the caret stands. A value that is whole is followed by a space. */
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

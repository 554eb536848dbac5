import type { ChainCheck } from "./audit-chain.ts";

const formatTime = (at: number | null) => (at === null ? "never" : new Date(at).toISOString());

/**
 * Formats the result of a verification as lines of text. In the result, `isWhole` is `true` if the chain has no fault
 * and contains `noted`.
 *
 * @param noted the hash that the chain must contain; `undefined` if no hash is required
 */
export function formatChainReport(
  check: ChainCheck,
  label: string,
  noted: string | undefined,
): { lines: string[]; isWhole: boolean } {
  const { fault, entries, anchor, head, from, to, losses, notedAt } = check;
  const span = entries === 0 ? "" : `, ${formatTime(from)} to ${formatTime(to)}`;
  const begin = anchor?.number ?? head.number - entries;
  const isWhole = fault === undefined && (noted === undefined || notedAt !== undefined);
  const lines = [
    `Audit log in the ${label}: ${entries} ${entries === 1 ? "entry" : "entries"}${span}`,
    ...(begin > 0 ? [`Starts after entry ${begin}${anchor === undefined ? "" : ` (${anchor.hash})`}`] : []),
    ...losses.map((number) => `Entry ${number} records that the store lost entries before it`),
    ...(fault === undefined ? [`Head: entry ${head.number} (${head.hash})`] : []),
    ...(fault === undefined ? [] : [`BROKEN at entry ${fault.number}: ${fault.why}`]),
    ...(noted !== undefined && notedAt === undefined
      ? ["BROKEN: the noted head is not in this chain: its end was cut off, or it was rewritten"]
      : []),
    ...(isWhole ? formatResult(check, begin) : []),
  ];
  return { lines, isWhole };
}

/**
 * Formats what the hashes of an intact chain prove, and what they cannot prove. A chain alone does not prove that
 * entries before its start or after its end never existed.
 */
function formatResult({ entries, head, notedAt }: ChainCheck, begin: number): string[] {
  const range = entries === 1 ? `entry ${head.number}` : `entries ${begin + 1} to ${head.number}`;
  return [
    entries === 0 ? "Consistent: the chain is empty." : `Consistent: the hashes of ${range} match.`,
    ...(notedAt === undefined
      ? []
      : [`The noted head is entry ${notedAt}: the entries up to it are unchanged since then.`]),
    ...(begin > 0
      ? [`Not checked: entries 1 to ${begin}. Retention removed them, or someone who can write to the store.`]
      : []),
    notedAt === undefined
      ? "Not checked: whether the end was cut off or the whole chain rewritten. To check, note the head elsewhere and pass it with --head."
      : `Not checked: whether entries after ${head.number} were cut off.`,
  ];
}

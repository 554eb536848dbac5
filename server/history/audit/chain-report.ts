import type { ChainCheck } from "./audit-chain.ts";

const formatTime = (at: number | null) => (at === null ? "never" : new Date(at).toISOString());

/** What a person reads of a check. @param noted the hash that was asked for */
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
    `Audit in the ${label}: ${entries} ${entries === 1 ? "entry" : "entries"}${span}`,
    ...(begin > 0 ? [`Begins after entry ${begin}${anchor === undefined ? "" : ` (${anchor.hash})`}`] : []),
    ...losses.map(
      (number) => `Entry ${number} says that entries before it were lost with the data of the store`,
    ),
    ...(fault === undefined ? [`Head: entry ${head.number} (${head.hash})`] : []),
    ...(fault === undefined ? [] : [`BROKEN at entry ${fault.number}: ${fault.why}`]),
    ...(noted !== undefined && notedAt !== undefined ? [`The head that was noted is entry ${notedAt}`] : []),
    ...(noted !== undefined && notedAt === undefined
      ? [
          "BROKEN: the head that was noted is no entry of this chain: its end was cut off, or it was written anew",
        ]
      : []),
    ...(isWhole ? ["Whole: nothing was altered, removed, put in or reordered."] : []),
  ];
  return { lines, isWhole };
}

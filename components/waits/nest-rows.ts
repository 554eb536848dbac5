import type { WaitingClient } from "@/lib/contract/waits/waits.ts";

/** A waiting client with the clients that wait for its locks. */
export interface WaitNode {
  /** The index of the row in the response. Identifies the row only within this response. */
  readonly at: number;
  readonly client: WaitingClient;
  readonly behind: readonly WaitNode[];
}

/** Builds the trees of waiting clients from the rows of a response. The rows must be in depth-first order. */
export function nestRows(rows: readonly WaitingClient[]): readonly WaitNode[] {
  const roots: WaitNode[] = [];
  const open: WaitNode[][] = [roots];
  rows.forEach((client, at) => {
    const behind: WaitNode[] = [];
    const depth = Math.min(client.depth, open.length);
    open.length = depth;
    open.at(-1)?.push({ at, client, behind });
    open.push(behind);
  });
  return roots;
}

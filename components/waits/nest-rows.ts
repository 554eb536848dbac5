import type { WaitingClient } from "@/lib/contract/waits/waits.ts";

/** A waiting client with the clients that wait for its locks. */
export interface WaitNode {
  /** The position in the response, which identifies the row until the next one. */
  readonly at: number;
  readonly client: WaitingClient;
  readonly behind: readonly WaitNode[];
}

/** Converts rows in depth-first order, as in the response, to a tree. */
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

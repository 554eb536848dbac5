/** Messages between the two processes of a hand-off. */

export interface WaiterRequest {
  readonly id: number;
  readonly contender: string;
  readonly key: string;
}

export type WaiterResponse =
  | { readonly id: number; readonly state: "waiting" }
  | { readonly id: number; readonly state: "granted"; readonly at: number };

/** Reads a millisecond clock that all processes of a machine share. */
export function getMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

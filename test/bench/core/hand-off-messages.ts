/** What the two processes of a hand-off say to each other. */

export interface WaiterRequest {
  readonly id: number;
  readonly contender: string;
  readonly key: string;
}

export type WaiterResponse =
  | { readonly id: number; readonly state: "waiting" }
  | { readonly id: number; readonly state: "granted"; readonly at: number };

/** Milliseconds on a clock that all processes of a machine share. */
export function getMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

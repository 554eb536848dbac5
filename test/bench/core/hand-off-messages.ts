/** Messages between the benchmark, which holds a lock, and the process that waits for the lock. */

export interface WaiterRequest {
  readonly id: number;
  readonly contender: string;
  readonly key: string;
}

export type WaiterResponse =
  | { readonly id: number; readonly state: "waiting" }
  | { readonly id: number; readonly state: "granted"; readonly at: number };

/** Returns the milliseconds of a clock that all processes of a machine share. */
export function getMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

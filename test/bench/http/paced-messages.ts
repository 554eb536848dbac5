import type { Target } from "./dialects.ts";

/** A request to the process of the paced load. The connections are open before its clock starts. */
export interface PacedRequest {
  readonly target: Target;
  readonly connections: number;
  readonly perSecond: number;
  readonly forMs: number;
  readonly prefix: string;
}

export type PacedResponse =
  /** Duration of each verb in ms, including the wait for a free connection. */
  { readonly is: "ran"; readonly ms: readonly number[] } | { readonly is: "failed"; readonly why: string };

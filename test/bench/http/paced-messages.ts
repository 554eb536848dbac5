import type { Target } from "./dialects.ts";

/** The request to the process that generates the paced load. The connections are opened before the time starts. */
export interface PacedRequest {
  readonly target: Target;
  readonly connections: number;
  readonly perSecond: number;
  readonly forMs: number;
  readonly prefix: string;
}

export type PacedResponse =
  /** Duration of each verb in ms, including the time that it waited for a free connection. */
  { readonly is: "ran"; readonly ms: readonly number[] } | { readonly is: "failed"; readonly why: string };

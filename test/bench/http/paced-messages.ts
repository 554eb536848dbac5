import type { Target } from "./dialects.ts";

/** What the process of the paced load receives. The connections are open before its clock starts. */
export interface PacedRequest {
  readonly target: Target;
  readonly connections: number;
  readonly perSecond: number;
  readonly forMs: number;
  readonly prefix: string;
}

export type PacedResponse =
  /** How long each verb took, in ms, waiting for a free connection included. */
  { readonly is: "ran"; readonly ms: readonly number[] } | { readonly is: "failed"; readonly why: string };

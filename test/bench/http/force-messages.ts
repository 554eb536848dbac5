import type { Target } from "./dialects.ts";

/** What the process that frees locks is told, and what it says. */
export type ForceRequest =
  | { readonly do: "open"; readonly target: Target; readonly connections: number }
  /** So many locks of names that begin so. */
  | { readonly do: "take"; readonly prefix: string; readonly locks: number }
  /** Those that were taken: each other one by force. */
  | { readonly do: "free" };

export type ForceResponse =
  | { readonly is: "done" }
  | { readonly is: "freed"; readonly releaseMs: readonly number[]; readonly forceMs: readonly number[] }
  | { readonly is: "failed"; readonly why: string };

import type { Target } from "./dialects.ts";

/** Messages to and from the process that force-releases locks. */
export type ForceRequest =
  | { readonly do: "open"; readonly target: Target; readonly connections: number }
  /** Acquires `locks` locks whose names begin with `prefix`. */
  | { readonly do: "take"; readonly prefix: string; readonly locks: number }
  /** Releases the acquired locks, alternating between a release by the holder and a force-release. */
  | { readonly do: "free" };

export type ForceResponse =
  | { readonly is: "done" }
  | { readonly is: "freed"; readonly releaseMs: readonly number[]; readonly forceMs: readonly number[] }
  | { readonly is: "failed"; readonly why: string };

import type { Target } from "./dialects.ts";

/** Requests to the process that generates load. */
export type LoadRequest =
  | { readonly do: "open"; readonly target: Target; readonly connections: number }
  | { readonly do: "run"; readonly forMs: number; readonly prefix: string }
  | { readonly do: "close" };

export type LoadResponse =
  | { readonly is: "done" }
  | { readonly is: "ran"; readonly pairs: number; readonly seconds: number; readonly cpuMicros: number }
  | { readonly is: "failed"; readonly why: string };

import { encodeKeyPath } from "@/lib/keys/key.ts";

/** A whole program that acquires, renews, works with the fence, releases, and stops when the lock is lost. */
export interface GuideOptions {
  /** Of the server, such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly key: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  /** How many steps the work has, and how long each takes. */
  readonly steps: number;
  readonly stepMs: number;
}

/** What the page shows. */
export const GUIDE_EXAMPLE: Omit<GuideOptions, "origin"> = {
  key: "lock:orders:42",
  leaseMs: 30_000,
  waitMs: 10_000,
  steps: 5,
  stepMs: 1000,
};

/** Where its lock is acquired. */
export function buildAcquireUrl({ origin, key }: GuideOptions): string {
  return `${origin}/api/v1/locks/${encodeKeyPath(key)}/acquire`;
}

/** Where holds are renewed and released. */
export function buildHoldsUrl({ origin }: GuideOptions): string {
  return `${origin}/api/v1/holds`;
}

import type { LivenessState } from "../../lib/contract/liveness.ts";
import { formatDuration } from "../output/duration.ts";
import type { LockHolder, Permits } from "./held-lock.ts";

const LIVENESS_TEXT: Readonly<Record<LivenessState, string>> = {
  alive: "alive",
  overdue: "renewal overdue",
  not_renewing: "not renewing",
  no_ttl: "no TTL",
  unknown: "liveness unknown",
};

/**
 * Describes the holder of the lock, such as `lock:a is held by checkout@pod-7 (alive, expires in 24s)`, or the
 * available permits of a semaphore.
 */
export function describeHolder(key: string, holder: LockHolder | Permits | undefined): string {
  if (holder === undefined) return `${key} is held by another client`;
  if ("total" in holder) {
    const of = holder.total === null ? "" : ` of ${holder.total}`;
    return `${key} has ${Math.max(0, holder.available)}${of} permits available`;
  }
  const { owner, liveness, remainingMs } = holder;
  const facts: string[] = [];
  if (liveness !== undefined && liveness !== "no_ttl") facts.push(LIVENESS_TEXT[liveness]);
  facts.push(remainingMs === null ? LIVENESS_TEXT.no_ttl : `expires in ${formatDuration(remainingMs)}`);
  return `${key} is held by ${owner} (${facts.join(", ")})`;
}

/** One line of the history. Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a host share. */
export interface Entry {
  /** Time since the run began. */
  readonly t: number;
  readonly process: string;
  readonly context?: string;
  readonly op: Op;
  readonly type: "invoke" | "ok" | "fail" | "info";
  /** Identifies the entries of one call. Later entries of a claim have the call of its acquire as `claim`. */
  readonly call?: number;
  readonly claim?: number;
  readonly lock?: string;
  /** Identifies the hold. Of the entries of an acquire, only the grant has one. */
  readonly token?: string;
  readonly fence?: string | null;
  readonly count?: number;
  /** The kind of an acquire; a plain lock by default. */
  readonly kind?: HoldKind;
  /** For a semaphore: the number of permits that were requested or granted. Its holds have a count of 1. */
  readonly permits?: number | undefined;
  /** For a semaphore: its total number of permits. */
  readonly limit?: number | undefined;
  readonly leaseMs?: number;
  /** The time until which the holder may rely on the hold, as computed by the holder. */
  readonly deadline?: number;
  readonly waitMs?: number;
  /** The name of a condition of the lock. */
  readonly condition?: string;
  readonly register?: Register;
  /** The version that a write was based on, and the one that it created. */
  readonly base?: number;
  readonly version?: number;
  readonly value?: string;
  readonly forMs?: number;
  readonly stepMs?: number;
  readonly fault?: string;
  readonly target?: string;
  readonly code?: string;
  /** How often an HTTP request was sent, if it had to be repeated. */
  readonly asked?: number;
}

/** `read` and `write` share a lock. */
export type HoldKind = "lock" | "fair" | "read" | "write" | SemaphoreKind;
export type SemaphoreKind = "semaphore" | "plain_semaphore";

/**
 * The operation of an entry.
 *
 * `begun`: the run started on the topology `target`. `serving`: an API server accepts requests. `accept`: the resource
 * accepted a write. `assert`: a holder checked whether its hold is lost. `stall`: a process did not run for a while.
 * `endless`: a lock without an expiry was seen. `leftover`: a key that remained in Redis at the end. `calm`: the last
 * fault was healed. `set_count`, `count_down` and `await` are calls of a latch, with its count.
 * `give_up` and `resume` are the two halves of a wait for a condition, with successive numbers of calls: a hold is given
 * up, and another one with the same count is granted. `signal` wakes waiters of a condition; its count is their number.
 */
export type Op =
  | "begun"
  | "serving"
  | "acquire"
  | "reenter"
  | "renew"
  | "verify"
  | "downgrade"
  | "release"
  | "set_count"
  | "count_down"
  | "await"
  | "give_up"
  | "resume"
  | "signal"
  | "assert"
  | "lost"
  | "read"
  | "write"
  | "accept"
  | "stall"
  | "fault"
  | "calm"
  | "over"
  | "died"
  | "endless"
  | "leftover";

export type Register = "fenced" | "unfenced";

export const NS_PER_MS = 1_000_000;

export function toMilliseconds(ns: number): number {
  return ns / NS_PER_MS;
}

export function isSemaphore(kind: HoldKind): kind is SemaphoreKind {
  return kind === "semaphore" || kind === "plain_semaphore";
}

export function isEntering({ op }: Pick<Entry, "op">): boolean {
  return op === "acquire" || op === "reenter" || op === "resume";
}

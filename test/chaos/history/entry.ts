/**
 * One line of the history. Times are in nanoseconds of CLOCK_MONOTONIC, which is the same for all processes of a host.
 */
export interface Entry {
  /** Time since the run began. */
  readonly t: number;
  readonly process: string;
  readonly context?: string;
  readonly op: Op;
  readonly type: "invoke" | "ok" | "fail" | "info";
  /**
   * Number that the entries of one call have in common. Later entries about the same hold have the number of its
   * acquire as `claim`.
   */
  readonly call?: number;
  readonly claim?: number;
  readonly lock?: string;
  /** Identifies the hold. The request of an acquire has no token yet, only its grant does. */
  readonly token?: string;
  readonly fence?: string | null;
  readonly count?: number;
  /** Kind of the requested hold. A plain lock by default. */
  readonly kind?: HoldKind;
  /** Number of requested or granted permits of a semaphore. The holds of semaphores have a count of 1. */
  readonly permits?: number | undefined;
  /** Total number of permits of a semaphore. */
  readonly limit?: number | undefined;
  readonly leaseMs?: number;
  /** Time until which the holder may rely on the hold, as computed by the holder. */
  readonly deadline?: number;
  readonly waitMs?: number;
  /** The name of a condition of the lock. */
  readonly condition?: string;
  readonly register?: Register;
  /** Version on which a write was based. `version` is the version that the write created. */
  readonly base?: number;
  readonly version?: number;
  readonly value?: string;
  readonly forMs?: number;
  readonly stepMs?: number;
  readonly fault?: string;
  readonly target?: string;
  readonly code?: string;
  /** Number of times that an HTTP request was sent. Absent if it was sent once. */
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
 * `endless`: a lock had no TTL. `leftover`: a key remained in Redis at the end. `calm`: the last fault was healed.
 * `set_count`, `count_down` and `await`: a call on a latch, with the latch's count.
 * `give_up` and `resume`: a wait for a condition, as two calls with successive numbers. The first gives up a hold, and
 * the second is granted another hold with the same count. `signal`: wakes waiters of a condition, and `count` is the
 * number of woken waiters.
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

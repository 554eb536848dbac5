import { NotReplicatedError, UnavailableError } from "../../errors/redis-errors.ts";
import { StartupError } from "../../errors/startup-error.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { ReplicaWait, ScriptExecution } from "../../redis/replica-wait.ts";
import type { ReplicationIdentity } from "../../redis/replication-identity.ts";

/** Additional conditions for grants and renewals. Each condition is off by default and then has no cost. */
export interface SafetyOptions {
  /** Number of replicas that must confirm each grant and each renewal. Confirmation takes one more round trip. */
  readonly replicas?: number | undefined;
  /** Time limit for the confirmations, in ms; 500 by default. */
  readonly replicaTimeoutMs?: number | undefined;
  /** Time after a failover during which no lock is granted, in ms. Set this option to the longest lease. */
  readonly failoverHoldOffMs?: number | undefined;
}

export const REPLICA_TIMEOUT_MS = 500;
export const REPLICA_TIMEOUT_MS_MAX = 60_000;
export const FAILOVER_HOLD_OFF_MS_MAX = 24 * 3600 * 1000;
export const REPLICAS_MAX = 100;

/** @throws StartupError if an option is not a whole number in its range */
export function assertSafetyOptions({
  replicas = 0,
  replicaTimeoutMs = 1,
  failoverHoldOffMs = 0,
}: SafetyOptions): void {
  const isWhole = (number: number, least: number, most: number) =>
    Number.isInteger(number) && number >= least && number <= most;
  if (!isWhole(replicas, 0, REPLICAS_MAX))
    throw new StartupError("replicas must be a whole number from 0 to 100.");
  if (!isWhole(replicaTimeoutMs, 1, REPLICA_TIMEOUT_MS_MAX))
    throw new StartupError("replicaTimeoutMs must be a whole number of milliseconds from 1 to 60000.");
  if (!isWhole(failoverHoldOffMs, 0, FAILOVER_HOLD_OFF_MS_MAX))
    throw new StartupError("failoverHoldOffMs must be a whole number of milliseconds from 0 to one day.");
}

export function hasSafetyChecks({ replicas = 0, failoverHoldOffMs = 0 }: SafetyOptions): boolean {
  return replicas > 0 || failoverHoldOffMs > 0;
}

/** The commands for one call to Redis, and the confirmation that this call requires. */
export interface GuardedCommands {
  readonly commands: Commands;
  /**
   * Waits until enough replicas have confirmed the call; `undefined` if no confirmation is required.
   *
   * @throws LockkeeperError not_replicated
   */
  readonly confirm: (() => Promise<void>) | undefined;
}

/**
 * Creates commands that call `before` before they send a script. `place` identifies the server that runs the script.
 */
export type CommandsWithSendHook = (before: (place: string) => void) => Commands;

/** Applies the safety options to the servers of a target. */
export class SafetyGuard {
  readonly #noGrantsUntil = new Map<string, number>();

  constructor(
    private readonly safety: SafetyOptions,
    private readonly identity: ReplicationIdentity,
    private readonly replicaWait: ReplicaWait | undefined,
  ) {
    const { failoverHoldOffMs = 0 } = safety;
    if (failoverHoldOffMs === 0) return;
    identity.on("replaced", (place) => {
      this.#noGrantsUntil.set(place, performance.now() + failoverHoldOffMs);
    });
  }

  /**
   * Returns the commands and the confirmation for one call. For `failoverHoldOffMs` after a failover, the commands
   * refuse to send a grant. `confirm` waits until the replicas have confirmed the script.
   *
   * @param what the kind of call; renewals continue while grants are refused
   * @param connection the name of the connection, as passed to `ReplicationIdentity.watchAddress`
   */
  guardCommands(
    what: "grant" | "renewal",
    commands: CommandsWithSendHook,
    connection?: string,
  ): GuardedCommands {
    let ran: ScriptExecution | undefined;
    const before = (place: string) => {
      if (what === "grant") this.#assertGrantsAllowed(place);
      ran = { place, runId: this.identity.getRunId(place, connection) };
    };
    const confirm = this.replicaWait === undefined ? undefined : () => this.#confirm(what, ran);
    return { commands: commands(before), confirm };
  }

  #assertGrantsAllowed(place: string): void {
    const until = this.#noGrantsUntil.get(place);
    if (until === undefined) return;
    const remainingMs = Math.ceil(until - performance.now());
    if (remainingMs > 0) throw createFailoverHoldOffError(remainingMs);
    this.#noGrantsUntil.delete(place);
  }

  async #confirm(what: "grant" | "renewal", ran: ScriptExecution | undefined): Promise<void> {
    const { replicas = 0 } = this.safety;
    let confirmed = 0;
    try {
      if (this.replicaWait === undefined || ran === undefined) throw new Error("No script was sent");
      confirmed = await this.replicaWait.countReplicas(ran);
    } catch (error) {
      throw createNotReplicatedError(what, replicas, undefined, error);
    }
    if (confirmed < replicas) throw createNotReplicatedError(what, replicas, confirmed);
  }
}

function createFailoverHoldOffError(remainingMs: number): UnavailableError {
  return new UnavailableError(
    `Redis failed over, so no lock is granted for another ${remainingMs} ms: locks of the previous master may still be held. Nothing was done; retry then.`,
    undefined,
    { reason: "failover_hold_off", remainingMs },
  );
}

function createNotReplicatedError(
  what: "grant" | "renewal",
  replicas: number,
  confirmed: number | undefined,
  cause?: unknown,
): NotReplicatedError {
  const found =
    confirmed === undefined
      ? `the master could not be queried${explainCause(cause)}`
      : `${confirmed} did in time`;
  const then =
    what === "grant"
      ? "The lock was released again; retry with a new Idempotency-Key."
      : "The hold may end as if it had not been renewed; renew it again.";
  return new NotReplicatedError(
    `${replicas} replicas must confirm a ${what}, but ${found}. ${then}`,
    { replicas, ...(confirmed === undefined ? {} : { confirmed }) },
    { cause },
  );
}

/**
 * Returns the Redis error code in parentheses, for NOPERM with the missing permissions. Returns an empty string if
 * `cause` is not an error reply of Redis.
 */
function explainCause(cause: unknown): string {
  if (!isReplyError(cause)) return "";
  const [code = ""] = cause.message.split(" ", 1);
  return code === "NOPERM" ? " (NOPERM: the Redis user needs WAIT, and SET on lockkeeper:*)" : ` (${code})`;
}

/** Returns a factory that wraps the commands of one connection, so that they call a hook before they send a script. */
export function addSendHook(redis: Commands, place: string): CommandsWithSendHook {
  return (before) => ({
    get status() {
      return redis.status;
    },
    evalsha: async (sha: string, count: number, ...parameters: RedisArgument[]) => {
      before(place);
      return await redis.evalsha(sha, count, ...parameters);
    },
    eval: async (source: string, count: number, ...parameters: RedisArgument[]) => {
      before(place);
      return await redis.eval(source, count, ...parameters);
    },
    on: (event, listener) => redis.on(event, listener),
    off: (event, listener) => redis.off(event, listener),
  });
}

import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { withTimeout } from "../../concurrency/with-timeout.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import { acquireAll, type LockToAcquire, type RefusedAcquireReply } from "../../formats/acquire-all.ts";
import type { AcquireRequest, WaitRequest } from "../../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { GrantedReply } from "../../formats/script-replies.ts";
import { stopWaiting } from "../../formats/stop-waiting.ts";
import type { Commands } from "../../redis/commands.ts";
import { attempt } from "./attempt.ts";
import type { GuardedCommands } from "./safety.ts";

/** Maximum time, in ms, for which a refused attempt waits until its locks are withdrawn. */
const ROLLBACK_WAIT_MS = 500;
/** Time limit for withdrawing a lock, in ms, after which the lock expires with its lease. */
const WITHDRAW_BUDGET_MS = 60_000;

/** The connection to a target, the channel for its events, and the guard for grants. */
export interface GroupConnection {
  readonly redis: Commands;
  readonly channel: string;
  getGuardedCommands(what: "grant"): GuardedCommands;
}

/** A granted lock, with the request id that acquired it. */
export interface GrantedLock extends LockToAcquire {
  readonly requestId: string;
  readonly reply: GrantedReply;
}

export type GroupOutcome =
  | { readonly outcome: "granted"; readonly locks: readonly GrantedLock[] }
  | { readonly outcome: "refused"; readonly key: Key; readonly reply: RefusedAcquireReply };

/**
 * One request for several locks. The request has one step per slot, and each step is one script call. Outside a
 * cluster, there is a single step. All clients send the steps in the same order. Between two attempts, the request
 * holds no locks.
 *
 * Each attempt at the whole group has its own request id, because an id whose lock was withdrawn cannot acquire
 * that lock again. A repeated request derives the same ids and skips the withdrawn ids.
 */
export class GroupRequest {
  #round = 0;
  #unansweredSince: number | undefined;
  #listedKey: Key | undefined;

  /** @param steps the locks of each slot, in the order that all clients use */
  constructor(
    private readonly connection: GroupConnection,
    private readonly format: WritableFormat,
    private readonly steps: readonly (readonly LockToAcquire[])[],
    private readonly ask: Omit<AcquireRequest, "token">,
    /** Whether the caller chose the request id. Such a caller may already be repeating the request. */
    private readonly isRepeatable: boolean,
  ) {}

  /**
   * Attempts to acquire all locks. Starts again with new request ids if another attempt at the same request interferes.
   *
   * @throws LockkeeperError unavailable, not_replicated, unknown_outcome
   */
  async attempt(waiting: WaitRequest | undefined, onSend?: () => void): Promise<GroupOutcome> {
    for (;;) {
      onSend?.();
      const outcome = await this.#runRound(waiting);
      if (outcome !== "restart") return outcome;
    }
  }

  /** Withdraws locks as soon as Redis replies. If Redis does not reply, the locks end with their leases. */
  async withdraw(locks: readonly Omit<GrantedLock, "reply">[]): Promise<void> {
    const { redis, channel } = this.connection;
    const { principal } = this.ask;
    if (locks.some(({ requestId }) => requestId === this.#requestId)) this.#round++;
    await Promise.all(
      locks.map(({ key, token, requestId }) => {
        const release = { token, fence: undefined, principal, acquiredBy: requestId };
        const call = (retryMs?: number) =>
          LOCK_WRITERS[this.format].release(redis, channel, key, {
            ...release,
            id: `back:${requestId}`,
            digest: "-",
            retryMs,
          });
        return attempt(redis, call, { budgetMs: WITHDRAW_BUDGET_MS }).catch(() => undefined);
      }),
    );
  }

  /**
   * Removes the request from the list of waiters. A failure is harmless, because the entries of the list expire.
   *
   * @param keepMs how long the place is kept for a repeated request, in ms
   */
  stopWaiting(sinceMs: number | undefined, keepMs: number): void {
    const maybe = this.#unansweredSince === undefined ? [] : this.steps.flat().map(({ key }) => key);
    const keys = this.#listedKey === undefined ? maybe : [this.#listedKey];
    for (const key of keys) this.#leaveList(key, this.#listedKey === undefined ? undefined : sinceMs, keepMs);
    this.#listedKey = undefined;
  }

  get #requestId(): string {
    return this.#round === 0 ? this.ask.id : `${this.ask.id}~${this.#round}`;
  }

  async #runRound(waiting: WaitRequest | undefined): Promise<GroupOutcome | "restart"> {
    const requestId = this.#requestId;
    const startedAt = performance.now();
    const granted: GrantedLock[] = [];
    for (const step of this.steps) {
      const outcome = await this.#sendStep(step, granted, requestId, waiting);
      if (outcome.outcome === "refused") return await this.#handleRefusal(outcome, granted, waiting);
      granted.push(...outcome.locks);
    }
    this.#listedKey = undefined;
    if (!isOneRun(granted)) {
      // Some locks belong to another attempt at the same request. That attempt has ended or is in progress elsewhere.
      await this.#withdrawInTime(granted);
      return "restart";
    }
    const remainingMs = Math.min(...granted.map(({ reply }) => reply.remainingMs));
    if (performance.now() - startedAt < remainingMs) return { outcome: "granted", locks: granted };
    await this.#withdrawInTime(granted);
    throw new UnavailableError(
      "The locks were granted too late for their lease. All of them were released; nothing is held.",
    );
  }

  /**
   * Acquires the locks of one step. After a failure, withdraws the locks of this round. After an unknown outcome, does
   * not withdraw them if the caller chose the request id, because the caller may be repeating the request.
   */
  async #sendStep(
    step: readonly LockToAcquire[],
    granted: readonly GrantedLock[],
    requestId: string,
    waiting: WaitRequest | undefined,
  ): Promise<GroupOutcome> {
    const since = this.#unansweredSince;
    const { commands, confirm } = this.connection.getGuardedCommands("grant");
    const waitForAll = waiting && { ...waiting, waiterId: this.ask.id, listedKey: this.#listedKey };
    let locks: GrantedLock[] = [];
    try {
      const sentMs = since === undefined ? undefined : Math.ceil(performance.now() - since);
      this.#unansweredSince ??= performance.now();
      const reply = await attempt(this.connection.redis, (retryMs = sentMs) => {
        const ask = { ...this.ask, id: requestId, retryMs };
        return acquireAll(commands, this.connection.channel, this.format, step, ask, waitForAll);
      });
      this.#unansweredSince = undefined;
      if (reply.outcome === "refused") {
        const key = step[reply.index]?.key ?? "";
        return { outcome: "refused", key, reply: reply.reply };
      }
      locks = reply.grants.map((grant, at) => toGrantedLock(step[at], requestId, grant));
      await confirm?.();
      return { outcome: "granted", locks };
    } catch (error) {
      const own = granted.filter((lock) => this.#isOwn(lock));
      if (!(error instanceof UnknownOutcomeError)) await this.#withdrawInTime([...own, ...locks]);
      else if (!this.isRepeatable)
        void this.withdraw([...own, ...step.map((lock) => ({ ...lock, requestId }))]);
      throw error;
    }
  }

  async #handleRefusal(
    refusal: Extract<GroupOutcome, { outcome: "refused" }>,
    granted: readonly GrantedLock[],
    waiting: WaitRequest | undefined,
  ): Promise<GroupOutcome | "restart"> {
    const { reply, key } = refusal;
    // Does not withdraw locks that another attempt at the same request acquired.
    const round = this.#round;
    await this.#withdrawInTime(granted.filter((lock) => this.#isOwn(lock)));
    if (reply.outcome === "lost" && reply.why === "withdrawn") {
      this.#round = round + 1;
      return "restart";
    }
    if (reply.outcome === "held" && waiting !== undefined) {
      const left = this.#listedKey;
      if (left !== undefined && left !== key) this.#leaveList(left, waiting.sinceMs, 0);
      this.#listedKey = key;
    }
    return refusal;
  }

  /** Whether this attempt acquired the lock. False if an earlier or concurrent request with the same id acquired it. */
  #isOwn({ token, reply }: GrantedLock): boolean {
    return token === reply.token;
  }

  /** Withdraws locks, and waits until they are withdrawn or the time limit has passed. */
  async #withdrawInTime(locks: readonly GrantedLock[]): Promise<void> {
    if (locks.length === 0) return;
    const stored = locks.map((lock) => ({ ...lock, token: lock.reply.token }));
    await withTimeout(ROLLBACK_WAIT_MS, this.withdraw(stored)).catch(() => undefined);
  }

  #leaveList(key: Key, sinceMs: number | undefined, keepMs: number): void {
    const { redis, channel } = this.connection;
    const waiter = { requestId: this.ask.id, sinceMs, owner: this.ask.owner, keepMs };
    stopWaiting(redis, channel, key, waiter).catch(() => undefined);
  }
}

function toGrantedLock(lock: LockToAcquire | undefined, requestId: string, reply: GrantedReply): GrantedLock {
  return { key: lock?.key ?? "", token: lock?.token ?? "", requestId, reply };
}

/**
 * Whether one attempt acquired all locks: their tokens are then consecutive numbers of one client. Otherwise, two
 * attempts at the same request each acquired some of the locks, and either attempt may withdraw its locks.
 */
function isOneRun(locks: readonly GrantedLock[]): boolean {
  const [first] = locks.map(({ reply }) => parseToken(reply.token));
  return locks.every(({ reply }, at) => {
    const { clientId, number } = parseToken(reply.token);
    return clientId === first?.clientId && number === first.number + at;
  });
}

function parseToken(token: string): { clientId: string; number: number } {
  const colon = token.lastIndexOf(":");
  return { clientId: token.slice(0, colon), number: Number(token.slice(colon + 1)) };
}

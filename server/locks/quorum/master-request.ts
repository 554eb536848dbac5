import type { Key } from "../../../lib/keys/key.ts";
import type { AcquireRequest } from "../../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { AcquireReply } from "../../formats/script-replies.ts";
import { stopWaiting } from "../../formats/stop-waiting.ts";
import { WAITERS_MAX } from "../verbs/acquirer.ts";
import { attempt } from "../verbs/attempt.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/** Time limit for withdrawing a vote, in ms. After that, the vote expires with its lease. */
const REVOKE_BUDGET_MS = 60_000;

/** The ids that a lock request currently uses on one master. */
export interface AttemptId {
  readonly id: string;
  /** The token of the hold that the master granted or would grant. */
  readonly token: string;
  /**
   * When the master added the request to the list of waiters, in Unix ms; `undefined` if the request is not in the
   * list.
   */
  readonly sinceMs: number | undefined;
}

/** Sends a lock request to one master, and tracks the state of the request on that master. */
export class MasterRequest {
  /** Number of ids that were withdrawn on this master. The next attempt uses a new id. */
  #revokedCount = 0;
  #grantedToken: string | undefined;
  #sinceMs: number | undefined;
  #unansweredSince: number | undefined;

  constructor(
    readonly master: QuorumMaster,
    private readonly key: Key,
    private readonly request: AcquireRequest,
  ) {}

  // A repeated request derives the same ids and skips those that were withdrawn. The token stays the same: a withdrawal
  // ends a hold only if the withdrawn id acquired it.
  get attemptId(): AttemptId {
    const { id, token } = this.request;
    return {
      id: this.#revokedCount === 0 ? id : `${id}~${this.#revokedCount}`,
      token: this.#grantedToken ?? token,
      sinceMs: this.#sinceMs,
    };
  }

  /** @param waitMs how long the client will wait if the request is refused, in ms; `undefined` if it will not wait */
  acquire(waitMs: number | undefined): Promise<AcquireReply> {
    const { verbs, channel } = this.master;
    const { id, sinceMs } = this.attemptId;
    const waiting = waitMs === undefined ? undefined : { waitMs, sinceMs, waitersMax: WAITERS_MAX };
    const since = this.#unansweredSince;
    const retryMs = since === undefined ? undefined : Math.ceil(performance.now() - since);
    return LOCK_WRITERS.token.acquire(verbs, channel, this.key, { ...this.request, id, retryMs }, waiting);
  }

  /**
   * Records that the master did not reply and may have executed the request. The next attempt then sends the age of the
   * request.
   */
  recordSilence(): void {
    this.#unansweredSince ??= performance.now();
  }

  recordReply(reply: AcquireReply): void {
    this.#unansweredSince = undefined;
    this.#sinceMs = reply.outcome === "held" ? (this.#sinceMs ?? reply.asOf) : undefined;
    this.#grantedToken = reply.outcome === "granted" ? reply.token : undefined;
    if (reply.outcome === "lost" && reply.why === "withdrawn") this.#revokedCount++;
  }

  /**
   * Withdraws the vote of a request as soon as the master responds. If the withdrawal arrives before the request, the
   * master remembers the withdrawal and does not grant the vote later.
   *
   * Resolves once the vote is withdrawn or the time limit has passed.
   */
  async revoke(name = this.attemptId): Promise<void> {
    if (name.id === this.attemptId.id) {
      this.#revokedCount++;
      this.#grantedToken = undefined;
      this.#sinceMs = undefined;
      this.#unansweredSince = undefined;
    }
    const { verbs, channel } = this.master;
    const { principal } = this.request;
    const { id: acquiredBy, token } = name;
    const ask = { id: `back:${acquiredBy}`, digest: "-", token, fence: undefined, principal, acquiredBy };
    // The id of the acquire makes the release idempotent.
    const call = () => LOCK_WRITERS.token.release(verbs, channel, this.key, ask);
    await attempt(verbs, call, { budgetMs: REVOKE_BUDGET_MS }).catch(() => undefined);
  }

  /** Removes the request from the list of waiters. A failure is harmless, because the entries of the list expire. */
  stopWaiting({ id, sinceMs }: Pick<AttemptId, "id" | "sinceMs"> = this.attemptId): void {
    if (sinceMs === undefined) return;
    if (id === this.attemptId.id) this.#sinceMs = undefined;
    const { verbs, channel } = this.master;
    const waiter = { requestId: id, sinceMs, owner: this.request.owner, keepMs: 0 };
    stopWaiting(verbs, channel, this.key, waiter).catch(() => undefined);
  }
}

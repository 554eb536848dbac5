import type { Key } from "../../../lib/keys/key.ts";
import type { AcquireRequest } from "../../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { AcquireReply } from "../../formats/script-replies.ts";
import { stopWaiting } from "../../formats/stop-waiting.ts";
import { WAITERS_MAX } from "../verbs/acquirer.ts";
import { attempt } from "../verbs/attempt.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/** A vote is taken back for as long as this; what is left after it ends with its lease. */
const REVOKE_BUDGET_MS = 60_000;

/** What a master was asked under. */
export interface AttemptId {
  readonly id: string;
  /** Of the hold that the master has granted, or would grant. */
  readonly token: string;
  /** Since when it is on the list of those who wait; undefined where it is not. */
  readonly sinceMs: number | undefined;
}

/** Where a request for a lock stands with one master. */
export class MasterRequest {
  /** How many ids were taken back here; the next try goes under a new one. */
  #revokedCount = 0;
  #grantedToken: string | undefined;
  #sinceMs: number | undefined;
  #unansweredSince: number | undefined;

  constructor(
    readonly master: QuorumMaster,
    private readonly key: Key,
    private readonly request: AcquireRequest,
  ) {}

  // Who repeats the request walks through the same ids, past those that were taken back. The token stays: what is taken
  // back is the hold that an id acquired, and never one that another id acquired under the same token.
  get attemptId(): AttemptId {
    const { id, token } = this.request;
    return {
      id: this.#revokedCount === 0 ? id : `${id}~${this.#revokedCount}`,
      token: this.#grantedToken ?? token,
      sinceMs: this.#sinceMs,
    };
  }

  /** @param waitMs for how long it will wait should it be refused; undefined: not at all */
  acquire(waitMs: number | undefined): Promise<AcquireReply> {
    const { verbs, channel } = this.master;
    const { id, sinceMs } = this.attemptId;
    const waiting = waitMs === undefined ? undefined : { waitMs, sinceMs, waitersMax: WAITERS_MAX };
    const since = this.#unansweredSince;
    const retryMs = since === undefined ? undefined : Math.ceil(performance.now() - since);
    return LOCK_WRITERS.token.acquire(verbs, channel, this.key, { ...this.request, id, retryMs }, waiting);
  }

  /** The master may have carried out what it was asked, and is asked for the same again. */
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
   * Takes the vote back that was asked for under the name, as soon as the master answers. One that was not given yet
   * is not given any more: the master reads this after the request, or remembers it.
   *
   * Resolves when it is done, or given up.
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
    // By the id of the acquire it is done once, however often it is asked for.
    const call = () => LOCK_WRITERS.token.release(verbs, channel, this.key, ask);
    await attempt(verbs, call, { budgetMs: REVOKE_BUDGET_MS }).catch(() => undefined);
  }

  /** The list is for looking at only, and its entries end by themselves: a failure is no harm. */
  stopWaiting({ id, sinceMs }: Pick<AttemptId, "id" | "sinceMs"> = this.attemptId): void {
    if (sinceMs === undefined) return;
    if (id === this.attemptId.id) this.#sinceMs = undefined;
    const { verbs, channel } = this.master;
    const waiter = { requestId: id, sinceMs, owner: this.request.owner, keepMs: 0 };
    stopWaiting(verbs, channel, this.key, waiter).catch(() => undefined);
  }
}

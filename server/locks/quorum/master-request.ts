import type { Key } from "../../../lib/keys/key.ts";
import { type AcquireRequest, FORMATS } from "../../formats/lock-writer.ts";
import type { AcquireReply } from "../../formats/script-replies.ts";
import { stopWaiting } from "../../formats/stop-waiting.ts";
import { WAITERS_MAX } from "../verbs/acquirer.ts";
import { attempt } from "../verbs/attempt.ts";
import type { Agreement, Vote } from "./agreement.ts";
import type { Master } from "./quorum-master.ts";

/** A vote is taken back for as long as this; what is left after it ends with its lease. */
const TAKE_BACK_MS = 60_000;

/** What a master was asked under. */
export interface Name {
  readonly id: string;
  /** Since when it is on the list of those who wait; undefined where it is not. */
  readonly sinceMs: number | undefined;
}

/** Where a request for a lock stands with one master. */
export class Standing {
  /** How many ids were taken back here; the next try goes under a new one. */
  #spent = 0;
  #sinceMs: number | undefined;
  #unansweredSince: number | undefined;

  constructor(
    readonly master: Master,
    private readonly key: Key,
    private readonly request: AcquireRequest,
  ) {}

  // Who repeats the request walks through the same ids, past those that were taken back.
  get name(): Name {
    const { id } = this.request;
    return { id: this.#spent === 0 ? id : `${id}~${this.#spent}`, sinceMs: this.#sinceMs };
  }

  /** @param waitMs for how long it will wait should it be refused; undefined: not at all */
  acquire(waitMs: number | undefined): Promise<AcquireReply> {
    const { verbs, channel } = this.master;
    const { id, sinceMs } = this.name;
    const waiting = waitMs === undefined ? undefined : { waitMs, sinceMs, waitersMax: WAITERS_MAX };
    const since = this.#unansweredSince;
    const retryMs = since === undefined ? undefined : Math.ceil(performance.now() - since);
    return FORMATS.token.acquire(verbs, channel, this.key, { ...this.request, id, retryMs }, waiting);
  }

  /** The master may have carried out what it was asked, and is asked for the same again. */
  noteSilence(): void {
    this.#unansweredSince ??= performance.now();
  }

  note(reply: AcquireReply): void {
    this.#unansweredSince = undefined;
    this.#sinceMs = reply.outcome === "held" ? (this.#sinceMs ?? reply.asOf) : undefined;
    if (reply.outcome === "lost" && reply.why === "withdrawn") this.#spent++;
  }

  agree({ reply }: Vote, { fence, count }: Agreement): Promise<boolean> {
    const { owner } = this.request;
    return FORMATS.token.agree(this.master.verbs, this.key, { owner, from: reply.fence, fence, count });
  }

  /**
   * Takes the vote back that was asked for under the name, as soon as the master answers. One that was not given yet
   * is not given any more: the master reads this after the request, or remembers it.
   *
   * Resolves when it is done, or given up.
   */
  async takeBack(name = this.name): Promise<void> {
    if (name.id === this.name.id) {
      this.#spent++;
      this.#sinceMs = undefined;
      this.#unansweredSince = undefined;
    }
    const { verbs, channel } = this.master;
    const { owner, principal } = this.request;
    const ask = { id: `back:${name.id}`, digest: "-", owner, principal, acquiredBy: name.id };
    // By the id of the acquire it is done once, however often it is asked for.
    const call = () => FORMATS.token.release(verbs, channel, this.key, ask);
    await attempt(verbs, call, { budgetMs: TAKE_BACK_MS }).catch(() => undefined);
  }

  /** The list is for looking at only, and its entries end by themselves: a failure is no harm. */
  leaveList({ id, sinceMs } = this.name): void {
    if (sinceMs === undefined) return;
    if (id === this.name.id) this.#sinceMs = undefined;
    const { verbs, channel } = this.master;
    const waiter = { requestId: id, sinceMs, owner: this.request.owner, keepMs: 0 };
    stopWaiting(verbs, channel, this.key, waiter).catch(() => undefined);
  }
}

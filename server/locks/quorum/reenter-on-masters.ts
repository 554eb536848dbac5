import { getCurrentMoment, type Moment } from "../../../lib/client/moment.ts";
import { withTimeout } from "../../concurrency/with-timeout.ts";
import type { RenewRequest } from "../../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { RenewReply } from "../../formats/script-replies.ts";
import { computeMajority } from "../../redis/majority.ts";
import { attempt } from "../verbs/attempt.ts";
import type { Grant, VerbHold } from "../verbs/contract/grant.ts";
import { toGrant } from "../verbs/error-factories.ts";
import { collectVotes, findAgreement } from "./agreement.ts";
import { findCommonHold } from "./common-hold.ts";
import { confirmAgreement } from "./confirm-agreement.ts";
import { collectReplies, type MasterResult, type MasterResults, pollMasters } from "./poll-masters.ts";
import {
  createHoldRefusalError,
  createMaybeExecutedError,
  createTooFewRepliesError,
} from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { assessRenewal } from "./renew-on-masters.ts";
import { computeBudgetMs, computeCertainMs, computeValidityMs } from "./time-limits.ts";

/** Time limit for undoing a re-entry on a master, in ms. */
const GIVE_BACK_MS = 60_000;

/** A re-entry on all masters. Only masters that have the hold can execute it. */
export class QuorumReentry {
  readonly #budgetMs: number;
  readonly #sentAtMs = performance.now();
  /** Whether the re-entry must be undone. If so, the counts that masters have added or will add are released. */
  #hasFailed = false;

  /**
   * @param idSource who chose the request id. A caller that chose the id can repeat the request without increasing the
   * count again, so re-entries with an unknown outcome are not undone
   */
  constructor(
    private readonly masters: readonly QuorumMaster[],
    private readonly hold: VerbHold,
    private readonly request: RenewRequest,
    private readonly idSource: "by_caller" | "by_lockkeeper",
  ) {
    this.#budgetMs = computeBudgetMs(request.leaseMs);
  }

  /** @throws LockkeeperError lost, not_owner, idempotency_key_reused, unavailable, unknown_outcome */
  async run(): Promise<Grant> {
    const sentAt = getCurrentMoment();
    const results = await pollMasters(this.masters, {
      by: "verbs",
      budgetMs: this.#budgetMs,
      call: ({ verbs, channel }) => LOCK_WRITERS.token.reenter(verbs, channel, this.hold.key, this.request),
      progress: (soFar) => (assessRenewal(soFar, this.masters.length) === "unsure" ? "open" : "enough"),
      onLate: (master, result) => {
        if (this.#hasFailed) void this.#giveBack(master, result);
      },
    });
    const grant = await this.#confirm(results, sentAt);
    if (grant !== undefined) return grant;
    const isRefused = assessRenewal(results, this.masters.length) === "lost";
    this.#hasFailed = isRefused || this.idSource === "by_lockkeeper";
    if (this.#hasFailed) {
      const back = [...results].map(([master, result]) => this.#giveBack(master, result));
      await withTimeout(this.#budgetMs, Promise.all(back)).catch(() => undefined);
    }
    throw isRefused
      ? createHoldRefusalError(this.hold.key, collectReplies(results), this.masters.length)
      : this.#createUndecidedError(results);
  }

  /**
   * Confirms the re-entry on a majority of the masters. Returns `undefined` if no majority confirmed the re-entry while
   * the hold was valid. A majority must have the same count, because a master with a smaller count would end the hold
   * too early.
   */
  async #confirm(results: MasterResults<RenewReply>, sentAt: Moment): Promise<Grant | undefined> {
    const { hold, masters } = this;
    const agreement = findAgreement(collectVotes(results), masters.length);
    if (agreement === undefined) return undefined;
    const majority = computeMajority(masters.length);
    const sure = await confirmAgreement(hold.key, agreement, { majority, budgetMs: this.#budgetMs });
    const common = findCommonHold(
      sure.map(({ reply }) => reply),
      masters.length,
    );
    if (sure.length < majority || common === undefined) return undefined;
    if (computeValidityMs(sentAt, common.remainingMs) <= 0) return undefined;
    // The caller's deadline counts from the start of the request.
    const remainingMs = Math.floor(computeCertainMs(common.remainingMs));
    const { count } = agreement;
    return toGrant(hold, common.owner || (hold.owner ?? ""), { ...common, count, remainingMs });
  }

  async #giveBack(master: QuorumMaster, result: MasterResult<RenewReply>): Promise<void> {
    const { verbs, channel } = master;
    // After an unknown outcome, repeats the re-entry first, to determine whether there is a count to release. With the
    // same id, a re-entry counts only once.
    const isEntered = result.state === "unknown" ? await this.#repeat(master) : isGranted(result);
    if (!isEntered) return;
    const { token, fence, principal, id } = this.request;
    // The fixed digest makes the id idempotent regardless of the count.
    const ask = { id: `back:${id}`, digest: "back", token, fence, principal };
    const call = (retryMs: number | undefined) =>
      LOCK_WRITERS.token.release(verbs, channel, this.hold.key, { ...ask, retryMs });
    await attempt(verbs, call, { budgetMs: GIVE_BACK_MS }).catch(() => undefined);
  }

  async #repeat({ verbs, channel }: QuorumMaster): Promise<boolean> {
    const call = () => {
      const retryMs = Math.ceil(performance.now() - this.#sentAtMs);
      return LOCK_WRITERS.token.reenter(verbs, channel, this.hold.key, { ...this.request, retryMs });
    };
    return await attempt(verbs, call, { budgetMs: GIVE_BACK_MS }).then(
      ({ outcome }) => outcome === "granted",
      () => false,
    );
  }

  #createUndecidedError(results: MasterResults<RenewReply>) {
    if (this.idSource === "by_lockkeeper")
      return createTooFewRepliesError(
        results,
        "Counted entries are released; the hold remains until its deadline.",
      );
    const isUntouched = [...results.values()].every(({ state }) => state === "away");
    return isUntouched
      ? createTooFewRepliesError(results, "Nothing was done; try again.")
      : createMaybeExecutedError(results);
  }
}

const isGranted = (result: MasterResult<RenewReply>) =>
  result.state === "answered" && result.reply.outcome === "granted";

import type { Key } from "../../../lib/keys/key.ts";
import { within } from "../../concurrency/with-timeout.ts";
import type { AcquireRequest } from "../../formats/lock-writer.ts";
import type { AcquireReply } from "../../formats/script-replies.ts";
import { kthLargest, majorityOf, median } from "../../redis/majority.ts";
import { type Moment, momentNow } from "../verbs/moment.ts";
import { type Agreement, agreementOf, isBehind, joins, progressOf, type Vote, votesOf } from "./agreement.ts";
import { type Name, Standing } from "./master-request.ts";
import { OpenVotes } from "./pending-votes.ts";
import { type Answer, type Answers, ask } from "./poll-masters.ts";
import type { Master } from "./quorum-master.ts";
import { budgetMsOf, validityMs } from "./time-limits.ts";

export interface Elected {
  readonly outcome: "elected";
  readonly count: number;
  readonly fence: string;
  readonly remainingMs: number;
  readonly asOf: number;
}

/** What came of standing for a lock once. `too_late`: a majority voted, but not in time for a hold. */
export type Outcome =
  | Elected
  | { readonly outcome: "refused" | "too_late"; readonly answers: Answers<AcquireReply> };

interface Sure {
  readonly outcome: Elected;
  readonly sure: readonly Vote[];
}

/**
 * One request for a lock, put to the masters as often as it takes. Between two tries it has no votes: what a try got
 * in vain is given back before the next, or taken back as soon as its master answers.
 */
export class Candidate {
  readonly #standings: ReadonlyMap<Master, Standing>;
  readonly #majority: number;
  readonly #budgetMs: number;
  #isOver = false;
  /** Of the hold that it was elected to. */
  readonly openVotes = new OpenVotes();

  /** @param named whose id the request has. Who repeats an id of its own may be asking for these very votes. */
  constructor(
    private readonly masters: readonly Master[],
    key: Key,
    private readonly request: AcquireRequest,
    readonly named: "by_caller" | "by_us",
  ) {
    this.#standings = new Map(masters.map((master) => [master, new Standing(master, key, request)]));
    this.#majority = majorityOf(masters.length);
    this.#budgetMs = budgetMsOf(request.leaseMs);
  }

  /** @param waitMs for how long it will wait should it be refused; undefined: not at all */
  async stand(waitMs: number | undefined): Promise<Outcome> {
    const sentAt = momentNow();
    const names = new Map(this.masters.map((master) => [master, this.#at(master).name]));
    let settle: (agreement: Agreement | undefined) => void = () => undefined;
    const settled = new Promise<Agreement | undefined>((resolve) => {
      settle = resolve;
    });
    const answers = await ask(this.masters, {
      by: "verbs",
      budgetMs: this.#budgetMs,
      call: (master) => this.#at(master).acquire(waitMs),
      progress: (soFar) => progressOf(soFar, this.masters.length),
      onLate: (master, answer) =>
        void settled.then((agreed) => this.#takeLate(master, answer, names.get(master), agreed)),
    });
    for (const [master, answer] of answers) {
      if (answer.state === "answered") this.#at(master).note(answer.reply);
    }
    const agreement = agreementOf(votesOf(answers), this.masters.length);
    const elected = agreement && (await this.#agree(agreement, sentAt));
    if (agreement !== undefined && elected !== undefined) this.#accept(answers, agreement, elected.sure);
    settle(elected && agreement);
    if (elected !== undefined) return elected.outcome;
    await this.#concede(answers);
    return { outcome: agreement === undefined ? "refused" : "too_late", answers };
  }

  /** Takes back whatever was voted for it. */
  withdraw(): void {
    this.openVotes.takeAllBack();
    for (const standing of this.#standings.values()) void standing.takeBack();
  }

  /** It will not stand again. */
  end(): void {
    this.#isOver = true;
    for (const standing of this.#standings.values()) standing.leaveList();
  }

  #at(master: Master): Standing {
    const standing = this.#standings.get(master);
    if (standing === undefined) throw new Error(`${master.label} is none of these masters`);
    return standing;
  }

  /** A majority has to have fence and count in common before anybody hears of the hold. */
  async #agree(agreement: Agreement, sentAt: Moment): Promise<Sure | undefined> {
    const { voters, count, fence } = agreement;
    const behind = voters.filter((vote) => isBehind(vote, agreement));
    const upToDate = voters.filter((vote) => !behind.includes(vote));
    const told = await this.#tell(behind, agreement, this.#majority - upToDate.length);
    const sure = [...upToDate, ...told];
    if (sure.length < this.#majority) return undefined;
    const lastingMs = kthLargest(
      sure.map(({ reply }) => (reply.remainingMs < 0 ? this.request.leaseMs : reply.remainingMs)),
      this.#majority,
    );
    const remainingMs = validityMs(sentAt, lastingMs);
    if (remainingMs <= 0) return undefined;
    const asOf = median(sure.map(({ reply }) => reply.asOf));
    return { sure, outcome: { outcome: "elected", count, fence, remainingMs, asOf } };
  }

  /** @returns those that are known to have heard, once as many as are needed have */
  async #tell(votes: readonly Vote[], agreement: Agreement, needed: number): Promise<Vote[]> {
    const voteAt = new Map(votes.map((vote) => [vote.master, vote]));
    const isTold = (answer: Answer<boolean> | undefined) => answer?.state === "answered" && answer.reply;
    const answers = await ask([...voteAt.keys()], {
      by: "verbs",
      budgetMs: this.#budgetMs,
      call: async (master) => {
        const vote = voteAt.get(master);
        return vote !== undefined && (await this.#at(master).agree(vote, agreement));
      },
      progress: (soFar) => {
        const told = [...soFar.values()].filter(isTold).length;
        return told >= needed || told + votes.length - soFar.size < needed ? "decided" : "open";
      },
      onLate: (master, answer) =>
        this.openVotes.close(this.#at(master), isTold(answer) ? "agrees" : "take_back"),
    });
    return votes.filter(({ master }) => isTold(answers.get(master)));
  }

  /** Sees to those that are not known to agree with the majority. */
  #accept(answers: Answers<AcquireReply>, { voters }: Agreement, sure: readonly Vote[]): void {
    const agreeing = new Set(sure.map(({ master }) => master));
    const voting = new Set(voters.map(({ master }) => master));
    for (const [master, answer] of answers) {
      const standing = this.#at(master);
      const isOpen = answer.state === "late" || voting.has(master);
      const hasVoted = answer.state === "answered" && answer.reply.outcome === "granted";
      if (isOpen && !agreeing.has(master)) this.openVotes.open(standing, standing.name);
      else if ((hasVoted && !agreeing.has(master)) || answer.state === "unknown") void standing.takeBack();
    }
  }

  /** Gives back what this try got, and waits for it where the master is known to answer. */
  async #concede(answers: Answers<AcquireReply>): Promise<void> {
    const back: Promise<void>[] = [];
    for (const [master, answer] of answers) {
      if (answer.state === "unknown" || answer.state === "late") {
        if (this.named === "by_us") void this.#at(master).takeBack();
        else this.#at(master).noteSilence();
      }
      if (answer.state !== "answered" || answer.reply.outcome !== "granted") continue;
      // A repetition got nothing that was not there before.
      if (answer.reply.how !== "repeated") back.push(this.#at(master).takeBack());
    }
    await within(this.#budgetMs, Promise.all(back)).catch(() => undefined);
  }

  // A vote that is not open was taken back already, or is left to the caller who may repeat the request.
  #takeLate(
    master: Master,
    answer: Answer<AcquireReply>,
    name: Name | undefined,
    agreement: Agreement | undefined,
  ): void {
    const standing = this.#at(master);
    if (answer.state === "answered" && answer.reply.outcome === "held" && name !== undefined) {
      const isInUse = !this.#isOver && standing.name.id === name.id;
      if (isInUse) standing.note(answer.reply);
      else standing.leaveList({ id: name.id, sinceMs: name.sinceMs ?? answer.reply.asOf });
    }
    if (!this.openVotes.has(standing)) return;
    const [vote] = votesOf(new Map([[master, answer]]));
    if (vote === undefined) this.openVotes.close(standing, answer.state === "unknown" ? "take_back" : "none");
    else if (agreement === undefined || !joins(vote, agreement)) this.openVotes.close(standing, "take_back");
    else if (!isBehind(vote, agreement)) this.openVotes.close(standing, "agrees");
    else void this.#join(vote, agreement);
  }

  async #join(vote: Vote, agreement: Agreement): Promise<void> {
    const standing = this.#at(vote.master);
    const agrees = await standing.agree(vote, agreement).catch(() => false);
    this.openVotes.close(standing, agrees ? "agrees" : "take_back");
  }
}

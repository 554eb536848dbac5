import type { Key } from "../../../lib/contract/key.ts";
import type { AcquireRequest } from "../../formats/format.ts";
import type { AcquireReply } from "../../formats/reply.ts";
import { type Moment, momentNow } from "../hold.ts";
import { within } from "../within.ts";
import { type Agreement, agreementOf, isBehind, joins, progressOf, type Vote, votesOf } from "./agreement.ts";
import { type Answer, type Answers, ask } from "./ask.ts";
import { type Master, majorityOf } from "./master.ts";
import { kthLargest, median } from "./order.ts";
import { type Name, Standing } from "./standing.ts";
import { budgetMsOf, validityMs } from "./time.ts";

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

/**
 * One request for a lock, put to the masters as often as it takes. Between two tries it has no votes: what a try got
 * in vain is given back before the next, or taken back as soon as its master answers.
 */
export class Candidate {
  readonly #standings: ReadonlyMap<Master, Standing>;
  readonly #majority: number;
  readonly #budgetMs: number;
  #isOver = false;

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
    const votes = votesOf(answers);
    const agreement = agreementOf(votes, this.masters.length);
    const elected = agreement && (await this.#agree(agreement, sentAt));
    settle(elected && agreement);
    if (agreement !== undefined && elected !== undefined) {
      for (const vote of votes) if (!agreement.voters.includes(vote)) void this.#at(vote.master).takeBack();
      return elected;
    }
    await this.#concede(answers);
    return { outcome: agreement === undefined ? "refused" : "too_late", answers };
  }

  /** Takes back whatever was voted for it. */
  withdraw(): void {
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
  async #agree(agreement: Agreement, sentAt: Moment): Promise<Elected | undefined> {
    const { voters, count, fence } = agreement;
    const behind = voters.filter((vote) => isBehind(vote, agreement));
    const upToDate = voters.filter((vote) => !behind.includes(vote));
    const told = await this.#tell(behind, agreement, this.#majority - upToDate.length);
    const sure = [...upToDate, ...told].map(({ reply }) => reply);
    if (sure.length < this.#majority) return undefined;
    const lastingMs = kthLargest(
      sure.map(({ remainingMs }) => (remainingMs < 0 ? this.request.leaseMs : remainingMs)),
      this.#majority,
    );
    const remainingMs = validityMs(sentAt, lastingMs);
    if (remainingMs <= 0) return undefined;
    return { outcome: "elected", count, fence, remainingMs, asOf: median(sure.map(({ asOf }) => asOf)) };
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
    });
    return votes.filter(({ master }) => isTold(answers.get(master)));
  }

  /** Gives back what this try got, and waits for it where the master is known to answer. */
  async #concede(answers: Answers<AcquireReply>): Promise<void> {
    const back: Promise<void>[] = [];
    for (const [master, answer] of answers) {
      if (answer.state === "unknown") {
        if (this.named === "by_us") void this.#at(master).takeBack();
        else this.#at(master).noteSilence();
      }
      if (answer.state !== "answered" || answer.reply.outcome !== "granted") continue;
      // A repetition got nothing that was not there before.
      if (answer.reply.how !== "repeated") back.push(this.#at(master).takeBack());
    }
    await within(this.#budgetMs, Promise.all(back)).catch(() => undefined);
  }

  #takeLate(
    master: Master,
    answer: Answer<AcquireReply>,
    name: Name | undefined,
    agreement: Agreement | undefined,
  ): void {
    if (answer.state !== "answered" || name === undefined) return;
    const { reply } = answer;
    const standing = this.#at(master);
    if (reply.outcome === "held") {
      const isInUse = !this.#isOver && standing.name.id === name.id;
      if (isInUse) standing.note(reply);
      else standing.leaveList({ id: name.id, sinceMs: name.sinceMs ?? reply.asOf });
    }
    // Without an agreement it was taken back already, or is left to the caller who may repeat the request.
    if (reply.outcome !== "granted" || agreement === undefined) return;
    const [vote] = votesOf(new Map([[master, answer]]));
    if (vote === undefined || !joins(vote, agreement)) void standing.takeBack(name);
    else if (isBehind(vote, agreement)) standing.agree(vote, agreement).catch(() => undefined);
  }
}

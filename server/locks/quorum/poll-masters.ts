import { setMaxListeners } from "node:events";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { whenReady } from "../../redis/connect.ts";
import { failureOf } from "../../redis/failure.ts";
import { majorityOf } from "../../redis/majority.ts";
import type { Master } from "./quorum-master.ts";

/**
 * What a master said in its time. `away`: it certainly did nothing. `unknown`: it may have done it, and will not say any
 * more. `late`: it may have done it or do it yet, and will be heard of.
 */
export type Answer<Reply> =
  | { readonly state: "answered"; readonly reply: Reply }
  | { readonly state: "away" | "unknown" | "late"; readonly error: unknown };

export type Answers<Reply> = ReadonlyMap<Master, Answer<Reply>>;

/** How far the answers that are in decide. `enough`: what is to come changes nothing, but makes it firmer. */
export type Progress = "open" | "enough" | "decided";

export interface Question<Reply> {
  /** Which connections it goes by. */
  readonly by: "verbs" | "renewals";
  /** `all`: the call itself waits for a connection. By default none is waited for unless a majority has none. */
  readonly to?: "all";
  /** For how long each master is waited for. */
  readonly budgetMs: number;
  readonly call: (master: Master) => Promise<Reply>;
  readonly progress: (answers: Answers<Reply>) => Progress;
  /** Told of what comes after the end: once of each that is `late`. */
  readonly onLate?: (master: Master, answer: Answer<Reply>) => void;
}

/** What was said, by whomever. */
export function repliesOf<Reply>(answers: Answers<Reply>): Reply[] {
  return [...answers.values()].flatMap((answer) => (answer.state === "answered" ? [answer.reply] : []));
}

/** Asks all masters at once, and ends as soon as it is decided, at the latest with the budget. */
export function ask<Reply>(masters: readonly Master[], question: Question<Reply>): Promise<Answers<Reply>> {
  return new Asking(masters, question).run();
}

const REST_MS_MIN = 5;
const OVER = new Error("It did not answer in its time");

function mayBeDone(error: unknown): boolean {
  return !(error instanceof UnavailableError) && failureOf(error) !== "not_executed";
}

class Asking<Reply> {
  readonly #answers = new Map<Master, Answer<Reply>>();
  readonly #sent = new Set<Master>();
  readonly #startedAt = performance.now();
  readonly #stop = new AbortController();
  #isEnough = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: (answers: Answers<Reply>) => void = () => undefined;

  constructor(
    private readonly masters: readonly Master[],
    private readonly question: Question<Reply>,
  ) {}

  run(): Promise<Answers<Reply>> {
    const { by, budgetMs, to } = this.question;
    const ready = this.masters.filter((master) => master[by].status === "ready");
    // A connection that comes back is waited for only where nothing can be decided without it.
    const asked = to !== "all" && ready.length >= majorityOf(this.masters.length) ? ready : this.masters;
    if (asked !== ready) setMaxListeners(0, this.#stop.signal);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#endIn(budgetMs);
      for (const master of this.masters) {
        if (asked.includes(master)) void this.#askOne(master);
        else this.#answers.set(master, { state: "away", error: undefined });
      }
      this.#look();
    });
  }

  async #askOne(master: Master): Promise<void> {
    let answer: Answer<Reply>;
    const { by, to } = this.question;
    try {
      // Without a pause where there is nothing to wait for, so that all are asked in the same moment.
      if (to !== "all" && master[by].status !== "ready") await whenReady(master[by], this.#stop.signal);
      this.#sent.add(master);
      answer = { state: "answered", reply: await this.question.call(master) };
    } catch (error) {
      answer = { state: this.#sent.has(master) && mayBeDone(error) ? "unknown" : "away", error };
    }
    if (!this.#stop.signal.aborted) {
      this.#answers.set(master, answer);
      this.#look();
    } else if (this.#sent.has(master)) this.question.onLate?.(master, answer);
  }

  #look(): void {
    if (this.#stop.signal.aborted) return;
    const progress = this.question.progress(this.#answers);
    const isDecided = progress === "decided" || this.#answers.size === this.masters.length;
    if (isDecided) this.#end();
    if (isDecided || progress === "open" || this.#isEnough) return;
    this.#isEnough = true;
    // Masters that are well answer within the same moment: the rest gets as long again as the majority took.
    const elapsedMs = performance.now() - this.#startedAt;
    this.#endIn(Math.min(Math.max(elapsedMs, REST_MS_MIN), this.question.budgetMs - elapsedMs));
  }

  // What has arrived while this process was busy is taken in before the time is called over.
  #endIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setImmediate(() => this.#end()), ms);
  }

  #end(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    const answers = new Map(this.#answers);
    for (const master of this.masters) {
      if (answers.has(master)) continue;
      answers.set(master, { state: this.#sent.has(master) ? "late" : "away", error: OVER });
    }
    this.#stop.abort(OVER);
    this.#resolve(answers);
  }
}

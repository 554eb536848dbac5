import { setMaxListeners } from "node:events";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { waitUntilReady } from "../../redis/connect.ts";
import { classifyFailure } from "../../redis/failure.ts";
import { computeMajority } from "../../redis/majority.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/**
 * The result of a request to one master when the poll ends. `answered`: the master replied. `away`: the master did not
 * execute the request. `unknown`: the master may have executed the request, and will not reply. `late`: the master may
 * have executed the request or may still execute it. Its reply is reported later.
 */
export type MasterResult<Reply> =
  | { readonly state: "answered"; readonly reply: Reply }
  | { readonly state: "away" | "unknown" | "late"; readonly error: unknown };

export type MasterResults<Reply> = ReadonlyMap<QuorumMaster, MasterResult<Reply>>;

/**
 * The progress of a poll. `open`: pending replies can change the result. `enough`: pending replies cannot change the
 * result but may confirm it, so the poll continues briefly. `decided`: the poll ends.
 */
export type PollProgress = "open" | "enough" | "decided";

export interface MasterPollOptions<Reply> {
  /** The connection to use for each master: the one for verbs or the one for renewals. */
  readonly by: "verbs" | "renewals";
  /**
   * `all`: calls every master immediately, even if it is disconnected, so `call` must wait for the connection. By
   * default, calls only the connected masters if they are a majority, and otherwise calls each master once it is
   * connected.
   */
  readonly to?: "all";
  /** Time limit of the poll, in ms. */
  readonly budgetMs: number;
  readonly call: (master: QuorumMaster) => Promise<Reply>;
  readonly progress: (results: MasterResults<Reply>) => PollProgress;
  /** Called once for each `late` master when its reply arrives or its request fails. */
  readonly onLate?: (master: QuorumMaster, result: MasterResult<Reply>) => void;
}

/** Returns the replies of the masters that replied in time. */
export function collectReplies<Reply>(results: MasterResults<Reply>): Reply[] {
  return [...results.values()].flatMap((result) => (result.state === "answered" ? [result.reply] : []));
}

/**
 * Sends a request to the masters. Resolves when `progress` returns `decided`, a short time after it returns `enough`,
 * when every master has replied or failed, or when the time limit has passed.
 */
export function pollMasters<Reply>(
  masters: readonly QuorumMaster[],
  question: MasterPollOptions<Reply>,
): Promise<MasterResults<Reply>> {
  return new MasterPoll(masters, question).run();
}

const STRAGGLER_WAIT_MS_MIN = 5;
const TIMEOUT_ERROR = new Error("It did not result in its time");

function mayHaveExecuted(error: unknown): boolean {
  return !(error instanceof UnavailableError) && classifyFailure(error) !== "not_executed";
}

class MasterPoll<Reply> {
  readonly #results = new Map<QuorumMaster, MasterResult<Reply>>();
  readonly #sent = new Set<QuorumMaster>();
  readonly #startedAt = performance.now();
  readonly #stop = new AbortController();
  #isEndScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: (results: MasterResults<Reply>) => void = () => undefined;

  constructor(
    private readonly masters: readonly QuorumMaster[],
    private readonly options: MasterPollOptions<Reply>,
  ) {}

  run(): Promise<MasterResults<Reply>> {
    const { by, budgetMs, to } = this.options;
    const ready = this.masters.filter((master) => master[by].status === "ready");
    // Waits for disconnected masters only if the connected masters are not a majority.
    const polled =
      to !== "all" && ready.length >= computeMajority(this.masters.length) ? ready : this.masters;
    if (polled !== ready) setMaxListeners(0, this.#stop.signal);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#scheduleEnd(budgetMs);
      for (const master of this.masters) {
        if (polled.includes(master)) void this.#callMaster(master);
        else this.#results.set(master, { state: "away", error: undefined });
      }
      this.#evaluate();
    });
  }

  async #callMaster(master: QuorumMaster): Promise<void> {
    let result: MasterResult<Reply>;
    const { by, to } = this.options;
    try {
      // Does not await connections that are open, so that all requests are sent in the same turn of the event loop.
      if (to !== "all" && master[by].status !== "ready") await waitUntilReady(master[by], this.#stop.signal);
      this.#sent.add(master);
      result = { state: "answered", reply: await this.options.call(master) };
    } catch (error) {
      result = { state: this.#sent.has(master) && mayHaveExecuted(error) ? "unknown" : "away", error };
    }
    if (!this.#stop.signal.aborted) {
      this.#results.set(master, result);
      this.#evaluate();
    } else if (this.#sent.has(master)) this.options.onLate?.(master, result);
  }

  #evaluate(): void {
    if (this.#stop.signal.aborted) return;
    const progress = this.options.progress(this.#results);
    const isDecided = progress === "decided" || this.#results.size === this.masters.length;
    if (isDecided) this.#end();
    if (isDecided || progress === "open" || this.#isEndScheduled) return;
    this.#isEndScheduled = true;
    // Healthy masters reply at nearly the same time. The remaining masters get as much extra time as the majority
    // needed.
    const elapsedMs = performance.now() - this.#startedAt;
    this.#scheduleEnd(
      Math.min(Math.max(elapsedMs, STRAGGLER_WAIT_MS_MIN), this.options.budgetMs - elapsedMs),
    );
  }

  // Processes replies that arrived while this process was busy before it applies the time limit.
  #scheduleEnd(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setImmediate(() => this.#end()), ms);
  }

  #end(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    const results = new Map(this.#results);
    for (const master of this.masters) {
      if (results.has(master)) continue;
      results.set(master, { state: this.#sent.has(master) ? "late" : "away", error: TIMEOUT_ERROR });
    }
    this.#stop.abort(TIMEOUT_ERROR);
    this.#resolve(results);
  }
}

import { createSeededRandom } from "../../support/seeded-random.ts";
import { type Entry, NS_PER_MS } from "../history/entry.ts";

export interface Simulation {
  readonly seed: number;
  readonly contexts: number;
  readonly forMs: number;
  /** Fraction of calls whose request or reply is lost, from 0 to 1. */
  readonly lost: number;
  /** `some`: the server occasionally loses all data. */
  readonly wipes: "some" | "none";
  readonly leaseMs?: number;
  /** Maximum time for which a holder works, in milliseconds. */
  readonly workMs?: number;
}

interface SimulatedCall<Answer> {
  does(): Answer;
  lost(): void;
  answered(answer: Answer): void;
}

type Facts = Pick<Entry, "op" | "type"> & Partial<Entry>;

/** Simulates the history of a correct lock in memory, with simulated time. */
export function simulateHistory(simulation: Simulation): Entry[] {
  return new LockSimulation(simulation).run();
}

class LockSimulation {
  readonly #history: Entry[] = [];
  readonly #agenda: { readonly atMs: number; readonly does: () => void }[] = [];
  readonly #random: () => number;
  #nowMs = 0;
  #calls = 0;
  #token: string | undefined;
  #count = 0;
  #fence = 0;
  #endMs = 0;

  constructor(private readonly simulation: Simulation) {
    this.#random = createSeededRandom(simulation.seed);
  }

  run(): Entry[] {
    const { contexts, forMs, wipes } = this.simulation;
    for (let n = 0; n < contexts; n++) this.#schedule(this.#pickBetween(1, 30), () => this.#runTurn(n, 1));
    if (wipes === "some") this.#schedule(this.#pickBetween(0, forMs / 2), () => this.#wipeData());
    while (this.#agenda.length > 0) {
      const next = this.#agenda.reduce((one, other) => (other.atMs < one.atMs ? other : one));
      this.#agenda.splice(this.#agenda.indexOf(next), 1);
      this.#nowMs = next.atMs;
      if (this.#nowMs > this.#endMs) this.#token = undefined;
      next.does();
    }
    return this.#history.sort((one, other) => one.t - other.t);
  }

  #runTurn(n: number, nth: number): void {
    if (this.#nowMs > this.simulation.forMs) return;
    const token = `w${n}.${nth}/c`;
    const next = () => this.#schedule(this.#pickBetween(0, 30), () => this.#runTurn(n, nth + 1));
    const untilMs = this.#random() < 0.8 ? this.#nowMs + 6000 : this.#nowMs;
    this.#enter("acquire", token, { untilMs, failed: next }, (claim) => this.#doWork(token, claim, next));
  }

  #doWork(token: string, claim: number, next: () => void): void {
    const { workMs = 40 } = this.simulation;
    const work = this.#random() ** 3 * workMs;
    const giveBack = () => this.#release(token, claim, next);
    this.#schedule(work, () => {
      if (this.#random() > 0.35) giveBack();
      else {
        const ending = { untilMs: this.#nowMs, failed: giveBack };
        this.#enter("reenter", token, ending, (inner) => this.#release(token, inner, giveBack));
      }
    });
  }

  #enter(
    op: "acquire" | "reenter",
    token: string,
    { untilMs, failed }: { readonly untilMs: number; readonly failed: () => void },
    entered: (claim: number) => void,
  ): void {
    const { leaseMs = 1500 } = this.simulation;
    const call = ++this.#calls;
    const what = { op, call, token, leaseMs } as const;
    this.#write({ ...what, type: "invoke", waitMs: untilMs - this.#nowMs });
    const attempt = () => {
      const deadline = Math.round((this.#nowMs + leaseMs) * NS_PER_MS);
      this.#ask(token, {
        does: () => this.#enterLock(op, token, leaseMs),
        lost: () => {
          this.#write({ ...what, type: "info", code: "unknown_outcome" });
          failed();
        },
        answered: (granted) => {
          if (granted !== undefined) {
            this.#write({ ...what, type: "ok", ...granted, deadline });
            entered(call);
          } else if (this.#nowMs < untilMs) this.#schedule(this.#pickBetween(2, 20), attempt);
          else {
            this.#write({ ...what, type: "fail", code: op === "acquire" ? "held" : "lost" });
            failed();
          }
        },
      });
    };
    attempt();
  }

  #enterLock(op: "acquire" | "reenter", token: string, leaseMs: number) {
    if (this.#token !== (op === "acquire" ? undefined : token)) return undefined;
    if (op === "acquire") [this.#count, this.#fence, this.#endMs] = [0, this.#fence + 1, 0];
    this.#token = token;
    this.#count++;
    this.#endMs = Math.max(this.#endMs, this.#nowMs + leaseMs);
    return { count: this.#count, fence: String(this.#fence) };
  }

  #release(token: string, claim: number, next: () => void): void {
    const what = { op: "release", call: ++this.#calls, claim, token } as const;
    this.#write({ ...what, type: "invoke" });
    this.#ask(token, {
      does: () => {
        if (this.#token !== token) return undefined;
        if (--this.#count === 0) this.#token = undefined;
        return this.#count;
      },
      lost: () => {
        this.#write({ ...what, type: "info", code: "unknown_outcome" });
        next();
      },
      answered: (count) => {
        const outcome =
          count === undefined
            ? { code: "not_held", count: 0 }
            : { code: count > 0 ? "still_held" : "released", count };
        this.#write({ ...what, type: "ok", ...outcome });
        next();
      },
    });
  }

  /** Runs a call with random transit times. A few replies arrive up to 3 s late, as if the process was stopped. */
  #ask<Answer>(token: string, call: SimulatedCall<Answer>): void {
    const { lost } = this.simulation;
    const chance = this.#random();
    const late = this.#random() < 0.01 ? this.#pickBetween(0, 3000) : 0;
    this.#schedule(this.#pickBetween(0.1, 3), () => {
      if (chance < lost / 2) return this.#schedule(250, call.lost);
      const answer = call.does();
      if (chance < lost * 0.6) return this.#kill(token);
      if (chance < lost) this.#schedule(250, call.lost);
      else this.#schedule(this.#pickBetween(0.1, 3) + late, () => call.answered(answer));
    });
  }

  /** Kills the process of a token, which then writes no further entries. A new process takes its place. */
  #kill(token: string): void {
    const [, n, nth] = /^w(\d+)\.(\d+)/.exec(token) ?? [];
    const what = { op: "fault", process: "harness", fault: "kill-worker", target: `worker ${n}` } as const;
    this.#write({ ...what, type: "invoke" });
    this.#schedule(100, () => this.#write({ ...what, type: "ok" }));
    this.#schedule(200, () => this.#runTurn(Number(n), Number(nth) + 1));
  }

  #wipeData(): void {
    const what = { op: "fault", process: "harness", fault: "flushall", target: "server 1" } as const;
    this.#write({ ...what, type: "invoke" });
    this.#schedule(1, () => {
      this.#token = undefined;
    });
    const pauseMs = this.#pickBetween(0, this.simulation.forMs);
    // As in a real run, a fault ends before the next fault of the same kind begins, because the history could not
    // distinguish their ends.
    this.#schedule(2, () => {
      this.#write({ ...what, type: "ok" });
      this.#schedule(pauseMs, () => {
        if (this.#nowMs < this.simulation.forMs) this.#wipeData();
      });
    });
  }

  #schedule(ms: number, does: () => void): void {
    this.#agenda.push({ atMs: this.#nowMs + ms, does });
  }

  #pickBetween(least: number, most: number): number {
    return least + this.#random() * (most - least);
  }

  #write(facts: Facts): void {
    const { token = "harness" } = facts;
    const t = Math.round(this.#nowMs * NS_PER_MS);
    this.#history.push({ process: token.split("/")[0] ?? "", lock: "lock:a", ...facts, t });
  }
}

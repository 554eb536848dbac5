import type { Comparison as Asked, Request } from "../arguments.ts";
import { type Experiment, failureText } from "../figure.ts";
import { programEnvironment } from "../http/programs.ts";
import { progress } from "../progress.ts";
import { Resources } from "../resources.ts";
import { keepResults } from "../results.ts";
import { ROOT } from "../root.ts";
import { Checkout } from "./checkout.ts";
import { needsBuild, type Plan, planOf, type Side, type Turn, turnsOf } from "./plan.ts";
import { Processes } from "./processes.ts";
import { Report } from "./report.ts";
import { Samples } from "./samples.ts";
import { addWorktree, commitOf } from "./worktree.ts";

interface Running {
  /** Whether every figure has a value on both sides in every round. */
  readonly done: Promise<boolean>;
  /** Ends everything and removes the other checkout. */
  end(): Promise<void>;
}

type Checkouts = Readonly<Record<Side, Checkout>>;

/** Measures figures of another commit and of this checkout in turn, and prints both. */
export function compareWith(asked: Asked, request: Request, experiments: readonly Experiment[]): Running {
  const resources = new Resources();
  const processes = new Processes();
  const work = new Work(asked, request, experiments, { resources, processes });
  return { done: work.run().finally(() => resources.end()), end: () => resources.end() };
}

interface Means {
  readonly resources: Resources;
  readonly processes: Processes;
}

class Work {
  constructor(
    private readonly asked: Asked,
    private readonly request: Request,
    private readonly experiments: readonly Experiment[],
    private readonly means: Means,
  ) {}

  async run(): Promise<boolean> {
    const { resources, processes } = this.means;
    const commit = await commitOf(processes, this.asked.ref);
    const dir = await addWorktree(processes, commit, (end) => {
      resources.later(end);
      resources.later(() => processes.end());
    });
    progress(`Checked out ${this.asked.ref} in ${dir}`);
    const env = this.#usesPrograms() ? await programEnvironment() : {};
    const checkouts = {
      reference: new Checkout(processes, dir, env),
      this: new Checkout(processes, ROOT, env),
    };
    const plan = await this.#prepare(checkouts);
    const report = new Report(this.asked.ref, this.request.json);
    report.onlyOn({ here: plan.onlyHere, there: plan.onlyThere });
    const samples = new Samples();
    for (const [at, batch] of plan.batches.entries()) {
      progress(`── ${at + 1} of ${plan.batches.length}: ${batch.join(", ")} ──`);
      await this.#measure(batch, checkouts, samples);
      for (const figure of batch) report.add(figure, samples);
    }
    const kept = report.end(samples);
    if (this.request.effort === "full" && !this.request.json) keepResults({ ...kept, prefix: "compare-" });
    return samples.failures.length === 0;
  }

  /** Installs the other checkout first: its figures decide whether it has to be built. */
  async #prepare(checkouts: Checkouts): Promise<Plan> {
    await timed(`Installing the dependencies of ${this.asked.ref}`, () =>
      checkouts.reference.prepare({ build: false }),
    );
    const there = await checkouts.reference.figures();
    const plan = planOf(
      this.request.figures,
      this.experiments.map(({ figures }) => figures),
      there,
    );
    const build = needsBuild(plan);
    const what = build ? "Installing and building" : "Installing";
    if (build) await timed(`Building ${this.asked.ref}`, () => checkouts.reference.prepare({ build }));
    await timed(`${what} this checkout`, () => checkouts.this.prepare({ build }));
    return plan;
  }

  async #measure(batch: readonly string[], checkouts: Checkouts, samples: Samples): Promise<void> {
    for (const { round, side } of turnsOf(this.asked.rounds)) {
      const title = `round ${round} of ${this.asked.rounds}: ${this.#labelOf({ round, side })}`;
      await timed(title, async () => {
        const { lines, failures } = await checkouts[side].measure(batch, this.request.effort);
        for (const line of lines) samples.add(round, side, line);
        for (const failure of failures) {
          samples.fail(round, side, failure);
          progress(failureText(failure));
        }
      });
    }
  }

  #labelOf({ side }: Turn): string {
    return side === "this" ? "this checkout" : this.asked.ref;
  }

  /** Only throughput over HTTP is measured beside other servers. */
  #usesPrograms(): boolean {
    return this.request.figures.some((figure) => /^http\.(pairs|cpu)/.test(figure));
  }
}

async function timed(title: string, work: () => Promise<void>): Promise<void> {
  progress(`${title} …`);
  const started = performance.now();
  await work();
  progress(`${title}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

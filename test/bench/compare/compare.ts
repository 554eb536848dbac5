import type { Comparison as Asked, Request } from "../arguments.ts";
import { type Experiment, formatFailure } from "../figure.ts";
import { getProgramEnvironment } from "../http/programs.ts";
import { reportProgress } from "../progress.ts";
import { Resources } from "../resources.ts";
import { keepResults } from "../results.ts";
import { ROOT } from "../root.ts";
import { Checkout } from "./checkout.ts";
import { createPlan, listTurns, needsBuild, type Plan, type Side, type Turn } from "./plan.ts";
import { Processes } from "./processes.ts";
import { Report } from "./report.ts";
import { Samples } from "./samples.ts";
import { addWorktree, resolveCommit } from "./worktree.ts";

interface RunningComparison {
  /** Resolves with whether every figure has a value for both checkouts in every round. */
  readonly done: Promise<boolean>;
  /** Stops the comparison and removes the other checkout. */
  end(): Promise<void>;
}

type Checkouts = Readonly<Record<Side, Checkout>>;

/**
 * Starts to measure figures alternately in a worktree of another commit and in this checkout, and prints the
 * comparison.
 */
export function startComparison(
  asked: Asked,
  request: Request,
  experiments: readonly Experiment[],
): RunningComparison {
  const resources = new Resources();
  const processes = new Processes();
  const work = new ComparisonRun(asked, request, experiments, { resources, processes });
  return { done: work.run().finally(() => resources.end()), end: () => resources.end() };
}

interface ComparisonDeps {
  readonly resources: Resources;
  readonly processes: Processes;
}

class ComparisonRun {
  constructor(
    private readonly comparison: Asked,
    private readonly request: Request,
    private readonly experiments: readonly Experiment[],
    private readonly deps: ComparisonDeps,
  ) {}

  async run(): Promise<boolean> {
    const { resources, processes } = this.deps;
    const commit = await resolveCommit(processes, this.comparison.ref);
    const dir = await addWorktree(processes, commit, (end) => {
      resources.defer(end);
      resources.defer(() => processes.end());
    });
    reportProgress(`Checked out ${this.comparison.ref} in ${dir}`);
    const env = this.#needsPrograms() ? await getProgramEnvironment() : {};
    const checkouts = {
      reference: new Checkout(processes, dir, env),
      this: new Checkout(processes, ROOT, env),
    };
    const plan = await this.#prepare(checkouts);
    const report = new Report(this.comparison.ref, this.request.json);
    report.addMissing({ here: plan.onlyHere, there: plan.onlyThere });
    const samples = new Samples();
    for (const [at, batch] of plan.batches.entries()) {
      reportProgress(`── ${at + 1} of ${plan.batches.length}: ${batch.join(", ")} ──`);
      await this.#measure(batch, checkouts, samples);
      for (const figure of batch) report.add(figure, samples);
    }
    const kept = report.end(samples);
    if (this.request.effort === "full" && !this.request.json) keepResults({ ...kept, prefix: "compare-" });
    return samples.failures.length === 0;
  }

  /**
   * Prepares both checkouts. The dependencies of the reference are installed first, because its list of figures
   * determines whether the console must be built.
   */
  async #prepare(checkouts: Checkouts): Promise<Plan> {
    await logDuration(`Installing the dependencies of ${this.comparison.ref}`, () =>
      checkouts.reference.prepare({ build: false }),
    );
    const there = await checkouts.reference.listFigures();
    const plan = createPlan(
      this.request.figures,
      this.experiments.map(({ figures }) => figures),
      there,
    );
    const build = needsBuild(plan);
    const what = build ? "Installing and building" : "Installing";
    if (build)
      await logDuration(`Building ${this.comparison.ref}`, () => checkouts.reference.prepare({ build }));
    await logDuration(`${what} this checkout`, () => checkouts.this.prepare({ build }));
    return plan;
  }

  async #measure(batch: readonly string[], checkouts: Checkouts, samples: Samples): Promise<void> {
    for (const { round, side } of listTurns(this.comparison.rounds)) {
      const title = `round ${round} of ${this.comparison.rounds}: ${this.#formatLabel({ round, side })}`;
      await logDuration(title, async () => {
        const { lines, failures } = await checkouts[side].measure(batch, this.request.effort);
        for (const line of lines) samples.add(round, side, line);
        for (const failure of failures) {
          samples.addFailure(round, side, failure);
          reportProgress(formatFailure(failure));
        }
      });
    }
  }

  #formatLabel({ side }: Turn): string {
    return side === "this" ? "this checkout" : this.comparison.ref;
  }

  /** Whether other lock servers are needed. Only the figures of HTTP throughput and CPU time are compared with them. */
  #needsPrograms(): boolean {
    return this.request.figures.some((figure) => /^http\.(pairs|cpu)/.test(figure));
  }
}

async function logDuration(title: string, work: () => Promise<void>): Promise<void> {
  reportProgress(`${title} …`);
  const started = performance.now();
  await work();
  reportProgress(`${title}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

import { formatReason, roundValue } from "./figure.ts";
import { computeMedian } from "./statistics.ts";

/** Results of each contender, one per round. */
export type Rounds<Result> = ReadonlyMap<string, readonly Result[]>;

interface Contest<Contender extends { readonly name: string }, Result> {
  readonly contenders: readonly Contender[];
  readonly rounds: number;
  readonly measure: (contender: Contender) => Promise<Result>;
  /** Runs once for each contender before the first round. */
  readonly warmUp?: (contender: Contender) => Promise<unknown>;
  readonly onProgress: (line: string) => void;
  /**
   * Receives the reason of each peer that failed, by name. That peer is dropped and the others continue. Without it,
   * the first failure ends the comparison; a failure of `ours` always does.
   */
  readonly failed?: Record<string, string>;
}

/** Measures round by round, each contender once per round, so that a machine that slows down affects all of them. */
export async function interleave<Contender extends { readonly name: string }, Result>(
  contest: Contest<Contender, Result>,
): Promise<Rounds<Result>> {
  const { rounds, measure, warmUp, onProgress } = contest;
  const results = new Map<string, Result[]>(contest.contenders.map(({ name }) => [name, []]));
  const turn = async (contender: Contender, work: () => Promise<unknown>) => {
    if (!results.has(contender.name)) return;
    try {
      await work();
    } catch (error) {
      recordFailure(contest, contender.name, error);
      results.delete(contender.name);
    }
  };
  if (warmUp !== undefined) {
    for (const contender of contest.contenders) await turn(contender, () => warmUp(contender));
  }
  for (let round = 1; round <= rounds; round++) {
    onProgress(`round ${round} of ${rounds}`);
    for (const contender of contest.contenders) {
      await turn(contender, async () => results.get(contender.name)?.push(await measure(contender)));
    }
  }
  return results;
}

function recordFailure(
  { failed, onProgress }: Pick<Contest<never, never>, "failed" | "onProgress">,
  name: string,
  error: unknown,
): void {
  if (failed === undefined || name === "ours") throw error;
  failed[name] = formatReason(error);
  onProgress(`${name} failed: ${failed[name]}`);
}

/**
 * Computes the medians of one value over the rounds. A ratio is the median of the ratios within each round, because the
 * values of one round were measured under the same conditions.
 */
export function compareMedians<Result>(rounds: Rounds<Result>, of: (result: Result) => number) {
  const values = [...rounds].map(([name, results]) => [name, results.map(of)] as const);
  const ours = values.find(([name]) => name === "ours")?.[1] ?? [];
  const theirs = values.filter(([name]) => name !== "ours");
  const ratios = (other: readonly number[]) =>
    ours.map((value, round) => value / (other[round] ?? Number.NaN));
  return {
    ours: roundValue(computeMedian(ours)),
    vs: Object.fromEntries(theirs.map(([name, other]) => [name, roundValue(computeMedian(ratios(other)))])),
    theirs: Object.fromEntries(theirs.map(([name, other]) => [name, roundValue(computeMedian(other))])),
  };
}

export function computeMedians<Result>(rounds: Rounds<Result>, of: (result: Result) => number) {
  return Object.fromEntries(
    [...rounds].map(([name, results]) => [name, roundValue(computeMedian(results.map(of)))]),
  );
}

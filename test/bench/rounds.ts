import { formatReason, roundValue } from "./figure.ts";
import { computeMedian } from "./statistics.ts";

/** The results of each contender, by name. The list has one result per round. */
export type Rounds<Result> = ReadonlyMap<string, readonly Result[]>;

interface Contest<Contender extends { readonly name: string }, Result> {
  readonly contenders: readonly Contender[];
  readonly rounds: number;
  readonly measure: (contender: Contender) => Promise<Result>;
  /** Called once for each contender before the first round. */
  readonly warmUp?: (contender: Contender) => Promise<unknown>;
  readonly onProgress: (line: string) => void;
  /**
   * Collects the peers that failed, by name, with the reason. A peer that fails is excluded from the following rounds.
   * If absent, the first failure ends the measurement. A failure of `ours` always does.
   */
  readonly failed?: Record<string, string>;
}

/**
 * Measures in rounds, in which every contender is measured once, so that a slowdown of the machine affects all
 * contenders.
 */
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
 * Computes the median of a value over all rounds, for Lockkeeper and for each peer. `vs` contains the median of the
 * ratios within each round, because values of the same round were measured under the same conditions.
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

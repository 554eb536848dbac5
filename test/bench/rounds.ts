import { rounded } from "./figure.ts";
import { median } from "./statistics.ts";

/** What each contender reached, round by round. */
export type Rounds<Result> = ReadonlyMap<string, readonly Result[]>;

interface Contest<Contender extends { readonly name: string }, Result> {
  readonly contenders: readonly Contender[];
  readonly rounds: number;
  readonly measure: (contender: Contender) => Promise<Result>;
  readonly onProgress: (line: string) => void;
}

/** Ours, the first peer, the second, ours, …: a machine that becomes slower does so for all alike. */
export async function interleave<Contender extends { readonly name: string }, Result>(
  contest: Contest<Contender, Result>,
): Promise<Rounds<Result>> {
  const results = new Map<string, Result[]>(contest.contenders.map(({ name }) => [name, []]));
  for (let round = 1; round <= contest.rounds; round++) {
    contest.onProgress(`round ${round} of ${contest.rounds}`);
    for (const contender of contest.contenders) {
      results.get(contender.name)?.push(await contest.measure(contender));
    }
  }
  return results;
}

/**
 * Medians of one value of the rounds. A ratio is the median of the rounds' own ratios, since what stood side by side
 * in one round met the same machine.
 */
export function compare<Result>(rounds: Rounds<Result>, of: (result: Result) => number) {
  const values = [...rounds].map(([name, results]) => [name, results.map(of)] as const);
  const ours = values.find(([name]) => name === "ours")?.[1] ?? [];
  const theirs = values.filter(([name]) => name !== "ours");
  const ratios = (other: readonly number[]) =>
    ours.map((value, round) => value / (other[round] ?? Number.NaN));
  return {
    ours: rounded(median(ours)),
    vs: Object.fromEntries(theirs.map(([name, other]) => [name, rounded(median(ratios(other)))])),
    theirs: Object.fromEntries(theirs.map(([name, other]) => [name, rounded(median(other))])),
  };
}

export function mediansOf<Result>(rounds: Rounds<Result>, of: (result: Result) => number) {
  return Object.fromEntries([...rounds].map(([name, results]) => [name, rounded(median(results.map(of)))]));
}

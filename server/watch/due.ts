import type { Hold } from "./hold.ts";
import { turnsAt } from "./verdict.ts";

/** In how many ms after its last look a hold is to be looked at again if nothing is heard of it; undefined: never. */
export function dueMsOf(hold: Hold): number | undefined {
  const { seen, verdict } = hold;
  // An end that has passed passes no more.
  if (seen.state === "ended") return undefined;
  const ends = [seen.remainingMs, ...seen.holders.map(({ ownRemainingMs }) => ownRemainingMs)];
  const turn = turnsAt(hold, verdict);
  const dues = [...ends, turn === undefined ? undefined : turn - seen.asOf];
  const ahead = dues.filter((ms): ms is number => typeof ms === "number" && ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

import { setTimeout as sleep } from "node:timers/promises";
import { assert, expect } from "../figures.ts";
import type { GuardedStore, GuardedWriter, WriteOutcome } from "./guard.ts";

const WRITERS = 8;
const WRITES_EACH = 150;
/** Maximum difference between the newest fencing token and the token of a late write. */
const STALE_BY = 12;
/** First fencing token. Real tokens are based on the time in microseconds since 1970. */
const FIRST_FENCE = 1_790_000_000_000_000;

interface Attempt {
  readonly fence: number;
  readonly verdict: WriteOutcome;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Writes over many connections at once, some with the newest fencing token and others with an older one. Checks that no
 * write with a lower token follows one with a higher token, that no other write is rejected, and that the results match
 * the stored data.
 *
 * @returns a summary for the output
 */
export async function writeInterleaved(
  store: GuardedStore,
  resource: string,
  ways: readonly string[],
): Promise<string> {
  const writers = await Promise.all(
    Array.from({ length: WRITERS }, (_, n) => store.createWriter(ways[n % ways.length] ?? "")),
  );
  let newest = FIRST_FENCE;
  const next = () => {
    if (Math.random() < 0.4) newest += 1 + Math.floor(Math.random() * 3);
    return Math.random() < 0.5
      ? newest
      : Math.max(FIRST_FENCE, newest - Math.floor(Math.random() * STALE_BY));
  };
  try {
    const attempts = (await Promise.all(writers.map((writer) => writeMany(writer, resource, next)))).flat();
    return await judgeAttempts(store, resource, attempts);
  } finally {
    await Promise.all(writers.map((writer) => writer.close()));
  }
}

async function writeMany(writer: GuardedWriter, resource: string, next: () => number): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (let n = 0; n < WRITES_EACH; n++) {
    const fence = next();
    // Occasional pauses prevent the writes from always arriving in the order of their tokens.
    if (Math.random() < 0.3) await sleep(Math.random() * 4);
    const fromMs = performance.now();
    const verdict = await writer.write(resource, String(fence), `by ${fence}`);
    attempts.push({ fence, verdict, fromMs, toMs: performance.now() });
  }
  return attempts;
}

async function judgeAttempts(
  store: GuardedStore,
  resource: string,
  attempts: readonly Attempt[],
): Promise<string> {
  const order = (await store.written(resource)).map(Number);
  const falls = order.filter((fence, at) => fence < (order[at - 1] ?? 0));
  expect(`${resource}: fences written after a higher one`, falls.slice(0, 10), []);
  const written = attempts.filter(({ verdict }) => verdict === "written");
  const refused = attempts.filter(({ verdict }) => verdict === "refused");
  expect(`${resource}: answers of "written" against writes`, written.length, order.length);
  const answered = sortAscending(written.map(({ fence }) => fence));
  const wrong = sortAscending(order).filter((fence, at) => fence !== answered[at]);
  expect(`${resource}: fences written without such an answer`, wrong.slice(0, 10), []);
  for (const one of refused) {
    const isRight = written.some(({ fence, fromMs }) => fence > one.fence && fromMs < one.toMs);
    assert(isRight, () => `${resource}: fence ${one.fence} was refused though none above had been written`);
  }
  const highest = Math.max(...attempts.map(({ fence }) => fence));
  expect(`${resource}: the last value`, await store.readStored(resource), {
    fence: String(highest),
    value: `by ${highest}`,
  });
  assert(refused.length > 0 && written.length > 0, () => `${resource}: nothing was tried against each other`);
  return `${attempts.length} writes of ${WRITERS} connections, ${written.length} written, ${refused.length} refused`;
}

function sortAscending(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}

import { BUFFER_CAPACITY } from "../locks-under-test.ts";
import type { RecordedHold } from "../processes/recording-client.ts";
import type { ResourceReply } from "../processes/resource-client.ts";
import type { Workload } from "./workload.ts";

const PRODUCERS = 0.5;
const SIGNALS_ALL = 0.15;
const LONG_WAITS = 0.4;
const LONG_WAIT_MS = 15_000;
/** Maximum number of waits before a client gives up. */
const WAITS_MAX = 3;

/** Puts an item into a bounded buffer or takes one out, and waits for a condition while the buffer is full or empty. */
export async function runCondition(workload: Workload, lock: string): Promise<void> {
  const first = await workload.acquire(lock, "lock");
  if (first === undefined) return;
  const second = workload.isChosen(0.35) ? await workload.client.reenter(first) : undefined;
  const counts = second === undefined ? [first] : [first, second];
  const by = workload.isChosen(PRODUCERS) ? 1 : -1;
  const held = await changeBuffer(workload, counts, by);
  for (const each of held.toReversed()) await workload.client.release(each);
}

/**
 * Changes the buffer and signals the other condition, or gives up after several waits.
 *
 * @returns the counts to release: the acquired ones, or the ones that the last wait resumed
 */
async function changeBuffer(
  workload: Workload,
  acquired: readonly RecordedHold[],
  by: 1 | -1,
): Promise<readonly RecordedHold[]> {
  const [own, other] = by === 1 ? ["not-full", "not-empty"] : ["not-empty", "not-full"];
  let counts = acquired;
  for (let waits = 0; ; waits++) {
    const [held] = counts;
    if (held === undefined || !workload.client.isHeld(held)) return counts;
    const read = await lookAt(workload, held);
    if (canChange(read, by)) {
      await workload.pause(workload.pickBetween(0, 20));
      if (!workload.client.isHeld(held)) return counts;
      await workload.write(held, read, by);
      await workload.client.signal(held, other, workload.isChosen(SIGNALS_ALL) ? "all" : "one");
      return counts;
    }
    if (waits === WAITS_MAX) return counts;
    const waitMs = workload.isChosen(LONG_WAITS) ? LONG_WAIT_MS : Math.round(workload.pickBetween(20, 2000));
    const waited = await workload.client.awaitCondition(counts, own, waitMs);
    if (waited === undefined) return counts;
    counts = waited.counts;
  }
}

const lookAt = ({ options }: Workload, { hold, lock }: RecordedHold) =>
  options.resource.ask({ ask: "read", lock, fence: hold.fence });

const canChange = ({ fenced, size }: ResourceReply, by: 1 | -1) =>
  fenced !== null && (by === 1 ? size < BUFFER_CAPACITY : size > 0);

import { randomInt, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { LockEvent } from "../../lib/contract/event.ts";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { Journal } from "../../server/history/journal.ts";
import type { Masters } from "../../server/redis/master.ts";
import { openMasters } from "../../server/redis/masters/open-masters.ts";
import type { EvidenceRecorder } from "../../server/watch/evidence/evidence-recorder.ts";
import { recordEvidence } from "../../server/watch/record-evidence.ts";
import { Watcher, type WatcherOptions } from "../../server/watch/watcher.ts";
import { sleepMs } from "./test-locks.ts";
import { waitUntil } from "./test-server.ts";

export interface TestWatcher {
  readonly watcher: Watcher;
  readonly masters: Masters;
  readonly journal: Journal;
  /** Lists the events of a key, oldest first. */
  listEvents(key: string): LockEvent[];
  /** Waits for `count` events of a key. Then waits long enough for the watcher to report wrong additional events. */
  waitForEvents(key: string, count: number): Promise<LockEvent[]>;
  stop(): void;
}

/** Time in milliseconds for a read, the wait for a notification, and another read. */
const INFERENCE_MS = 150;
const LOCKABLE = new FormatRules([], ["lock:*"]);
/** Maximum time for the first scan in milliseconds, sufficient for 10,000 locks on a busy machine. */
const FIRST_SCAN_MS_MAX = 30_000;

interface TestWatcherOptions extends Partial<WatcherOptions> {
  /** Where the watcher stores evidence about holds, and whether it may write. By default, no evidence is stored. */
  readonly evidence?: { readonly recorder: EvidenceRecorder; readonly isWriter: () => boolean };
}

/** Starts a watcher on `lock:*` unless other options are given. Resolves once the first scan is complete. */
export async function startTestWatcher(
  where: Parameters<typeof openMasters>[0],
  { evidence, ...more }: TestWatcherOptions = {},
  readyWithinMs = FIRST_SCAN_MS_MAX,
): Promise<TestWatcher> {
  const masters = openMasters(where);
  const journal = new Journal();
  const options = {
    target: "test",
    watch: ["lock:*"],
    notifications: "off" as const,
    rules: LOCKABLE,
    ...more,
  };
  const restoring = evidence === undefined ? {} : { restoreHold: evidence.recorder.restoreHold };
  const watcher = new Watcher({ ...options, ...restoring }, masters, journal);
  if (evidence !== undefined) recordEvidence(evidence.recorder, watcher, evidence.isWriter);
  const stop = () => {
    watcher.stop();
    masters.close();
  };
  watcher.start();
  await waitUntil(() => watcher.health().state === "live", readyWithinMs);
  const listEvents = (key: string) => journal.listKeyEvents(key, 100).items.reverse();
  const waitForEvents = async (key: string, count: number) => {
    await waitUntil(() => listEvents(key).length >= count);
    await sleepMs(INFERENCE_MS);
    await watcher.waitUntilSettled();
    return listEvents(key);
  };
  return { watcher, masters, journal, listEvents, waitForEvents, stop };
}

/** Creates the owner string of a thread of another client, like Redisson. */
export const createForeignOwner = () => `${randomUUID()}:${randomInt(1000)}`;

/** Acquires a lock like Redisson. @returns the owner string */
export async function acquireForeignLock(
  direct: Redis,
  key: string,
  leaseMs = 60_000,
  owner = createForeignOwner(),
): Promise<string> {
  await direct.multi().hset(key, owner, 1).pexpire(key, leaseMs).exec();
  return owner;
}

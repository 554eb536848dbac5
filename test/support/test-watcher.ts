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
  /** The events of a key, the oldest first. */
  listEvents(key: string): LockEvent[];
  /** Waits for so many events of a key, and long enough for the watcher to report what it has wrongly inferred. */
  waitForEvents(key: string, count: number): Promise<LockEvent[]>;
  stop(): void;
}

/** A read, its wait for a notification, and another read. */
const INFERENCE_MS = 150;
const LOCKABLE = new FormatRules([], ["lock:*"]);
/** For ten thousand locks on a machine under load. */
const FIRST_SCAN_MS_MAX = 30_000;

interface TestWatcherOptions extends Partial<WatcherOptions> {
  /** Where it stores the evidence about holds, and whether it does; by default it stores none. */
  readonly evidence?: { readonly recorder: EvidenceRecorder; readonly isWriter: () => boolean };
}

/** Watches `lock:*`, which can be acquired, unless other options are given; its first picture is whole. */
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

/** The name of a thread of another client, as Redisson gives it. */
export const createForeignOwner = () => `${randomUUID()}:${randomInt(1000)}`;

/** Takes a lock as Redisson does. @returns its owner */
export async function acquireForeignLock(
  direct: Redis,
  key: string,
  leaseMs = 60_000,
  owner = createForeignOwner(),
): Promise<string> {
  await direct.multi().hset(key, owner, 1).pexpire(key, leaseMs).exec();
  return owner;
}

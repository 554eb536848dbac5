import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { GapEvent, HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";
import { classifyStep } from "./events/timeline-step.ts";

const KEYS = 6;
/** Time limit of a test in ms. Requests and the recorder take most of the time on a busy machine. */
const TEST_MS = 120_000;

/** A grant that a client received. Redis granted the lock between `sentAt` and `receivedAt` (Unix ms). */
interface ReceivedGrant {
  readonly key: string;
  readonly fence: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Starts clients that acquire and release locks through the API until `stop` is called. */
function startLoad(server: TestServer) {
  const grants: ReceivedGrant[] = [];
  let isRunning = true;
  const run = async (key: string) => {
    while (isRunning) {
      const sentAt = Date.now();
      const reply = await server.callVerb(key, "acquire", { owner: key, leaseMs: 500 });
      if (reply.status === 201) {
        grants.push({ key, fence: reply.body.fence, sentAt, receivedAt: Date.now() });
        await server.callHold(reply.body, "release");
      }
      await sleep(2);
    }
  };
  const running = Promise.all(Array.from({ length: KEYS }, (_, n) => run(`lock:load:${n}`)));
  const waitForGrants = async (count: number) => {
    const before = grants.length;
    await waitUntil(() => grants.length >= before + count, 30_000);
  };
  const stop = async () => {
    isRunning = false;
    await running;
  };
  return { grants, waitForGrants, stop };
}

async function readHistory(server: TestServer): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: "500", order: "oldest_first", ...(cursor && { cursor }) });
    const { status, body } = await server.call(`/history?${query}`);
    if (status !== 200) throw new Error(`GET /history: ${status} ${JSON.stringify(body)}`);
    entries.push(...body.items);
    cursor = body.next;
    if (cursor === undefined) return entries;
  }
}

const isEvent = (entry: HistoryEntry): entry is LockEvent => !isGap(entry);

/**
 * Returns a string that identifies a hold. It contains the key, because keys that are acquired in one script call may
 * have the same fencing token.
 */
const nameHold = ({ key, fence }: { key: string; fence?: string | undefined }) => `${key} ${fence}`;

/**
 * Lists the grants that the history has lost: no event reports them, and no gap overlaps the time between their request
 * and response.
 */
function listLostGrants(grants: readonly ReceivedGrant[], entries: readonly HistoryEntry[]): ReceivedGrant[] {
  const begun = entries.filter(isEvent).filter((event) => classifyStep(event) === "begun");
  const holds = new Set(begun.map(nameHold));
  const gaps = entries.filter((entry): entry is GapEvent => isGap(entry));
  return grants.filter(
    ({ sentAt, receivedAt, ...grant }) =>
      !holds.has(nameHold(grant)) && !gaps.some(({ from, to }) => from <= receivedAt && to >= sentAt),
  );
}

const listDuplicates = (entries: readonly HistoryEntry[]) => {
  const steps = entries.filter(isEvent).map((event) => `${classifyStep(event)} ${nameHold(event)}`);
  return steps.filter((step, at) => steps.indexOf(step) !== at);
};

/** Reads the history in memory and in the store. Waits until it has all grants, for at most 6 s. */
async function readSettledHistory(server: TestServer, grants: readonly ReceivedGrant[]) {
  let entries: HistoryEntry[] = [];
  let storedIds: string[] = [];
  await waitUntil(async () => {
    entries = await readHistory(server);
    storedIds = await readStoredIds(server);
    return listLostGrants(grants, entries).length === 0 && storedIds.at(-1) === entries.at(-1)?.id;
  }, 6000).catch(() => undefined);
  return { entries, storedIds };
}

/** Reads the ids of the events in the home store. */
async function readStoredIds(server: TestServer): Promise<string[]> {
  const stream = await server.home.createClient().xrange("{lockkeeper}:events:default", "-", "+");
  return stream.map(([id]) => id);
}

async function startServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const server = await startTestServer({
    ...options,
    environment: { LOCKKEEPER_LOG: "silent", LOCKKEEPER_RATE_LIMIT: "off" },
  });
  onTestFinished(() => server.stop());
  return server;
}

/** Waits until the history has an entry that is newer than this call. */
async function waitUntilRecording(server: TestServer): Promise<void> {
  const since = Date.now();
  await waitUntil(
    async () => ((await server.call("/history?limit=1")).body.items[0]?.at ?? 0) > since,
    30_000,
  );
}

/** The data with which the home store restarts after it was killed. */
type DataAfterKill = "none" | "old snapshot";

interface Loss {
  readonly kills: number;
  readonly hasOwnHome: boolean;
  readonly returnsWith: DataAfterKill;
}

async function killRepeatedly(server: TestServer, { kills, returnsWith }: Loss): Promise<ReceivedGrant[]> {
  const load = startLoad(server);
  for (let kill = 0; kill < kills; kill++) {
    await load.waitForGrants(30);
    await waitUntilRecording(server);
    if (returnsWith === "old snapshot") {
      await server.home.createClient().save();
      await load.waitForGrants(30);
      await waitUntilRecording(server);
    }
    await server.home.kill();
    await server.home.restart();
  }
  await load.waitForGrants(30);
  await waitUntilRecording(server);
  await load.stop();
  return load.grants;
}

test.for<Loss>([
  { kills: 10, hasOwnHome: false, returnsWith: "none" },
  { kills: 2, hasOwnHome: false, returnsWith: "old snapshot" },
  { kills: 2, hasOwnHome: true, returnsWith: "none" },
  { kills: 2, hasOwnHome: true, returnsWith: "old snapshot" },
])(
  "every grant is in the history or in a gap after a home store was killed: %o",
  {
    timeout: TEST_MS,
  },
  async (loss) => {
    const server = await startServer({ hasOwnHome: loss.hasOwnHome });
    const grants = await killRepeatedly(server, loss);
    const { entries, storedIds } = await readSettledHistory(server, grants);
    expect(listLostGrants(grants, entries)).toEqual([]);
    expect(listDuplicates(entries)).toEqual([]);
    expect(storedIds).toEqual(entries.map(({ id }) => id));
    // With a separate home store, the target stays observed while the store is down, so there are no gaps.
    expect(entries.filter(isGap)).toHaveLength(loss.hasOwnHome ? 0 : loss.kills);
  },
);

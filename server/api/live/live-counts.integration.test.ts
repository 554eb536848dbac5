import { expect } from "vitest";
import type { LiveView } from "../../../lib/contract/live.ts";
import { LiveCounts } from "../../../lib/contract/live-counts.ts";
import { applyCounts, type CountSnapshot } from "../../../lib/live/view-counts.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { type TestServer, waitUntil } from "../../../test/support/test-server.ts";
import { type StreamMessage, TestStream } from "../../../test/support/test-stream.ts";

const it = serverTest({ environment: { LOCKKEEPER_WATCH: "lock:*" } });

const NEEDS_ATTENTION = "is:needs_attention";

/** Returns the counts that a browser would show after each message. */
function listSnapshots(messages: readonly StreamMessage[]): CountSnapshot[] {
  let latest: CountSnapshot | undefined;
  return messages
    .filter(({ event }) => event === "counts")
    .map(({ data }) => {
      latest = applyCounts(latest, LiveCounts.parse(data));
      return latest;
    });
}

/** Opens a console stream and sets the counts and namespaces of its view. */
async function openCounts(server: TestServer, view: Pick<LiveView, "counts" | "namespaces">) {
  const stream = await TestStream.open(server, "/live?limit=0");
  await waitUntil(() => stream.messages.some(({ event }) => event === "hello"));
  const id = stream.messages.find(({ event }) => event === "hello")?.data.stream;
  const { status } = await server.call(`/live/${id}`, { method: "POST", body: { limit: 0, ...view } });
  expect(status).toBe(204);
  return stream;
}

it("every counts message agrees with itself while locks come and go", async ({ server }) => {
  const counts = ["", "key:lock:*", NEEDS_ATTENTION, "waiters>0"];
  const { messages, leave } = await openCounts(server, { counts, namespaces: ["", "lock:"] });
  for (let round = 0; round < 30; round++) {
    const key = `lock:n${round % 3}:${round}`;
    const hold = await server.acquire(key, { owner: "me" });
    if (round % 2 === 0) await server.callHold(hold, "release");
  }
  await server.redis.runCli("HSET", "lock:n0:stuck", "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await waitUntil(() => listSnapshots(messages).at(-1)?.held === 16);
  const all = listSnapshots(messages);
  // Messages before the new view and its namespaces are ready contain fewer counts, so they are not checked.
  const snapshots = all.slice(all.findIndex(({ namespaces }) => namespaces.has("lock:n0:")));
  for (const { held, needsAttention, filters, namespaces } of snapshots) {
    const totals = counts.map((filter) => filters.get(filter));
    expect(totals.slice(0, 3)).toEqual([held, held, needsAttention]);
    const branches = [...namespaces.values()].filter(({ name }) => name !== "lock:");
    const sumOf = (field: "holds" | "needsAttention") =>
      branches.reduce((sum, branch) => sum + branch[field], 0);
    const root = namespaces.get("lock:") ?? { holds: 0, needsAttention: 0 };
    expect([root.holds, sumOf("holds")]).toEqual([held, held]);
    expect([root.needsAttention, sumOf("needsAttention")]).toEqual([needsAttention, needsAttention]);
  }
  expect(snapshots.at(-1)).toMatchObject({ needsAttention: 1, waiting: 0 });
  expect(snapshots.at(-1)?.filters.get("waiters>0")).toBe(0);
  leave();
});

it("a namespace that ends is sent once more, with no locks", async ({ server }) => {
  const hold = await server.acquire("lock:gone:1", { owner: "me" });
  const { messages, leave } = await openCounts(server, { namespaces: ["lock:"] });
  const latest = () => listSnapshots(messages).at(-1)?.namespaces.get("lock:gone:")?.holds;
  await waitUntil(() => latest() === 1);
  await server.callHold(hold, "release");
  await waitUntil(() => latest() === 0);
  leave();
});

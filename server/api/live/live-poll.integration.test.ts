import { expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { countOpenStreams } from "../../../test/support/test-stream.ts";

const it = serverTest({
  environment: {
    LOCKKEEPER_WATCH: "lock:*",
    LOCKKEEPER_STREAMS_MAX: "30",
    LOCKKEEPER_STREAMS_PER_CALLER_MAX: "20",
  },
});

it("polls count as streams, so a caller over its limit is refused", async ({ server }) => {
  // A poll does not end before the key has been read. While Redis is frozen, the read gets no reply.
  server.redis.freeze();
  const leave = new AbortController();
  const statuses: number[] = [];
  const poll = async (signal: AbortSignal) => {
    const { status } = await server.fetch("/live?mode=poll&lock=other%3Akey", { signal });
    statuses.push(status);
  };
  const polls = Promise.allSettled(Array.from({ length: 50 }, () => poll(leave.signal)));
  try {
    await waitUntil(() => statuses.includes(429));
    const open = await countOpenStreams(server);
    expect(open).toBeGreaterThan(0);
    expect(open).toBeLessThanOrEqual(20);
  } finally {
    leave.abort();
    server.redis.thaw();
    await polls;
  }
  await waitUntil(async () => (await countOpenStreams(server)) === 0, 20_000);
  await poll(AbortSignal.timeout(5000));
  expect(statuses.at(-1)).toBe(200);
});

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LockkeeperClient } from "../lockkeeper-client.ts";
import { Latch } from "./latch.ts";

const SECOND_MS = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createLatch(respond: (url: URL) => Response | undefined): Latch {
  const send = async (url: string) => {
    const response = respond(new URL(url));
    if (response !== undefined) return response;
    throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") });
  };
  const options = { url: "http://locks.example", apiKey: "lk_a", target: "a b", fetch: send as typeof fetch };
  return new Latch(new LockkeeperClient(options), "latch:a/b");
}

it("a wait outlasts an outage of the server, which ends other requests after 5 s", async () => {
  const until = performance.now() + 20 * SECOND_MS;
  const latch = createLatch(() =>
    performance.now() < until ? undefined : Response.json({ count: 0, asOf: 5 }),
  );
  const [counting, waiting] = [latch.getCount(), latch.await({ waitMs: 60 * SECOND_MS })];
  const refused = expect(counting).rejects.toMatchObject({ code: "unavailable" });
  await vi.advanceTimersByTimeAsync(21 * SECOND_MS);
  await refused;
  await waiting;
});

it("a wait of more than 55 s continues from the time of the last response", async () => {
  const queries: string[] = [];
  const latch = createLatch((url) => {
    queries.push(`${url.pathname}${url.search}`);
    const waitMs = Number(url.searchParams.get("waitMs"));
    vi.advanceTimersByTime(waitMs);
    return Response.json({ count: 2, asOf: 1000 + queries.length });
  });
  await expect(latch.await({ waitMs: 70 * SECOND_MS })).rejects.toMatchObject({
    code: "timeout",
    facts: { asOf: 1002 },
  });
  expect(queries).toEqual([
    "/api/v1/latches/latch%3Aa%2Fb?target=a%20b&waitMs=55000",
    "/api/v1/latches/latch%3Aa%2Fb?target=a%20b&waitMs=15000&openedAfter=1001",
  ]);
});

it("a response without a count is an unexpected response", async () => {
  const latch = createLatch(() => Response.json({ count: "2", asOf: 1 }));
  for (const call of [() => latch.getCount(), () => latch.countDown(), () => latch.trySetCount(1)])
    await expect(call()).rejects.toMatchObject({ code: "unexpected_response" });
});

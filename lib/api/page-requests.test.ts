import { expect, it } from "vitest";
import { createPageFetch } from "./page-requests.ts";
import { Reachability } from "./reachability.ts";

const PAYLOAD = { headers: { rsc: "1", "next-router-state-tree": "x" } };

/** @param replies the result of each request: the status of a response, or `refused` for a failed connection */
function setup(...replies: (number | "refused")[]) {
  const reachability = new Reachability();
  const sent: string[] = [];
  const slept: number[] = [];
  const pageFetch = createPageFetch({
    reachability,
    send: async (input) => {
      sent.push(String(input));
      const reply = replies.shift() ?? 200;
      if (reply === "refused") throw new TypeError("Failed to fetch");
      return new Response("", { status: reply });
    },
    sleep: async (ms) => slept.push(ms),
  });
  return { reachability, sent, slept, pageFetch };
}

it("a page request is repeated until the server answers", async () => {
  const { pageFetch, sent, slept } = setup("refused", 502, 503, "refused", 404);
  expect((await pageFetch("/owners", PAYLOAD)).status).toBe(404);
  expect(sent).toHaveLength(5);
  expect(slept).toEqual([500, 1000, 2000, 4000]);
});

it("a page request is not sent before the server is reachable again", async () => {
  const { pageFetch, sent, reachability } = setup();
  reachability.set(false);
  const pending = pageFetch("/owners", PAYLOAD);
  await Promise.resolve();
  expect(sent).toEqual([]);
  reachability.set(true);
  expect((await pending).status).toBe(200);
});

it("a prefetch is not sent while the server is unreachable, and not repeated", async () => {
  const { pageFetch, sent, reachability } = setup("refused");
  const prefetch = { headers: { ...PAYLOAD.headers, "next-router-prefetch": "1" } };
  await expect(pageFetch("/owners", prefetch)).rejects.toThrow("Failed to fetch");
  reachability.set(false);
  await expect(pageFetch("/owners", prefetch)).rejects.toThrow("unreachable");
  expect(sent).toHaveLength(1);
});

it("other requests and aborted navigations fail at once", async () => {
  const { pageFetch, sent, reachability } = setup("refused", "refused");
  reachability.set(false);
  await expect(pageFetch("/api/v1/session")).rejects.toThrow("Failed to fetch");
  reachability.set(true);
  await expect(pageFetch("/owners", { ...PAYLOAD, signal: AbortSignal.abort() })).rejects.toThrow();
  expect(sent).toHaveLength(2);
});

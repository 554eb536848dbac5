import { expect } from "vitest";
import type { Hold } from "../../../lib/contract/actions/verb.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { changeHoldId, createHoldId } from "../../../test/support/hold-ids.ts";
import {
  createLoginToken,
  createSameOriginHeaders,
  TestBrowser,
} from "../../../test/support/test-browser.ts";
import {
  type ApiReply,
  createBearerHeader,
  startTestServer,
  waitUntil,
} from "../../../test/support/test-server.ts";

const TARGETS = ["one", "two", "frozen"];

const it = serverTest({
  file: (url) => ({
    targets: [
      { name: "one", redis: `${url}/0` },
      { name: "two", redis: `${url}/1`, lockable: ["lock:*"] },
      { name: "frozen", redis: `${url}/2`, readOnly: true },
    ],
  }),
})
  .extend("createKey", { scope: "file" }, ({ server }) => async (name: string, more: object) => {
    const { body } = await server.call("/keys", { body: { name, verbs: ["read", "lock"], ...more } });
    return createBearerHeader(body.secret);
  })
  // Reads, renews and releases a hold, and returns the status and error code of each response.
  .extend("ask", { scope: "file" }, ({ server }) => async (holdId: string, headers?: object, query = "") => {
    const path = `/holds/${holdId}`;
    const replies = [
      await server.call(`${path}${query}`, { headers: { ...headers } }),
      await server.call(`${path}/renew${query}`, { body: {}, headers: { ...headers } }),
      await server.call(`${path}/release${query}`, { body: {}, headers: { ...headers } }),
    ];
    return replies.map(describeRefusal);
  });

it.beforeAll(async ({ server }) => {
  for (const target of TARGETS)
    await waitUntil(async () => (await server.call(`/stats?target=${target}`)).status === 200);
});

const describeRefusal = ({ status, body }: ApiReply) => `${status} ${body.code ?? "done"}`;
const thrice = (said: string) => [said, said, said];

it("a hold is authorized by the key patterns of the API key", async ({ server, createKey, ask }) => {
  const headers = await createKey("orders-alone", { keys: ["lock:orders:*"] });
  const outside = await server.acquire("lock:salaries:1");
  expect(await ask(outside.holdId, headers)).toEqual(thrice("403 forbidden"));
  const inside = await server.acquire("lock:orders:1", {}, headers);
  expect(await ask(inside.holdId, headers)).toEqual(thrice("200 done"));
  // The key in the holdId determines the required access, even if the rest of the holdId belongs to an allowed hold.
  const moved = changeHoldId(inside.holdId, { key: "lock:salaries:1" });
  expect(await ask(moved, headers)).toEqual(thrice("403 forbidden"));
});

it("a hold is authorized at the target that its holdId names", async ({ server, createKey, ask }) => {
  const headers = await createKey("one-alone", { targets: ["one"] });
  const { body: hold } = await server.call("/locks/lock%3Aa/acquire?target=two", { body: {} });
  expect(hold.target).toBe("two");
  expect(await ask(hold.holdId, headers)).toEqual(thrice("403 forbidden"));
  expect(await ask(changeHoldId(hold.holdId, { target: "one" }), headers)).toEqual([
    "200 done",
    "410 lost",
    "200 done",
  ]);
  expect((await server.readHold(hold)).body).toMatchObject({ target: "two", held: true });
});

it("a target that does not exist is not_found, and one that the query contradicts is invalid", async ({
  ask,
}) => {
  expect(await ask(createHoldId({ target: "three" }))).toEqual(thrice("404 not_found"));
  const holdId = createHoldId({ target: "one" });
  expect(await ask(holdId, {}, "?target=two")).toEqual(thrice("400 invalid_hold_id"));
  expect(await ask(holdId, {}, "?target=one")).toEqual(["200 done", "410 lost", "200 done"]);
});

it("a re-entry takes a hold of its own target only", async ({ server }) => {
  const { body: hold } = await server.call("/locks/lock%3Ab/acquire?target=two", { body: {} });
  const ask = { body: { reenter: hold.holdId }, headers: { "idempotency-key": "a" } };
  expect(describeRefusal(await server.call("/locks/lock%3Ab/acquire", ask))).toBe("400 invalid_hold_id");
  expect((await server.call("/locks/lock%3Ab/acquire?target=two", ask)).body.count).toBe(2);
});

it("a hold of a read-only target can be read and not changed", async ({ ask }) => {
  expect(await ask(createHoldId({ target: "frozen" }))).toEqual([
    "200 done",
    "403 read_only",
    "403 read_only",
  ]);
});

it("a hold of a key that may not be locked is refused", async ({ ask }) => {
  expect(await ask(createHoldId({ target: "two", key: "cache:1" }))).toEqual(thrice("422 key_not_allowed"));
});

it("a hold asks for credentials before anything else", async ({ server }) => {
  for (const holdId of [createHoldId({ target: "one" }), createHoldId({ target: "three" }), "nothing"])
    expect(describeRefusal(await server.callAnonymously(`/holds/${holdId}`))).toBe("401 unauthenticated");
});

it("a browser acquires, renews and releases as its operator, from the console's own pages only", async ({
  server,
}) => {
  const browser = new TestBrowser(server);
  await browser.logIn({ token: await createLoginToken(server, "mei", { "*": "admin" }) });
  const cookie = { cookie: browser.cookie ?? "" };
  const headers = { ...cookie, ...createSameOriginHeaders(server.url) };
  const acquired = await server.callAnonymously("/locks/lock%3Amei/acquire", { body: {}, headers });
  const hold: Hold = acquired.body;
  expect([acquired.status, hold.owner]).toEqual([201, "mei"]);
  const path = `/holds/${hold.holdId}`;
  for (const verb of ["renew", "release"]) {
    const foreign = { ...cookie, origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    const refused = await server.callAnonymously(`${path}/${verb}`, { body: {}, headers: foreign });
    expect(describeRefusal(refused)).toBe("403 forbidden");
  }
  expect((await server.callAnonymously(path, { headers: cookie })).body.held).toBe(true);
  const released = await server.callAnonymously(`${path}/release`, { body: {}, headers });
  expect(released.body.outcome).toBe("released");
});

it("requests about holds count towards the caller's rate limit", async ({ onTestFinished }) => {
  const server = await startTestServer({ environment: { LOCKKEEPER_RATE_LIMIT: "1/5" } });
  onTestFinished(() => server.stop());
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => server.readHold({ holdId: createHoldId() })),
  );
  expect(replies.map(describeRefusal)).toContain("429 rate_limited");
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT_KEY, startTestServer, type TestServer } from "../../../test/support/test-server.ts";

let one: TestServer;
let other: TestServer;

beforeAll(async () => {
  one = await startTestServer();
  // Another instance with the same home store.
  other = await startTestServer({ environment: { REDIS_URL: one.redis.url } });
});
afterAll(async () => await Promise.all([one.stop(), other.stop()]));

const createInput = (name: string) => ({ name, verbs: ["read"], keys: ["lock:*"] });
const createIdHeader = (id: string) => ({ "idempotency-key": id });

function createKey(server: TestServer, name: string, id: string) {
  return server.call("/keys", { body: createInput(name), headers: createIdHeader(id) });
}

it("a repeated key creation returns the same key on every instance and is audited once", async () => {
  const [name, id] = [`app-${randomUUID()}`, randomUUID()];
  const together = await Promise.all([one, other, one, other].map((server) => createKey(server, name, id)));
  const later = await createKey(other, name, id);
  const [first] = together;
  expect([...together, later].map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(new Set([...together, later].map(({ body }) => body.secret))).toEqual(new Set([first?.body.secret]));
  const { body: list } = await one.call("/keys");
  expect(list.items.filter((key: { name: string }) => key.name === name)).toHaveLength(1);
  const { body: audit } = await one.call("/audit?action=key-make&limit=50");
  const entries = JSON.stringify(audit.items).split(name).length - 1;
  expect(entries).toBeLessThanOrEqual(2);
  expect(entries).toBeGreaterThan(0);
});

it("a stored response reveals no secret to the store", async () => {
  const [name, id] = [`app-${randomUUID()}`, randomUUID()];
  const { body } = await createKey(one, name, id);
  const direct = one.redis.createClient();
  const kept = await Promise.all((await direct.keys("{lockkeeper}:answer:*")).map((key) => direct.get(key)));
  expect(kept.length).toBeGreaterThan(0);
  for (const secret of [body.secret, id]) expect(kept.join("\n")).not.toContain(secret);
  expect(kept.join("\n")).not.toContain(Buffer.from(body.secret).toString("base64").slice(0, 20));
});

it("a repeated rotation returns the same secret, and the one before stays valid", async () => {
  const { body: made } = await createKey(one, `app-${randomUUID()}`, randomUUID());
  const rotate = (server: TestServer, id: string) =>
    server.call(`/keys/${made.id}/rotate`, { body: { overlapMs: 3_600_000 }, headers: createIdHeader(id) });
  const id = randomUUID();
  const first = await rotate(one, id);
  expect((await rotate(other, id)).body.secret).toBe(first.body.secret);
  for (const secret of [made.secret, first.body.secret]) {
    const { status } = await one.call("/locks", { headers: { authorization: `Bearer ${secret}` } });
    expect(status).toBe(200);
  }
});

it("a reused request id is rejected, a certain failure can be retried, and ids are per caller", async () => {
  const id = randomUUID();
  expect((await one.call("/keys/unknown/rotate", { body: {}, headers: createIdHeader(id) })).status).toBe(
    404,
  );
  const name = `app-${randomUUID()}`;
  expect((await createKey(one, name, id)).status).toBe(200);
  const reused = await createKey(one, `${name}-2`, id);
  expect([reused.status, reused.body.code]).toEqual([409, "request_id_reused"]);
  const { body: admin } = await one.call("/keys", {
    body: { name: `admin-${randomUUID()}`, verbs: ["read", "lock", "force", "admin"] },
  });
  const own = await one.call("/keys", {
    body: createInput(`${name}-3`),
    headers: { ...createIdHeader(id), authorization: `Bearer ${admin.secret}` },
  });
  expect([own.status, own.body.name]).toEqual([200, `${name}-3`]);
  expect(own.body.secret).not.toContain(ROOT_KEY);
});

it("a stored response is returned only to the credentials that first received it", async () => {
  const { body: admin } = await one.call("/keys", {
    body: { name: `admin-${randomUUID()}`, verbs: ["read", "lock", "force", "admin"] },
  });
  const ask = (secret: string, name: string) =>
    one.call("/keys", {
      body: createInput(name),
      headers: { ...createIdHeader("1"), authorization: `Bearer ${secret}` },
    });
  const name = `app-${randomUUID()}`;
  const made = await ask(admin.secret, name);
  expect((await ask(admin.secret, name)).body.secret).toBe(made.body.secret);
  const { body: rotated } = await one.call(`/keys/${admin.id}/rotate`, { body: { overlapMs: 60_000 } });
  const again = await ask(rotated.secret, name);
  expect([again.status, again.body.code]).toEqual([503, "unknown_outcome"]);
});

it("a repeated request whose first attempt never completed returns unknown_outcome", async () => {
  const [name, id] = [`app-${randomUUID()}`, randomUUID()];
  await createKey(one, name, id);
  const direct = one.redis.createClient();
  for (const key of await direct.keys("{lockkeeper}:answer:*")) {
    const { sealed, ...begun } = JSON.parse((await direct.get(key)) ?? "{}");
    await direct.set(key, JSON.stringify(begun), "KEEPTTL");
  }
  const again = await createKey(other, name, id);
  expect([again.status, again.body.code]).toEqual([503, "unknown_outcome"]);
});

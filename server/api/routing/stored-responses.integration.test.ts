import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createBearerHeader, ROOT_KEY, type TestServer } from "../../../test/support/test-server.ts";

const it = serverTest();

const createInput = (name: string) => ({ name, verbs: ["read"], keys: ["lock:*"] });
const createIdHeader = (id: string) => ({ "idempotency-key": id });

function createKey(server: TestServer, name: string, id: string) {
  return server.call("/keys", { body: createInput(name), headers: createIdHeader(id) });
}

it("a repeated key creation returns the same key on every instance and is audited once", async ({
  server,
  other,
}) => {
  const [name, id] = [`app-${randomUUID()}`, randomUUID()];
  const together = await Promise.all([server, other, server, other].map((at) => createKey(at, name, id)));
  const later = await createKey(other, name, id);
  const [first] = together;
  expect([...together, later].map(({ status }) => status)).toEqual(Array(5).fill(201));
  expect(new Set([...together, later].map(({ body }) => body.secret))).toEqual(new Set([first?.body.secret]));
  const { body: list } = await server.call("/keys");
  expect(list.items.filter((key: { name: string }) => key.name === name)).toHaveLength(1);
  const { body: audit } = await server.call("/audit?action=create_api_key&limit=50");
  const entries = JSON.stringify(audit.items).split(name).length - 1;
  expect(entries).toBeLessThanOrEqual(2);
  expect(entries).toBeGreaterThan(0);
});

it("a stored response reveals no secret to the store", async ({ server, direct }) => {
  const [name, id] = [`app-${randomUUID()}`, randomUUID()];
  const { body } = await createKey(server, name, id);
  const kept = await Promise.all((await direct.keys("{lockkeeper}:answer:*")).map((key) => direct.get(key)));
  expect(kept.length).toBeGreaterThan(0);
  for (const secret of [body.secret, id]) expect(kept.join("\n")).not.toContain(secret);
  expect(kept.join("\n")).not.toContain(Buffer.from(body.secret).toString("base64").slice(0, 20));
});

it("a repeated rotation returns the same secret, and the one before stays valid", async ({
  server,
  other,
}) => {
  const { body: made } = await createKey(server, `app-${randomUUID()}`, randomUUID());
  const rotate = (at: TestServer, id: string) =>
    at.call(`/keys/${made.id}/rotate`, { body: { overlapMs: 3_600_000 }, headers: createIdHeader(id) });
  const id = randomUUID();
  const first = await rotate(server, id);
  expect((await rotate(other, id)).body.secret).toBe(first.body.secret);
  for (const secret of [made.secret, first.body.secret]) {
    const { status } = await server.call("/locks", { headers: createBearerHeader(secret) });
    expect(status).toBe(200);
  }
});

it("a reused request id is rejected, a certain failure can be retried, and ids are per caller", async ({
  server,
}) => {
  const id = randomUUID();
  expect((await server.call("/keys/unknown/rotate", { body: {}, headers: createIdHeader(id) })).status).toBe(
    404,
  );
  const name = `app-${randomUUID()}`;
  expect((await createKey(server, name, id)).status).toBe(201);
  const reused = await createKey(server, `${name}-2`, id);
  expect([reused.status, reused.body.code]).toEqual([422, "idempotency_key_reused"]);
  const { body: admin } = await server.call("/keys", {
    body: { name: `admin-${randomUUID()}`, verbs: ["read", "lock", "force", "admin"] },
  });
  const own = await server.call("/keys", {
    body: createInput(`${name}-3`),
    headers: { ...createIdHeader(id), ...createBearerHeader(admin.secret) },
  });
  expect([own.status, own.body.name]).toEqual([201, `${name}-3`]);
  expect(own.body.secret).not.toContain(ROOT_KEY);
});

it("a stored response is returned only to the credentials that first received it", async ({ server }) => {
  const { body: admin } = await server.call("/keys", {
    body: { name: `admin-${randomUUID()}`, verbs: ["read", "lock", "force", "admin"] },
  });
  const ask = (secret: string, name: string) =>
    server.call("/keys", {
      body: createInput(name),
      headers: { ...createIdHeader("1"), ...createBearerHeader(secret) },
    });
  const name = `app-${randomUUID()}`;
  const made = await ask(admin.secret, name);
  expect((await ask(admin.secret, name)).body.secret).toBe(made.body.secret);
  const { body: rotated } = await server.call(`/keys/${admin.id}/rotate`, { body: { overlapMs: 60_000 } });
  const again = await ask(rotated.secret, name);
  expect([again.status, again.body.code]).toEqual([503, "unknown_outcome"]);
});

it("a repeated request whose first attempt never completed returns unknown_outcome", async ({
  server,
  other,
  direct,
}) => {
  const [name, id] = [`app-${randomUUID()}`, randomUUID()];
  await createKey(server, name, id);
  for (const key of await direct.keys("{lockkeeper}:answer:*")) {
    const { sealed, ...begun } = JSON.parse((await direct.get(key)) ?? "{}");
    await direct.set(key, JSON.stringify(begun), "KEEPTTL");
  }
  const again = await createKey(other, name, id);
  expect([again.status, again.body.code]).toEqual([503, "unknown_outcome"]);
});

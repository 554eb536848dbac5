import { expect } from "vitest";
import { VIEWS_MAX } from "../../../lib/contract/limits.ts";
import type { View } from "../../../lib/contract/view.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createLoginToken, TestBrowser } from "../../../test/support/test-browser.ts";
import { createBearerHeader, waitUntil } from "../../../test/support/test-server.ts";

const it = serverTest().extend(
  "logInAs",
  { scope: "file" },
  ({ server }) =>
    async (name: string, role: "viewer" | "operator" | "admin", at = server) => {
      const browser = new TestBrowser(at);
      const token = await createLoginToken(server, name, { "*": role });
      expect((await browser.logIn({ token })).status).toBe(200);
      return browser;
    },
);

const saveView = (browser: TestBrowser, id: string, body: object) =>
  browser.send(`/views/${id}`, { method: "PUT", body });
const formatViewNames = (items: readonly View[]) => items.map(({ name, of }) => `${name} of ${of}`);
const listViews = async (browser: TestBrowser) => formatViewNames((await browser.send("/views")).body.items);

it("saved views are kept per user and in order, in every browser and on every instance", async ({
  other,
  logInAs,
}) => {
  const mei = await logInAs("mei", "viewer");
  const payments = {
    name: "payments EU",
    filter: 'key:="lock:a b" held>1m',
    sort: "-held",
    columns: ["key", "held:120"],
  };
  const { body } = await saveView(mei, "payments-eu", payments);
  expect(body.items).toEqual([{ id: "payments-eu", ...payments, of: "me", by: "mei", mayChange: true }]);
  await saveView(mei, "second-one", { name: "second", filter: "waiters>0" });
  await saveView(mei, "third-one", { name: "third", filter: "", place: 0 });
  expect(await listViews(mei)).toEqual(["third of me", "payments EU of me", "second of me"]);
  // A renamed view keeps its place, and another browser of the same operator shows the change.
  await saveView(mei, "payments-eu", { ...payments, name: "payments" });
  await saveView(mei, "third-one", { name: "third", filter: "", place: 2 });
  const again = await logInAs("mei", "viewer", other);
  expect(await listViews(again)).toEqual(["payments of me", "second of me", "third of me"]);
  expect((await again.send("/views/second-one", { method: "DELETE" })).status).toBe(204);
  expect((await again.send("/views/second-one", { method: "DELETE" })).body.code).toBe("not_found");
  expect(await listViews(mei)).toEqual(["payments of me", "third of me"]);
  expect(await listViews(await logInAs("noor", "admin"))).toEqual([]);
});

it("views saved concurrently are all kept, up to the limit", async ({ other, logInAs }) => {
  const [here, there] = [await logInAs("zoe", "viewer"), await logInAs("zoe", "viewer", other)];
  const ids = Array.from({ length: VIEWS_MAX }, (_, n) => `view-${n}-of-many`);
  await Promise.all(ids.map((id, n) => saveView(n % 2 === 0 ? here : there, id, { name: id, filter: "" })));
  expect((await listViews(here)).sort()).toEqual(ids.map((id) => `${id} of me`).sort());
  const { status, body } = await saveView(here, "one-too-many", { name: "one too many", filter: "" });
  expect([status, body.code, body.detail]).toEqual([
    400,
    "invalid",
    expect.stringContaining("has been reached"),
  ]);
  expect((await saveView(here, "view-0-of-many", { name: "still changed", filter: "" })).status).toBe(200);
});

it("team views are visible to all who may read all locks, and changed by their author or an admin", async ({
  server,
  logInAs,
}) => {
  const [ben, viewer, colleague] = [
    await logInAs("ben", "operator"),
    await logInAs("vera", "viewer"),
    await logInAs("cleo", "operator"),
  ];
  const stuck = { name: "stuck", filter: "is:needs_attention waiters>0" };
  await saveView(ben, "stuck-ones", stuck);
  expect((await saveView(ben, "stuck-ones", { ...stuck, of: "team" })).body.items).toHaveLength(1);
  expect(await listViews(ben)).toEqual(["stuck of team"]);
  expect((await viewer.send("/views")).body.items).toEqual([
    { id: "stuck-ones", ...stuck, of: "team", by: "ben", mayChange: false },
  ]);
  expect((await saveView(viewer, "by-a-viewer", { ...stuck, of: "team" })).body.code).toBe("forbidden");
  expect(
    (await saveView(colleague, "stuck-ones", { ...stuck, name: "mine now", of: "team" })).body.code,
  ).toBe("forbidden");
  expect((await colleague.send("/views/stuck-ones", { method: "DELETE" })).body.code).toBe("forbidden");
  // A view of the colleague with this id would be ambiguous, because the shared view already has the id.
  expect((await saveView(colleague, "stuck-ones", stuck)).body.code).toBe("forbidden");
  expect(await listViews(colleague)).toEqual(["stuck of team"]);
  // Filters of views can contain keys, so callers with access to only some keys cannot read views.
  const { body } = await server.call("/keys", {
    body: { name: "orders-alone", verbs: ["read", "force"], targets: ["*"], keys: ["lock:orders:*"] },
  });
  const headers = createBearerHeader(body.secret);
  expect((await server.call("/views", { headers })).body.items).toEqual([]);
  expect(
    (await server.call("/views/by-some-key", { method: "PUT", headers, body: { ...stuck, of: "team" } }))
      .status,
  ).toBe(403);
  expect((await saveView(ben, "stuck-ones", stuck)).body.items).toMatchObject([{ of: "me" }]);
  expect(await listViews(viewer)).toEqual([]);
  await saveView(ben, "stuck-ones", { ...stuck, of: "team" });
  const admin = await logInAs("ada", "admin");
  expect((await admin.send("/views/stuck-ones", { method: "DELETE" })).status).toBe(204);
  expect(await listViews(ben)).toEqual([]);
});

it.for([
  ["a blank view name", { name: "  ", filter: "" }, /^Body, name: must have 1 to 60 visible/],
  ["a view name with a direction override", { name: "a\u202eb", filter: "" }, /visible characters/],
  [
    "a view filter with an invalid comparison",
    { name: "a", filter: "held>soon" },
    /held must be compared with a time/,
  ],
  ["an unknown sort order", { name: "a", filter: "", sort: "size" }, /sort: must be one of/],
  ["an invalid column name", { name: "a", filter: "", columns: ["<b>"] }, /must be the name of a column/],
] as const)("%s is rejected with what is allowed", async ([_, body, why], { server }) => {
  const { status, body: problem } = await server.call("/views/some-view", { method: "PUT", body });
  expect([status, problem.code, problem.detail]).toEqual([400, "invalid", expect.stringMatching(why)]);
  expect((await server.call("/views")).body.items).toEqual([]);
});

it("an invalid view id is rejected, and damaged stored views are left out", async ({ server, direct }) => {
  expect((await server.call("/views/short", { method: "PUT", body: { name: "a", filter: "" } })).status).toBe(
    400,
  );
  await direct.set(
    "{lockkeeper}:views:root",
    '[{"id":"x"},7,{"id":"good-one","name":"good","filter":"","by":"a","who":"root"}]',
  );
  expect(formatViewNames((await server.call("/views")).body.items)).toEqual(["good of me"]);
  await direct.set("{lockkeeper}:views:root", "no JSON");
  expect((await server.call("/views")).body.items).toEqual([]);
  await direct.del("{lockkeeper}:views:root");
});

it("views are removed with their operator, and a new one of that name has none", async ({
  server,
  direct,
}) => {
  const operator = { name: "temp", roles: { "*": "viewer" }, password: "correct horse battery" };
  // Simulates the views of an earlier operator with the same name, who was removed while the store was unreachable.
  await direct.set("{lockkeeper}:views:operator:temp", "[]");
  await server.call("/operators", { body: operator });
  const browser = new TestBrowser(server);
  await browser.logIn({ name: operator.name, password: operator.password });
  expect(await direct.exists("{lockkeeper}:views:operator:temp")).toBe(0);
  await saveView(browser, "one-of-temp", { name: "old", filter: "" });
  expect(await direct.exists("{lockkeeper}:views:operator:temp")).toBe(1);
  expect((await server.call("/operators/temp", { method: "DELETE" })).status).toBe(204);
  expect(await direct.exists("{lockkeeper}:views:operator:temp")).toBe(0);
});

it("saving a view is audited with who and what", async ({ server, logInAs }) => {
  const eve = await logInAs("eve", "viewer");
  await saveView(eve, "seen-in-audit", { name: "seen", filter: "host:pod-9" });
  const audit = async () => (await server.call("/audit?action=save_view&who=eve&outcome=done")).body.items;
  await waitUntil(async () => (await audit()).length === 1);
  expect((await audit())[0]).toMatchObject({
    who: { name: "eve" },
    details: { name: "seen", filter: "host:pod-9" },
  });
});

it("a viewer cannot fill the audit log", async ({ server, logInAs }) => {
  const flood = await logInAs("flood", "viewer");
  const remove = (id: string) => flood.send(`/views/${id}`, { method: "DELETE" });
  expect(await remove("x".repeat(300))).toMatchObject({ status: 400 });
  const replies = await Promise.all(Array.from({ length: 130 }, (_, n) => remove(`unknown-${n}`)));
  const statuses = replies.map(({ status }) => status);
  expect(statuses).toContain(429);
  const { items } = (await server.call("/audit?action=delete_view&who=flood&limit=500")).body;
  expect(items.length).toBe(statuses.filter((status) => status === 404).length);
});

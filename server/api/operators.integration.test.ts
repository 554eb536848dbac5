import { describe, expect } from "vitest";
import { ACCESS_OF_ROLE, type Roles } from "../../lib/contract/access.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { TestBrowser } from "../../test/support/test-browser.ts";
import { createBearerHeader, startTestServer, waitUntil } from "../../test/support/test-server.ts";
import { hashSha256 } from "../auth/secret.ts";

const PASSWORD = "correct horse battery";

let createdCount = 0;

const it = serverTest({
  environment: { LOCKKEEPER_OPERATOR: "first", LOCKKEEPER_OPERATOR_PASSWORD: PASSWORD },
})
  .extend("createOperator", { scope: "file" }, ({ server }) => async (roles: Roles) => {
    const name = `operator-${++createdCount}`;
    const { status } = await server.call("/operators", { body: { name, roles, password: PASSWORD } });
    expect(status).toBe(201);
    return name;
  })
  .extend("logInAs", { scope: "file" }, ({ server }) => async (name: string, at = server) => {
    const browser = new TestBrowser(at);
    expect((await browser.logIn({ name, password: PASSWORD })).status).toBe(200);
    return browser;
  });

// All tests log in from the same address, so its rate limit is reset after each test.
it.afterEach(async ({ direct }) => {
  for (const key of await direct.keys("{lockkeeper}:tries:*")) await direct.del(key);
});

/** Returns the access to the target that the `hello` message of a console stream states. */
function readStatedAccess(stream: string): string[] {
  const hello = /^event: hello\ndata: (.*)$/m.exec(stream)?.[1] ?? "null";
  return JSON.parse(hello).operator.may;
}

const reserveLock = (browser: TestBrowser) =>
  browser.send(`/locks/lock:${++createdCount}/reserve`, { body: { reservedMs: 60_000 } });

describe("operators", () => {
  it("an operator logs in by name and password with the permissions of the roles", async ({
    server,
    createOperator,
    logInAs,
  }) => {
    const name = await createOperator({ "*": "viewer" });
    const browser = await logInAs(name);
    const session = (await browser.send("/session")).body;
    expect(session).toEqual({
      name,
      roles: { "*": "viewer" },
      via: "password",
      expiresAt: expect.any(Number),
    });
    expect((await browser.send("/locks")).status).toBe(200);
    expect((await reserveLock(browser)).body.code).toBe("forbidden");
    expect((await browser.send("/operators")).body.code).toBe("forbidden");
    const { body } = await server.call(`/operators/${name}`);
    expect(body).toMatchObject({ password: "set", createdBy: "key:root", lastLoginAt: expect.any(Number) });
    expect(JSON.stringify(body)).not.toContain("argon2");
  });

  it("an operator's logins are limited, and those beyond the limit share an audit entry", async ({
    server,
    createOperator,
  }) => {
    const [name, colleague] = [await createOperator({ "*": "viewer" }), await createOperator({})];
    const logIn = (as: string) => new TestBrowser(server).logIn({ name: as, password: PASSWORD });
    const statuses: number[] = [];
    // The limit permits another login every 2 s, so the number of successful logins depends on their duration.
    while (statuses.filter((status) => status === 429).length < 3 && statuses.length < 200)
      statuses.push((await logIn(name)).status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(50);
    expect(statuses.slice(0, 50)).not.toContain(429);
    expect(statuses).toContain(429);
    expect((await logIn(colleague)).status).toBe(200);
    const { items } = (await server.call("/audit?action=login&outcome=rate_limited&limit=10")).body;
    expect(items.length).toBeLessThanOrEqual(2);
    expect(items[0].triedNames).toEqual([name]);
  }, 60_000);

  it("an operator's password is stored as an argon2id hash only", async ({ direct, createOperator }) => {
    const stored = await direct.hget("{lockkeeper}:accounts", `operator:${await createOperator({})}`);
    expect(stored).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(stored).not.toContain(PASSWORD);
  });

  it("a role change applies to all sessions of an operator within 2 s", async ({
    server,
    other,
    createOperator,
    logInAs,
  }) => {
    const name = await createOperator({ "*": "operator" });
    const browser = await logInAs(name, other);
    expect((await reserveLock(browser)).status).toBe(200);
    await server.call(`/operators/${name}`, { method: "PATCH", body: { roles: { "*": "viewer" } } });
    await waitUntil(async () => (await reserveLock(browser)).status === 403, 2000);
    expect((await browser.send("/locks")).status).toBe(200);
    await server.call(`/operators/${name}`, { method: "PATCH", body: { roles: {} } });
    await waitUntil(async () => (await browser.send("/locks")).status === 403, 2000);
  });

  it.for([
    ["disabled", "PATCH", { state: "disabled" }],
    ["removed", "DELETE", undefined],
  ] as const)(
    "an operator that is %s loses all sessions and streams within 2 s",
    async ([_, method, body], { server, other, createOperator, logInAs }) => {
      const name = await createOperator({ "*": "viewer" });
      const browser = await logInAs(name, other);
      const stream = await fetch(`${other.url}/api/v1/live`, { headers: { cookie: browser.cookie ?? "" } });
      const streamed = stream.text();
      const begun = performance.now();
      await server.call(`/operators/${name}`, { method, body });
      await streamed;
      expect((await browser.send("/session")).status).toBe(401);
      expect(performance.now() - begun).toBeLessThan(2000);
      expect((await new TestBrowser(server).logIn({ name, password: PASSWORD })).status).toBe(401);
    },
  );

  it.for([
    ["promoted", "viewer", "operator"],
    ["demoted", "admin", "viewer"],
  ] as const)(
    "the console stream of an operator that is %s ends within 2 s, and the next one states the new access",
    async ([_, before, after], { server, other, createOperator, logInAs }) => {
      const name = await createOperator({ "*": before });
      const browser = await logInAs(name, other);
      const openStream = (mode: "stream" | "poll") =>
        fetch(`${other.url}/api/v1/live?mode=${mode}`, { headers: { cookie: browser.cookie ?? "" } });
      const streamed = (await openStream("stream")).text();
      const begun = performance.now();
      await server.call(`/operators/${name}`, { method: "PATCH", body: { roles: { "*": after } } });
      expect(readStatedAccess(await streamed)).toEqual(ACCESS_OF_ROLE[before]);
      expect(performance.now() - begun).toBeLessThan(2000);
      expect(readStatedAccess(await (await openStream("poll")).text())).toEqual(ACCESS_OF_ROLE[after]);
    },
  );

  it("the console stream of an operator stays open if other access changes", async ({
    server,
    createOperator,
    logInAs,
  }) => {
    const browser = await logInAs(await createOperator({ "*": "viewer" }));
    const someone = await createOperator({ "*": "viewer" });
    const stream = await fetch(`${server.url}/api/v1/live`, { headers: { cookie: browser.cookie ?? "" } });
    for (const roles of [{ "*": "operator" }, { "*": "viewer" }])
      await server.call(`/operators/${someone}`, { method: "PATCH", body: { roles } });
    // Every check of a stream that remains open sends a keep-alive. Each change of an account starts a check.
    const countChecks = () => text.split(": keep-alive").length - 1;
    let text = "";
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (countChecks() >= 2) break;
    }
    expect(countChecks()).toBeGreaterThanOrEqual(2);
  });

  it("an operator changes the password with the old one, which ends all other sessions", async ({
    server,
    other,
    createOperator,
    logInAs,
  }) => {
    const name = await createOperator({ "*": "viewer" });
    const [browser, elsewhere] = [await logInAs(name), await logInAs(name, other)];
    const set = (body: object) => browser.send(`/operators/${name}/password`, { body });
    const password = "a longer battery staple";
    expect((await set({ password })).body).toMatchObject({ code: "invalid", field: "old" });
    expect((await set({ password, old: "not the old one" })).body).toMatchObject({
      code: "invalid",
      field: "old",
    });
    expect((await set({ password: "short", old: PASSWORD })).body.code).toBe("invalid");
    const someone = await createOperator({ "*": "viewer" });
    const others = await browser.send(`/operators/${someone}/password`, {
      body: { password, old: PASSWORD },
    });
    expect(others.body.code).toBe("forbidden");
    expect((await set({ password, old: PASSWORD })).status).toBe(204);
    expect((await browser.send("/session")).status).toBe(200);
    await waitUntil(async () => (await elsewhere.send("/session")).status === 401);
    expect((await new TestBrowser(server).logIn({ name, password: PASSWORD })).status).toBe(401);
    expect((await new TestBrowser(server).logIn({ name, password })).status).toBe(200);
  });

  it.for([
    ["another password", "POST", "/password", { password: "a longer battery staple" }],
    ["being disabled", "PATCH", "", { state: "disabled" }],
  ] as const)(
    "a session from before %s is invalid even if the store has it again",
    async ([_, method, path, body], { server, other, direct, createOperator, logInAs }) => {
      const name = await createOperator({ "*": "viewer" });
      const browser = await logInAs(name);
      const key = `{lockkeeper}:session:${hashSha256(browser.cookie?.split("=")[1] ?? "")}`;
      const record = (await direct.get(key)) ?? "";
      expect((await server.call(`/operators/${name}${path}`, { method, body })).status).toBeLessThan(300);
      await direct.set(key, record, "PX", 60_000);
      for (const at of [server, other]) {
        const again = new TestBrowser(at);
        again.setCookie(browser.cookie?.replace(/_\d+=/, `_${new URL(at.url).port}=`));
        await waitUntil(async () => (await again.send("/session")).status === 401);
      }
    },
  );

  it("an admin sets an operator's password only within their own permissions", async ({
    server,
    createOperator,
  }) => {
    const name = await createOperator({ "*": "admin" });
    const key = (await server.call("/keys", { body: { name: "weak", verbs: ["admin", "read"] } })).body;
    const weak = createBearerHeader(key.secret);
    const body = { password: "a longer battery staple" };
    expect((await server.call(`/operators/${name}/password`, { body, headers: weak })).status).toBe(403);
    const raised = { name: "raised", roles: { "*": "operator" } };
    expect((await server.call("/operators", { body: raised, headers: weak })).status).toBe(403);
    const lowly = { name: "lowly", roles: { "*": "viewer" } };
    expect((await server.call("/operators", { body: lowly, headers: weak })).status).toBe(201);
    expect((await server.call(`/operators/${name}/password`, { body })).status).toBe(204);
    expect((await new TestBrowser(server).logIn({ name, ...body })).status).toBe(200);
  });

  it("the last admin of all targets cannot be demoted, disabled or removed", async ({
    server,
    createOperator,
  }) => {
    const { body } = await server.call("/operators");
    for (const { name } of body.items)
      if (name !== "first") await server.call(`/operators/${name}`, { method: "DELETE" });
    const last = async (method: string, body?: object) =>
      (await server.call("/operators/first", { method, body })).body.code;
    expect(await last("PATCH", { roles: { "*": "admin", default: "viewer" } })).toBe("last_admin");
    expect(await last("PATCH", { state: "disabled" })).toBe("last_admin");
    expect(await last("DELETE")).toBe("last_admin");
    await createOperator({ "*": "admin" });
    expect(await last("PATCH", { state: "disabled" })).toBeUndefined();
    expect(await last("PATCH", { state: "enabled" })).toBeUndefined();
  });

  it("an operator needs a unique name and roles at known targets", async ({ server }) => {
    const refused = async (body: object) => (await server.call("/operators", { body })).body;
    expect(await refused({ name: "FIRST", roles: {} })).toMatchObject({
      code: "already_exists",
      field: "name",
    });
    expect(await refused({ name: "x", roles: { nowhere: "viewer" } })).toMatchObject({ field: "roles" });
    expect(await refused({ name: "key:root", roles: {} })).toMatchObject({ code: "invalid" });
    expect((await server.call("/operators/nobody")).status).toBe(404);
  });
});

describe("browser sessions", () => {
  it("sessions are listed and ended by their user or an admin, and their id is not the secret", async ({
    server,
    other,
    createOperator,
    logInAs,
  }) => {
    const name = await createOperator({ "*": "viewer" });
    const mine = new TestBrowser(server, { "user-agent": `<b>\u0085${"x".repeat(500)}` });
    await mine.logIn({ name, password: PASSWORD });
    const [elsewhere, stranger] = [
      await logInAs(name, other),
      await logInAs(await createOperator({ "*": "viewer" })),
    ];
    const { items } = (await mine.send("/browser-sessions")).body;
    expect(items.map((item: { name: string }) => item.name)).toEqual([name, name]);
    const [current, another] = [true, false].map((which) =>
      items.find((item: { current: boolean }) => item.current === which),
    );
    expect(current).toMatchObject({ via: "password", address: "127.0.0.1" });
    expect(current.userAgent).toBe(`<b>${"x".repeat(197)}`);
    const secret = mine.cookie?.split("=")[1] ?? "";
    expect(JSON.stringify(items)).not.toContain(secret);
    const stream = await fetch(`${other.url}/api/v1/live`, { headers: { cookie: elsewhere.cookie ?? "" } });
    const streamed = stream.text();
    const end = (by: TestBrowser) => by.send(`/browser-sessions/${another.id}`, { method: "DELETE" });
    expect((await end(stranger)).status).toBe(404);
    expect((await end(mine)).status).toBe(204);
    await streamed;
    await waitUntil(async () => (await elsewhere.send("/session")).status === 401);
    const all = (await server.call("/browser-sessions")).body.items;
    expect(new Set(all.map((item: { name: string }) => item.name)).size).toBeGreaterThan(1);
    expect((await server.call(`/browser-sessions/${current.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await mine.send("/session")).status).toBe(401);
  });

  it("a login always creates a new session, and a planted cookie stays worthless", async ({
    server,
    createOperator,
    logInAs,
  }) => {
    const name = await createOperator({ "*": "viewer" });
    const [victim, thief] = [new TestBrowser(server), await logInAs(name)];
    victim.setCookie(thief.cookie);
    await victim.logIn({ name, password: PASSWORD });
    expect(victim.cookie).not.toBe(thief.cookie);
    expect((await thief.send("/session")).status).toBe(401);
    expect((await victim.send("/session")).status).toBe(200);
  });

  it("an unused session ends", async ({ server, createOperator, logInAs }) => {
    const idle = await startTestServer({
      environment: { REDIS_URL: server.redis.url, LOCKKEEPER_SESSION_IDLE_MINUTES: "0.02" },
    });
    const name = await createOperator({ "*": "viewer" });
    const [used, unused] = [await logInAs(name, idle), await logInAs(name, idle)];
    const begun = performance.now();
    await waitUntil(async () => {
      expect((await used.send("/session")).status).toBe(200);
      return performance.now() - begun > 2000;
    });
    expect((await unused.send("/session")).status).toBe(401);
    await idle.stop();
  });
});

describe("password guessing", () => {
  const guess = (browser: TestBrowser, name: string) => browser.logIn({ name, password: "wrong" });

  it("a failed login returns the same response whether or not the name exists", async ({
    server,
    createOperator,
  }) => {
    const [name, disabled] = [await createOperator({}), await createOperator({})];
    await server.call(`/operators/${disabled}`, { method: "PATCH", body: { state: "disabled" } });
    await server.call("/operators", { body: { name: "without", roles: {} } });
    const browser = new TestBrowser(server);
    const said = [];
    for (const tried of [name, "nobody-at-all", "without"]) said.push((await guess(browser, tried)).body);
    said.push((await browser.logIn({ name: disabled, password: PASSWORD })).body);
    const seen = new Set(said.map(({ code, detail }) => `${code} ${detail}`));
    expect([...seen]).toEqual([expect.stringContaining("unauthenticated")]);
  });

  it("failed logins are throttled by name on every instance, with a retry time", async ({
    server,
    other,
    createOperator,
  }) => {
    const name = await createOperator({ "*": "viewer" });
    const [here, there] = [new TestBrowser(server), new TestBrowser(other)];
    for (let tries = 0; tries < 5; tries++)
      expect((await guess(tries % 2 ? here : there, name)).status).toBe(401);
    const refused = await guess(there, name);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await here.logIn({ name, password: PASSWORD })).status).toBe(429);
    await waitUntil(async () => (await here.logIn({ name, password: PASSWORD })).status === 200);
    for (let tries = 0; tries < 5; tries++) expect((await guess(here, name)).status).toBe(401);
  });
});

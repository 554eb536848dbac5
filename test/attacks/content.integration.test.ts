import { describe, expect } from "vitest";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { startApiProcess } from "../support/api-process.ts";
import { redisTest, serverTest } from "../support/fixtures.ts";
import { createRedissonOwner } from "../support/test-locks.ts";
import { createBearerHeader, ROOT_KEY, waitUntil } from "../support/test-server.ts";
import { formatRequestHead, sendRawHttp } from "./raw-http.ts";

/** Names of properties and methods that every JavaScript object inherits. */
const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
];

/** Ranges of control characters, Unicode line separators and direction marks. */
const CONTROL_CHARACTERS = [
  ["\u0000", "\u001f"],
  ["\u007f", "\u009f"],
  ["\u2028", "\u202e"],
  ["\u2066", "\u2069"],
] as const;

const SECRETS = {
  password: "redis-password-that-nobody-may-see",
  wrongKey: "lk_wrong-key-that-nobody-may-see-0123456789",
  token: "one-time-token-that-nobody-may-see",
  login: "password-of-an-operator-that-nobody-may-see",
  session: "session-secret-that-nobody-may-see-0123456789",
};

const objectTest = serverTest();
const logTest = redisTest({ password: SECRETS.password }).extend(
  "api",
  { scope: "file" },
  async ({ redis }, { onCleanup }) => {
    const settings = { REDIS_URL: redis.url, LOCKKEEPER_ROOT_KEY: ROOT_KEY, LOCKKEEPER_LOG: "debug" };
    const api = await startApiProcess(settings);
    onCleanup(() => api.stop());
    return api;
  },
);

describe("names of Object.prototype members", () => {
  const it = objectTest;

  it("names such as __proto__ work as keys, owners, targets and filters and change no object", async ({
    server,
    direct,
  }) => {
    const before = Reflect.ownKeys(Object.prototype).length;
    for (const name of NAMES) {
      const key = `lock:${name}`;
      const path = `/locks/${encodeKeyPath(key)}`;
      const taken = await server.call(`${path}/acquire`, {
        body: { owner: name, record: { service: name } },
      });
      expect([taken.status, taken.body.owner], name).toEqual([201, name]);
      await direct.hset(name, name, "1");
      expect((await server.call(path)).body.holders).toMatchObject([{ owner: name, count: 1 }]);
      for (const query of [`target=${name}`, `sort=${name}`, `${name}=1`, `filter=${name}:x&sort=${name}`])
        expect([400, 404], query).toContain((await server.call(`/locks?${query}`)).status);
      await waitUntil(async () => (await server.call(`/locks?filter=owner:${name}`)).body.total >= 1);
      for (const path of [`/targets/${name}`, `/${name}`, `/keys/${name}`, `/operators/${name}`])
        expect((await server.call(path)).status, path).toBe(404);
    }
    expect(Reflect.ownKeys(Object.prototype)).toHaveLength(before);
  });

  it("fields such as __proto__ in a body are rejected at any depth", async ({ server, direct }) => {
    const bodies = [
      '{"owner":"me","__proto__":{"polluted":1}}',
      '{"owner":"me","constructor":{"prototype":{"polluted":1}}}',
      '{"owner":"me","record":{"__proto__":{"polluted":1}}}',
      '{"__proto__":{"owner":"me"}}',
      `${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`,
    ];
    for (const body of bodies) {
      const { status } = await server.call("/locks/lock%3Apolluted/acquire", { body });
      expect(status, body.slice(0, 80)).toBe(400);
    }
    expect("polluted" in {}).toBe(false);
    expect(await direct.exists("lock:polluted")).toBe(0);
  });

  it("a hostile filter over many long keys delays no other request", async ({ server, direct }) => {
    const load = direct.pipeline();
    for (let n = 0; n < 400; n++) load.hset(`lock:${"a".repeat(900)}${n}`, createRedissonOwner(), "1");
    await load.exec();
    await waitUntil(async () => (await server.call("/locks?limit=1")).body.total >= 400);
    const hostile = [
      `key:${"*a".repeat(140)}b`,
      `key:${"*".repeat(290)}b`,
      `${"a".repeat(290)}b`,
      "a ".repeat(149),
    ];
    for (const filter of hostile) {
      const began = performance.now();
      const asked = server.call(`/locks?filter=${encodeURIComponent(filter)}`);
      const other = fetch(`${server.url}/healthz`).then(() => performance.now() - began);
      expect((await asked).status).toBe(200);
      // A generous limit for a busy machine. An expression that backtracks would exceed it by far.
      expect(await other, filter.slice(0, 30)).toBeLessThan(3000);
    }
  });
});

describe("log output", () => {
  const it = logTest;

  it("the log has one line per message, no control characters and no secret", async ({ redis, api }) => {
    const send = async (
      method: string,
      path: string,
      body: unknown,
      headers: Record<string, string> = {},
    ) => {
      const response = await fetch(`${api.url}/api/v1${path}`, {
        method,
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...createBearerHeader(ROOT_KEY), ...headers },
      });
      return `${[...response.headers].join("\n")}\n${await response.text()}`;
    };
    const post = (path: string, body: unknown, headers?: Record<string, string>) =>
      send("POST", path, body, headers);
    const evil = '\n{"level":60,"msg":"forged"}\r\n\u001b[2J\u001b]0;owned\u0007\u009b31m\u2028\u202e\u007f';
    const path = `/locks/${encodeURIComponent(`lock:${evil}`)}`;
    const responses = [
      await post(`${path}/acquire`, { owner: evil }),
      await post(`${path}/acquire`, { owner: "me", record: { service: evil } }),
      await post(`${path}/force-release`, { expectedVersion: evil, reason: evil }),
      await post(`/holds/${encodeURIComponent(evil)}/release`, {}),
      await post(`${path}/acquire`, { reenter: evil }, { "idempotency-key": "r1" }),
      await post(`/nowhere/${encodeURIComponent(evil)}`, {}),
      await send("PUT", "/formats/rules", { rules: [{ pattern: evil, format: "token" }] }),
      await post("/login", { token: SECRETS.token }, { origin: api.url }),
      await post("/login", { name: "mei", password: SECRETS.login }, { origin: api.url }),
      await post(`${path}/acquire`, { owner: "me" }, createBearerHeader(SECRETS.wrongKey)),
      await post("/finder", {}, { cookie: `lockkeeper_1=${SECRETS.session}`, "user-agent": "a\u009b31m" }),
      await post("/locks/x/acquire?target=__proto__", { owner: SECRETS.login, [SECRETS.token]: 1 }).then(
        () => "",
      ),
    ];
    const header = [
      `Authorization: Bearer ${ROOT_KEY}`,
      "X-Request-Id: a\tb\u001b",
      "User-Agent: \u001b[31m",
    ];
    await sendRawHttp(
      api.url,
      formatRequestHead("GET /api/v1/nothing HTTP/1.1", "Host: x", "Connection: close", ...header),
    );
    await redis.kill();
    responses.push(await post(`${path}/acquire`, { owner: "me" }));
    await waitUntil(() => api.readLog().includes("request refused"));
    const logged = api.readLog();
    for (const line of logged.trimEnd().split("\n")) expect(() => JSON.parse(line), line).not.toThrow();
    expect(logged).not.toContain('"level":60');
    const obeyed = [...logged].filter(
      (each) => each !== "\n" && CONTROL_CHARACTERS.some(([from, to]) => each >= from && each <= to),
    );
    expect(obeyed).toEqual([]);
    const all = [logged, ...responses].join("\n");
    for (const secret of [ROOT_KEY, ...Object.values(SECRETS)]) expect(all).not.toContain(secret);
  });
});

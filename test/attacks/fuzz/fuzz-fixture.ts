import type { TestServer } from "../../support/test-server.ts";
import type { Credentials } from "./request-plans.ts";
import type { ValuePools } from "./value-pools.ts";

const KEYS = [
  ...["lock:ours", "lock:held", "lock:free", "lock:redisson", "lock:token", "lock:until"],
  ...["lock:ours", "lock:held", "lock:list", "lock:others", "other:key", "lock:{tag}:a"],
];

/**
 * Everything that the fuzzed requests can refer to: Lockkeeper locks, foreign locks, keys that are not locks, a session
 * and a stream.
 */
export class FuzzFixture {
  readonly #redis: ReturnType<TestServer["redis"]["createClient"]>;
  readonly #streams: AbortController[] = [];
  #cookie = "";

  constructor(
    private readonly server: TestServer,
    private readonly pools: ValuePools,
    private readonly rootKey: string,
  ) {
    this.#redis = server.redis.createClient();
  }

  readonly getHeaders = (credentials: Credentials): Readonly<Record<string, string>> => {
    if (credentials === "key") return { authorization: `Bearer ${this.rootKey}` };
    if (credentials === "wrong") return { authorization: "Bearer wrong-key" };
    if (credentials === "session") return { cookie: this.#cookie, origin: this.server.url };
    return {};
  };

  /** Deletes what earlier requests created and restores the initial state. */
  async reset(): Promise<void> {
    await this.#clear();
    await this.#createKeys();
    await this.#logIn();
    await this.#openStream();
  }

  async #clear(): Promise<void> {
    for (const stream of this.#streams.splice(0)) stream.abort();
    const all = await this.#redis.keys("*");
    const locks = all.filter(
      (key) =>
        (!key.includes("{lockkeeper}") || key.startsWith("{lockkeeper}:login:")) &&
        !key.startsWith("lockkeeper:canary"),
    );
    if (locks.length > 0) await this.#redis.del(...locks);
  }

  async #createKeys(): Promise<void> {
    const redis = this.#redis;
    await redis.hset("lock:redisson", "0b6b5b3e-1d3c-4a4b-9a55-6b3a0f5a5c11:31", "1");
    await redis.pexpire("lock:redisson", 600_000);
    await redis.set("lock:token", "9c1d0a7e5b3f4e2d8a6c", "PX", 600_000);
    await redis.set("lock:until", String(Date.now() + 600_000), "PX", 600_000);
    await redis.rpush("lock:list", "no", "lock");
    await redis.hset("lock:others", "name", "no lock");
    await redis.set(Buffer.from([0x6c, 0x6f, 0x63, 0x6b, 0x3a, 0xff, 0xfe]), "token", "PX", 600_000);
    this.pools.setFixed("key", KEYS);
    this.pools.setFixed("owner", ["me", "you"]);
    this.pools.setFixed("target", ["main", "main", "main", "looked-at"]);
    for (const [key, owner, kind] of [
      ["lock:ours", "me", "lock"],
      ["lock:held", "you", "lock"],
      ["lock:written", "me", "write"],
    ] as const) {
      const path = `/locks/${encodeURIComponent(key)}`;
      const body = { owner, kind, leaseMs: 600_000 };
      this.pools.learn((await this.server.call(`${path}/acquire`, { body })).body, "locks");
      this.pools.learn((await this.server.call(path)).body, "locks");
    }
  }

  async #logIn(): Promise<void> {
    const token = await this.server.runtime.createLoginLink();
    const { headers } = await fetch(`${this.server.url}/api/v1/login`, {
      method: "POST",
      body: JSON.stringify({ token }),
      headers: { "content-type": "application/json", origin: this.server.url },
    });
    this.#cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    // The first token was consumed by the login above.
    this.pools.setFixed("token", [(await this.server.runtime.createLoginLink()) ?? ""]);
  }

  /** Opens an event stream and keeps it open, so that requests can refer to its id. */
  async #openStream(): Promise<void> {
    const ending = new AbortController();
    this.#streams.push(ending);
    const response = await fetch(`${this.server.url}/api/v1/live`, {
      headers: this.getHeaders("key"),
      signal: ending.signal,
    });
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const stream = /"stream":"([^"]+)"/.exec(first)?.[1];
    if (stream !== undefined) this.pools.setFixed("stream", [stream]);
    const drain = async () => {
      while (!(await reader?.read())?.done);
    };
    void drain().catch(() => undefined);
  }

  close(): void {
    for (const stream of this.#streams.splice(0)) stream.abort();
  }
}

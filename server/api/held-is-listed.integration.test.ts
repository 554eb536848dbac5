import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { WritableFormat } from "../../lib/contract/format.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { FUZZ_SEED } from "../../test/support/fuzz-settings.ts";
import { type ApiReply, type TestServer, waitUntil } from "../../test/support/test-server.ts";

const KEYS = 80;
/** Maximum length of a generated value, in bytes. Longer than the prefix that the verbs and the watcher read. */
const VALUE_BYTES_MAX = 2048;
const TTL_MS = 600_000;

type Content =
  | { readonly type: "string"; readonly value: string | Uint8Array }
  | { readonly type: "hash"; readonly fields: readonly (readonly [string, string])[] }
  | { readonly type: "set" | "list" | "stream"; readonly members: readonly string[] }
  | { readonly type: "zset"; readonly members: readonly (readonly [number, string])[] };

interface Planted {
  readonly content: Content;
  readonly expires: boolean;
}

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  fc.integer().map(String),
  fc.constantFrom("1", "0", "true", "OK", '{"pid":4711}', "worker-7", "web-1 4711", "read", "write"),
);
/** Offset of a deadline from now, in seconds, so that no deadline passes while the test runs. */
const secondsAway = fc.oneof(fc.integer({ min: -60, max: -10 }), fc.integer({ min: 180, max: 600 }));
const epoch = secondsAway.chain((s) =>
  fc.constantFrom(
    () => String(Math.floor(Date.now() / 1000) + s),
    () => String(Date.now() + s * 1000),
  ),
);
const value = fc.oneof(
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
  { weight: 2, arbitrary: epoch.map((read) => read()) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1000, max: VALUE_BYTES_MAX }).map((length) => "x".repeat(length)),
  },
);
const redissonOwner = fc
  .tuple(fc.uuid(), fc.integer({ min: 1, max: 99 }))
  .map(([id, thread]) => `${id}:${thread}`);
const field = fc.oneof(text, fc.constant("mode"), redissonOwner);
const members = fc.array(text, { minLength: 1, maxLength: 4 });
const score = fc.oneof(
  fc.integer(),
  fc.integer({ min: 0, max: 600_000 }).map((ms) => Date.now() + ms),
);
const content: fc.Arbitrary<Content> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("string" as const), value }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("hash" as const),
      fields: fc.tuple(fc.tuple(redissonOwner, fc.constantFrom("1", "3"))),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("hash" as const),
      fields: fc.array(fc.tuple(field, fc.oneof(fc.constant("1"), text)), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("set", "list", "stream"), members }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("zset" as const),
      members: fc.array(fc.tuple(score, text), { minLength: 1, maxLength: 3 }),
    }),
  },
);
const planted: fc.Arbitrary<Planted> = fc.record({ content, expires: fc.boolean() });

/** Returns the content of typical held locks: a timestamp, a token and a Redisson lock. */
function createKnownLocks(): Planted[] {
  const deadline = String(Date.now() + TTL_MS);
  return [
    { content: { type: "string", value: deadline }, expires: false },
    { content: { type: "string", value: "1" }, expires: false },
    { content: { type: "hash", fields: [[`${randomUUID()}:1`, "1"]] }, expires: true },
  ];
}

async function plant(redis: Redis, key: string, { content, expires }: Planted): Promise<void> {
  if (content.type === "string") await redis.set(key, Buffer.from(content.value));
  if (content.type === "hash") await redis.hset(key, ...content.fields.flat());
  if (content.type === "zset") await redis.zadd(key, ...content.members.flat());
  if (content.type === "set") await redis.sadd(key, ...content.members);
  if (content.type === "list") await redis.rpush(key, ...content.members);
  if (content.type === "stream") await redis.xadd(key, "*", "member", content.members[0] ?? "");
  if (expires) await redis.pexpire(key, TTL_MS);
}

const describeContent = ({ content, expires }: Planted) =>
  `${JSON.stringify(content).slice(0, 200)}${expires ? " with TTL" : ""}`;

async function listKeys(server: TestServer, run: string): Promise<Set<string>> {
  const { body } = await server.callUntilAvailable(`/locks?limit=500&filter=key:lock:${run}:*`);
  return new Set(body.items.map(({ key }: Lock) => key));
}

/** Tries to acquire a lock without waiting, and releases it immediately if it is granted. Returns the outcome. */
async function tryAcquire(server: TestServer, key: string, format: WritableFormat): Promise<string> {
  const { status, body } = await server.callVerb(key, "acquire", { owner: "me", format });
  if (status !== 201) return body.code;
  await server.callHold(body, "release");
  return "granted";
}

/**
 * Force-releases a lock. Specifies the format of the hold if the lock's own format is not certain.
 * @returns the outcome, or the error code
 */
async function forceRelease(server: TestServer, key: string, held: WritableFormat): Promise<string> {
  const { version, release, state } = await server.readLock(key);
  const format = release.may === "with_format" || state === "ended" ? held : undefined;
  const body = { expectedVersion: version, reason: "stuck", format };
  const { status, body: said } = await server.callVerb(key, "force-release", body);
  return status === 200 ? said.outcome : said.code;
}

interface Attempt {
  readonly outcome: string;
  readonly what: string;
  readonly format: WritableFormat;
  readonly type: Content["type"];
}

/** Asserts that the state shown for a key is consistent with the outcome of an acquire. */
function assertShown({ outcome, what, format, type }: Attempt, { status, body }: ApiReply): void {
  if (outcome === "held") {
    // The lock may be shown in another format. In that format, the deadline may have passed although the acquire treats
    // the key as held.
    const states = body.format === format ? ["held"] : ["held", "ended"];
    expect([what, status, states.includes(body.state), body.unlisted]).toEqual([what, 200, true, undefined]);
  }
  if (outcome === "unit_conflict")
    expect([what, body.format, body.unlisted]).toEqual([what, format, undefined]);
  // A value that is too long for a token is not a lock in any format.
  if (outcome === "not_a_lock" && format === "token" && type === "string")
    expect([what, status, body.code]).toEqual([what, 409, "not_a_lock"]);
  if (outcome === "granted") expect([what, body.state]).toEqual([what, "free"]);
}

const pathOf = (key: string) => `/locks/${encodeKeyPath(key)}`;

const it = serverTest();

describe.each(WritableFormat.options)("what acquire with the format %s reports of any key", (format) => {
  it("held: it is listed, shown as held, and released by its version; not_a_lock: it is held by nobody", async ({
    server,
    direct,
  }) => {
    const run = randomUUID();
    const cases = [...createKnownLocks(), ...fc.sample(planted, { numRuns: KEYS, seed: FUZZ_SEED })];
    const keys = cases.map((_, at) => `lock:${run}:${at}`);
    await Promise.all(cases.map((each, at) => plant(direct, keys[at] ?? "", each)));
    const outcomes = new Map<string, number>();
    const heldKeys = new Map<string, string>();
    for (const [at, each] of cases.entries()) {
      const key = keys[at] ?? "";
      const outcome = await tryAcquire(server, key, format);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const what = `${outcome}: ${describeContent(each)}`;
      assertShown({ outcome, what, format, type: each.content.type }, await server.call(pathOf(key)));
      if (outcome === "held") heldKeys.set(key, what);
    }
    expect(outcomes.get("held")).toBeGreaterThan(0);
    expect(
      [...outcomes.keys()].filter(
        (each) => !["held", "unit_conflict", "not_a_lock", "granted"].includes(each),
      ),
    ).toEqual([]);
    await waitUntil(async () => {
      const listed = await listKeys(server, run);
      return [...heldKeys.keys()].every((key) => listed.has(key));
    }, 30_000);
    for (const [key, what] of heldKeys) {
      expect([what, await forceRelease(server, key, format)]).toEqual([what, "released"]);
      expect([what, await direct.exists(key)]).toEqual([what, 0]);
    }
  }, 60_000);
});

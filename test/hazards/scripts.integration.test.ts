import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { RedisLocks } from "../../server/locks/verbs/redis-locks.ts";
import type { AcquireOptions } from "../../server/locks/verbs/verbs.ts";
import { createWriteRefusal, EXPIRE_DURING_SCRIPT, prependLua } from "../support/lua-prelude.ts";
import {
  createTestKey,
  getErrorCode,
  startTestLocks,
  type TestLocks,
  WRITABLE_FORMATS,
} from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";

let test: TestLocks;
/** The verbs with some Lua of the test before each script. */
let bent: RedisLocks;
let prelude = "";

beforeAll(async () => {
  test = await startTestLocks();
  const connection = prependLua(test.connection, () => prelude);
  bent = new RedisLocks(connection, test.redis.createClient(), 0, ["lock:*"]);
});

afterEach(() => {
  prelude = "";
});

afterAll(() => test.stop());

const ask = (owner: string, more: Partial<AcquireOptions> = {}) => ({
  owner,
  leaseMs: 30_000,
  reentrant: true,
  ...more,
});

describe.each(["redisson", "token"] as const)("hazard 21: expiration during a script (%s)", (format) => {
  it("a lock that expires during a script is neither renewed nor partly acquired", async () => {
    const key = createTestKey();
    await test.acquire(key, "me", { format });
    prelude = EXPIRE_DURING_SCRIPT;
    expect(await getErrorCode(bent.renew(key, { owner: "me", leaseMs: 30_000, format }))).toBe("lost");
    await waitUntil(async () => (await test.direct.exists(key)) === 0);
    await test.acquire(key, "me", { format });
    const refused: unknown = await bent
      .acquire(key, ask("you", { format }))
      .catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ code: "held", facts: { remainingMs: 0 } });
    expect(await test.acquire(key, "you", { format, waitMs: 5000 })).toMatchObject({ count: 1 });
  });

  it("a re-entry of an expiring lock is refused, and the same owner then gets a new hold", async () => {
    const key = createTestKey();
    const { fence } = await test.acquire(key, "me", { format });
    prelude = EXPIRE_DURING_SCRIPT;
    expect(await getErrorCode(bent.acquire(key, ask("me", { format })))).toBe("held");
    const grant = await test.acquire(key, "me", { format, waitMs: 5000 });
    expect(grant.count).toBe(1);
    expect(Number(grant.fence)).toBeGreaterThan(Number(fence));
  });

  it("a lock without a TTL counts as held, and its holder's renewal or re-entry restores the TTL", async () => {
    const { direct, locks, acquire } = test;
    for (const prolong of [
      (key: string) => locks.renew(key, { owner: "me", leaseMs: 20_000, format }),
      (key: string) => acquire(key, "me", { leaseMs: 20_000, format }),
    ]) {
      const key = createTestKey();
      await acquire(key, "me", { format });
      await direct.persist(key);
      const refused: unknown = await acquire(key, "you", { format }).catch((reason: unknown) => reason);
      expect(refused).toMatchObject({ code: "held", facts: { remainingMs: null } });
      expect(await direct.pttl(key)).toBe(-1);
      expect((await prolong(key)).remainingMs).toBe(20_000);
      expect(await direct.pttl(key)).toBeGreaterThan(15_000);
    }
  });

  it("the watchdog restores a removed TTL", async () => {
    const client = await test.openClient();
    const key = createTestKey();
    const hold = await client.acquire(key, { format, leaseMs: 600 });
    await test.direct.persist(key);
    await waitUntil(async () => (await test.direct.pttl(key)) > 0);
    hold.assertHeld();
    await hold.release();
  });
});

describe("hazard 21: expiration during a script (timestamp)", () => {
  it("a timestamp lock follows its deadline even after its TTL was removed", async () => {
    const { direct, acquire } = test;
    const key = createTestKey();
    await acquire(key, "me", { format: "timestamp", leaseMs: 50 });
    await direct.persist(key);
    expect(await acquire(key, "you", { format: "timestamp", waitMs: 5000 })).toMatchObject({ count: 1 });
    expect(await direct.pttl(key)).toBeGreaterThan(25_000);
  });
});

interface Scenario {
  readonly name: string;
  /** Grants that the owner has before. */
  readonly grants: number;
  act(locks: RedisLocks, key: string, format: WritableFormat): Promise<unknown>;
  /** How often the owner holds it at least, and at most, once the same request was answered with a yes. */
  readonly counts: readonly [least: number, most: number];
}

const requestId = "the-same";
const SCENARIOS: readonly Scenario[] = [
  {
    name: "acquire",
    grants: 0,
    act: (locks, key, format) => locks.acquire(key, ask("me", { format, requestId })),
    counts: [1, 1],
  },
  {
    name: "acquire with a grace",
    grants: 0,
    act: (locks, key, format) => locks.acquire(key, ask("me", { format, requestId, graceMs: 500 })),
    counts: [1, 1],
  },
  {
    name: "acquire once more",
    grants: 1,
    act: (locks, key, format) => locks.acquire(key, ask("me", { format, requestId, leaseMs: 60_000 })),
    counts: [2, 3],
  },
  {
    name: "renew",
    grants: 1,
    act: (locks, key, format) => locks.renew(key, { owner: "me", leaseMs: 60_000, format, requestId }),
    counts: [1, 1],
  },
  {
    name: "release the inner one",
    grants: 2,
    act: (locks, key, format) => locks.release(key, { owner: "me", format, requestId }),
    counts: [1, 2],
  },
  {
    name: "release",
    grants: 1,
    act: (locks, key, format) => locks.release(key, { owner: "me", format, requestId }),
    counts: [0, 1],
  },
  {
    name: "release and hold off",
    grants: 1,
    act: (locks, key, format) => locks.release(key, { owner: "me", format, requestId, holdOffMs: 20_000 }),
    counts: [0, 1],
  },
];

describe("hazard 22: scripts that fail midway", () => {
  /** Refuses one write of the verb, asks for it again under the same id, and looks at what there is. */
  async function cutShort(scenario: Scenario, format: WritableFormat, write: number): Promise<string> {
    const key = createTestKey();
    for (let grant = 0; grant < scenario.grants; grant++) await test.acquire(key, "me", { format });
    prelude = createWriteRefusal(write);
    const answer = await getErrorCode(scenario.act(bent, key, format));
    const at = `${scenario.name}, write ${write}: ${answer}`;
    // Whatever was written, it ends by itself.
    expect(await test.direct.pttl(key), at).not.toBe(-1);
    const again = await getErrorCode(scenario.act(test.locks, key, format));
    expect(await test.direct.pttl(key), at).not.toBe(-1);
    const { count } = await test.locks.verify(key, { owner: "me" }).catch(() => ({ count: 0 }));
    const [least, most] = scenario.counts;
    expect(count, at).toBeLessThanOrEqual(most);
    if (again === "ok") expect(count, at).toBeGreaterThanOrEqual(least);
    const isTaken = (await test.direct.exists(key)) === 1;
    expect((await getErrorCode(test.acquire(key, "you", { format }))) === "ok", at).toBe(!isTaken);
    return answer;
  }

  it.each(WRITABLE_FORMATS)(
    "%s: a script that fails midway leaves no lock without a TTL and never loses a count",
    async (format) => {
      for (const scenario of SCENARIOS) {
        for (let write = 0; ; write++) {
          const answer = await cutShort(scenario, format, write);
          if (write === 0) expect(answer, scenario.name).toContain("refused");
          if (!answer.includes("refused")) break;
        }
      }
    },
  );
});

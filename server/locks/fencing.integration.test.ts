import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { LockClient } from "./client/lock-client.ts";

/** The script that docs/fencing.md shows. */
const GUARD = readFileSync(new URL("../../docs/guards/redis.lua", import.meta.url), "utf8");
const WORKER = fileURLToPath(new URL("../../test/support/workers/holder.ts", import.meta.url));
const LEASE_MS = 400;

const it = redisTest().extend("client", { scope: "file" }, async ({ redis }, { onCleanup }) => {
  const client = await LockClient.open(redis.url);
  onCleanup(() => client.close());
  return client;
});

/** Starts another process that holds the lock. `ask` resolves with the value that the process reports under a name. */
async function startHolder(redis: TestRedis, key: string, resource: string) {
  const worker = fork(WORKER, [redis.url, key, String(LEASE_MS), resource], {
    execArgv: ["--import", "tsx"],
  });
  const facts: Record<string, unknown> = {};
  worker.on("message", (fact) => Object.assign(facts, fact));
  const fact = async (name: string) => {
    while (!(name in facts)) await once(worker, "message");
    return facts[name];
  };
  const ask = (name: string) => {
    delete facts[name];
    worker.send(name);
    return fact(name);
  };
  return {
    fence: String(await fact("fence")),
    facts,
    ask,
    kill: (name: NodeJS.Signals) => worker.kill(name),
  };
}

describe("hazard 5: a holder paused for longer than its lease", () => {
  it("a late write by a holder paused for three leases is rejected by the documented fencing guard", async ({
    redis,
    client,
  }) => {
    const direct = redis.createClient();
    const [key, resource] = ["lock:report", "report"];
    const holder = await startHolder(redis, key, resource);
    try {
      expect(await holder.ask("write")).toBe("written");
      holder.kill("SIGSTOP");
      const next = await client.acquire(key, { waitMs: 5000, leaseMs: 60_000 });
      const write = () =>
        direct.eval(GUARD, 2, resource, `{${resource}}:fence`, next.fence, "the next holder's");
      expect(await write()).toBe(1);
      await sleep(3 * LEASE_MS);
      holder.kill("SIGCONT");
      expect(await holder.ask("assert")).toBe("lost");
      expect(holder.facts).toMatchObject({ signal: true, signalled: true });
      expect(await holder.ask("write")).toBe("refused");
      expect(await holder.ask("release")).toBe("not_held");
      next.assertHeld();
      expect(await direct.hgetall(key)).toEqual({ [next.token]: "1" });
      expect(await direct.mget(resource, `{${resource}}:fence`)).toEqual(["the next holder's", next.fence]);
      expect(await write()).toBe(1);
      await next.release();
    } finally {
      holder.kill("SIGKILL");
    }
  });

  it.for(["", "null", "12.5", "nan", "-1", "9007199254740992"])(
    "the fencing guard rejects the invalid token %j and writes nothing",
    async (fence, { redis }) => {
      const direct = redis.createClient();
      const write = direct.eval(GUARD, 2, "other", "{other}:fence", fence, "a value");
      await expect(write).rejects.toThrow("not a fencing token");
      expect(await direct.exists("other", "{other}:fence")).toBe(0);
    },
  );
});

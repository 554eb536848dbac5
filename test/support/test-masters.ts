import type { Redis } from "ioredis";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { readCompanion } from "./test-locks.ts";
import { startTestRedis, type TestRedis, type TestRedisOptions } from "./test-redis.ts";

type Options = Pick<TestRedisOptions, "args" | "env">;

/** Starts independent Redis servers, the masters of a quorum. */
export async function startTestMasters(
  count: number,
  optionsOf: (number: number) => Options = () => ({}),
): Promise<TestMasters> {
  const all: TestRedis[] = [];
  try {
    // The servers start one after another, because each search for a free port must see the ports in use.
    for (let number = 0; number < count; number++) all.push(await startTestRedis(optionsOf(number)));
  } catch (error) {
    await Promise.all(all.map((master) => master.stop()));
    throw error;
  }
  return new TestMasters(all);
}

export class TestMasters {
  readonly #direct: ReadonlyMap<TestRedis, Redis>;

  constructor(readonly all: readonly TestRedis[]) {
    this.#direct = new Map(all.map((master) => [master, master.createClient()]));
  }

  get urls(): string[] {
    return this.all.map(({ url }) => url);
  }

  get clients(): Redis[] {
    return [...this.#direct.values()];
  }

  /** Returns the masters with the given indexes and plain connections to them. */
  getMasters(...numbers: readonly number[]): { master: TestRedis; redis: Redis }[] {
    return numbers.map((number) => {
      const master = this.all[number];
      const redis = master && this.#direct.get(master);
      if (master === undefined || redis === undefined) throw new Error(`there is no master ${number}`);
      return { master, redis };
    });
  }

  getClient(number: number): Redis {
    const [at] = this.getMasters(number);
    if (at === undefined) throw new Error(`there is no master ${number}`);
    return at.redis;
  }

  /**
   * Reads the holder of a lock on each of the given masters, or on all masters. `null` if the lock is free on a master.
   */
  readHolders(key: string, ...numbers: readonly number[]): Promise<(string | null)[]> {
    return Promise.all(this.#getClients(numbers).map((redis) => redis.get(key)));
  }

  /** Reads the companion of a lock on each of the given masters, or on all masters. */
  readCompanions(key: string, ...numbers: readonly number[]) {
    return Promise.all(this.#getClients(numbers).map((redis) => readCompanion(redis, key)));
  }

  /** Holds a lock in the format `token` on the given masters as another client. */
  async occupy(key: string, numbers: readonly number[], owner = "somebody", ms = 60_000): Promise<void> {
    await Promise.all(this.getMasters(...numbers).map(({ redis }) => redis.set(key, owner, "PX", ms)));
  }

  /** Advances the fence of a lock on one master, as if the master's clock had been ahead by `ms`. */
  async advanceFence(key: string, number: number, ms: number): Promise<bigint> {
    const fence = BigInt(Date.now() + ms) * 1000n;
    const companion = ["", "", 0, fence, 0, 0, 0, 0, 0, "", "", "", ""].join("\n");
    await this.getClient(number).set(String(buildCompanionKey(key)), companion);
    return fence;
  }

  /** Returns the number of scripts that a master has run. */
  async countScripts(number: number): Promise<number> {
    const stats = await this.getClient(number).info("commandstats");
    const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
    return calls.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async vacate(key: string, numbers: readonly number[]): Promise<void> {
    await Promise.all(this.getMasters(...numbers).map(({ redis }) => redis.del(key)));
  }

  #getClients(numbers: readonly number[]): Redis[] {
    return numbers.length === 0 ? this.clients : this.getMasters(...numbers).map(({ redis }) => redis);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((master) => master.stop()));
  }
}

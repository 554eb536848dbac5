import type { Redis } from "ioredis";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { readCompanion } from "./test-locks.ts";
import { startTestRedis, type TestRedis, type TestRedisOptions } from "./test-redis.ts";

type Options = Pick<TestRedisOptions, "args" | "env">;

/** Starts independent Redis servers, as a quorum is made of. */
export async function startTestMasters(
  count: number,
  optionsOf: (number: number) => Options = () => ({}),
): Promise<TestMasters> {
  const all: TestRedis[] = [];
  try {
    // One after the other: each must see the ports of those before.
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

  /** The masters of these numbers, with plain connections to them. */
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

  /** Whom each of these masters has as the holder of a lock; null: nobody. All masters by default. */
  readHolders(key: string, ...numbers: readonly number[]): Promise<(string | null)[]> {
    return Promise.all(this.#getClients(numbers).map((redis) => redis.get(key)));
  }

  /** What each of these masters knows of the hold of a lock; all by default. */
  readCompanions(key: string, ...numbers: readonly number[]) {
    return Promise.all(this.#getClients(numbers).map((redis) => readCompanion(redis, key)));
  }

  /** Has a lock of the format `token` taken by somebody else at these masters. */
  async occupy(key: string, numbers: readonly number[], owner = "somebody", ms = 60_000): Promise<void> {
    await Promise.all(this.getMasters(...numbers).map(({ redis }) => redis.set(key, owner, "PX", ms)));
  }

  /** Puts a master's fence of a lock as far ahead as its clock would, were it wrong by so much. */
  async advanceFence(key: string, number: number, ms: number): Promise<bigint> {
    const fence = BigInt(Date.now() + ms) * 1000n;
    const companion = ["", "", 0, fence, 0, 0, 0, 0, 0, "", "", "", ""].join("\n");
    await this.getClient(number).set(String(buildCompanionKey(key)), companion);
    return fence;
  }

  /** How many scripts a master has run. */
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

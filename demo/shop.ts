import { Redis } from "ioredis";

/**
 * The resource that the demo's locks protect: a few numbers of a shop. Each number is stored with the highest fencing
 * token that it was written with, so that a client whose lock has expired cannot overwrite a later holder.
 */
export class Shop {
  readonly #redis: Redis;

  constructor(url: string) {
    this.#redis = new Redis(url);
  }

  async read(name: string): Promise<number | undefined> {
    const value = await this.#redis.hget(`demo:${name}`, "value");
    return value === null ? undefined : Number(value);
  }

  /** Returns `false` if a later holder has already written. */
  async write(name: string, value: number, fence: string): Promise<boolean> {
    return (await this.#redis.eval(WRITE, 1, `demo:${name}`, fence, value)) === 1;
  }
}

const WRITE = `
local highest = tonumber(redis.call('HGET', KEYS[1], 'fence') or '0')
if tonumber(ARGV[1]) < highest then return 0 end
redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'value', ARGV[2])
return 1`;

import { createSeededRandom } from "../support/seeded-random.ts";

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const DAY_MS = 24 * 3600 * SECOND_MS;

export type RedisValue = string | number | Buffer;

/** A key of application data, with the command that writes it and its TTL in milliseconds. `null` means no TTL. */
export interface OrdinaryKey {
  readonly key: string;
  readonly command: readonly [name: string, ...more: RedisValue[]];
  readonly ttlMs: number | null;
}

/**
 * A generator of random values for keys. The values are the same in each run, except for times relative to the current
 * time.
 */
export class Draw {
  readonly #random: () => number;
  readonly now = Date.now();

  constructor(seed: number) {
    this.#random = createSeededRandom(seed);
  }

  below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  hex(length: number): string {
    return this.bytes(length).toString("hex");
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  word(): string {
    const words = ["mei", "tom", "anna", "orders", "mails", "berlin", "shoes", "invoice", "dark", "checkout"];
    return words[this.below(words.length)] ?? "mei";
  }

  json(): string {
    return JSON.stringify({ id: this.below(1e6), name: this.word(), token: this.uuid(), at: this.now });
  }

  /** Returns a random Unix time in milliseconds between `daysBefore` days ago and `daysAfter` days from now. */
  timeMs(daysBefore: number, daysAfter: number): number {
    return this.now - daysBefore * DAY_MS + this.below((daysBefore + daysAfter) * DAY_MS);
  }

  many<Each>(least: number, most: number, draw: () => Each): Each[] {
    return Array.from({ length: least + this.below(most - least + 1) }, draw);
  }
}

/** A function that creates keys of one kind with typical names and values. */
export type KeyShape = (draw: Draw, id: number) => OrdinaryKey;

type Content<Value> = (draw: Draw, id: number) => Value;

const createShape =
  <Value>(write: (key: string, value: Value) => OrdinaryKey["command"]) =>
  (name: (id: number, draw: Draw) => string, content: Content<Value>, ttlMs: number | null): KeyShape =>
  (draw, id) => {
    const key = name(id, draw);
    return { key, command: write(key, content(draw, id)), ttlMs };
  };

export const text = createShape<RedisValue>((key, value) => ["SET", key, value]);
export const hash = createShape<readonly RedisValue[]>((key, fields) => ["HSET", key, ...fields]);
export const list = createShape<readonly RedisValue[]>((key, elements) => ["RPUSH", key, ...elements]);
export const set = createShape<readonly RedisValue[]>((key, members) => ["SADD", key, ...members]);
/** Creates sorted sets from alternating scores and members. */
export const zset = createShape<readonly RedisValue[]>((key, scored) => ["ZADD", key, ...scored]);
export const stream = createShape<readonly RedisValue[]>((key, fields) => ["XADD", key, "*", ...fields]);

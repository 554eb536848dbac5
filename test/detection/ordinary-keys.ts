import type { Redis } from "ioredis";
import { Draw, type OrdinaryKey } from "./ordinary-key.ts";
import { ORDINARY_SHAPES } from "./ordinary-shapes.ts";

const SEED = 20_261_123;
const PIPELINE_KEYS = 500;

/** Generates keys of application data, with the same number of keys for each shape. */
export function* generateOrdinaryKeys(count: number): Generator<OrdinaryKey & { readonly shape: string }> {
  const draw = new Draw(SEED);
  const shapes = Object.entries(ORDINARY_SHAPES);
  for (let id = 0, left = count; left > 0; id++) {
    for (const [shape, generate] of shapes.slice(0, left)) yield { shape, ...generate(draw, id) };
    left -= shapes.length;
  }
}

/** Writes `count` keys of application data. @returns the shape of each key */
export async function plantOrdinaryKeys(redis: Redis, count: number): Promise<Map<string, string>> {
  const shapes = new Map<string, string>();
  let pipeline = redis.pipeline();
  const flush = async () => {
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
    pipeline = redis.pipeline();
  };
  for (const { shape, key, command, ttlMs } of generateOrdinaryKeys(count)) {
    const [name, ...more] = command;
    pipeline.call(name, more);
    if (ttlMs !== null) pipeline.pexpire(key, ttlMs);
    shapes.set(key, shape);
    if (shapes.size % PIPELINE_KEYS === 0) await flush();
  }
  await flush();
  return shapes;
}

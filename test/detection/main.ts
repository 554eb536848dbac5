/**
 * Measures how well a watcher detects textbook locks among 200,000 ordinary keys in a real Redis.
 * `npm run prove:detection [-- --keys <n>]`
 */
import { parseArgs } from "node:util";
import { startTestRedis } from "../support/test-redis.ts";
import {
  countByShape,
  DEFAULT_PATTERNS,
  type DetectionFigures,
  measureDetection,
} from "./measure-detection.ts";
import { plantOrdinaryKeys } from "./ordinary-keys.ts";
import { ORDINARY_SHAPES } from "./ordinary-shapes.ts";
import { TEXTBOOK_LOCKS } from "./textbook-locks.ts";

/** Maximum fraction of the ordinary keys matching the default patterns that may be listed as locks. */
const LISTED_SHARE_MAX = 0.01;

const { values } = parseArgs({ options: { keys: { type: "string", default: "200000" } } });
const count = Number(values.keys);

const redis = await startTestRedis();
const direct = redis.createClient();
try {
  const shapes = await plantOrdinaryKeys(direct, count);
  console.log(`${shapes.size} ordinary keys of ${Object.keys(ORDINARY_SHAPES).length} shapes`);
  const byDefault = await measureDetection(redis, DEFAULT_PATTERNS);
  report("default patterns", byDefault, shapes);
  const all = await measureDetection(redis, ["*"]);
  report("LOCKKEEPER_WATCH=*", all, shapes);
  for (const { acquire } of TEXTBOOK_LOCKS) await acquire(direct);
  const { listed } = await measureDetection(redis, DEFAULT_PATTERNS);
  const missing = TEXTBOOK_LOCKS.filter(({ key }) => !listed.includes(key));
  console.log(`textbook locks: ${TEXTBOOK_LOCKS.length - missing.length} of ${TEXTBOOK_LOCKS.length} listed`);
  for (const { name, key } of missing) console.log(`  not listed: ${name} (${key})`);
  const isProven =
    byDefault.listed.length <= count * LISTED_SHARE_MAX &&
    byDefault.releasable.length + all.releasable.length + missing.length === 0;
  console.log(isProven ? "passed" : "failed");
  process.exitCode = isProven ? 0 : 1;
} finally {
  await redis.stop();
}

function report(
  title: string,
  { detected, listed, releasable, readyMs }: DetectionFigures,
  shapes: ReadonlyMap<string, string>,
): void {
  console.log(
    `${title}: ${detected} possible or more, ${listed.length} listed by default (${((100 * listed.length) / count).toFixed(2)} %), ` +
      `${releasable.length} released without a format, ready after ${(readyMs / 1000).toFixed(1)} s`,
  );
  for (const [shape, number] of countByShape(listed, shapes)) console.log(`  listed: ${number} ${shape}`);
  for (const [shape, number] of countByShape(releasable, shapes))
    console.log(`  releasable: ${number} ${shape}`);
}

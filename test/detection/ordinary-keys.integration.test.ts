import { expect } from "vitest";
import { redisTest } from "../support/fixtures.ts";
import { countByShape, DEFAULT_PATTERNS, measureDetection } from "./measure-detection.ts";
import { plantOrdinaryKeys } from "./ordinary-keys.ts";

const KEYS = 6000;

const it = redisTest().extend("shapes", { scope: "file" }, ({ direct }) => plantOrdinaryKeys(direct, KEYS));

it.for<[what: string, watch: readonly string[]]>([
  ["the default patterns", DEFAULT_PATTERNS],
  ["all keys", ["*"]],
])(
  "at most 1 % of application data is listed and none can be released without a format: %s",
  async ([, watch], { redis, shapes }) => {
    const { listed, releasable } = await measureDetection(redis, watch);
    expect(countByShape(releasable, shapes)).toEqual([]);
    expect(listed.length).toBeLessThanOrEqual(KEYS / 100);
  },
);

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { HeldError, WaitTimeoutError } from "../errors/lock-errors.ts";
import { campaign } from "./client/campaign.ts";
import { LockClient } from "./client/lock-client.ts";

const PAGE = readFileSync(new URL("../../docs/library.md", import.meta.url), "utf8");
const BLOCKS = [...PAGE.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = ""]) => code);

let server: TestRedis;
let redis: Redis;
let client: LockClient;

beforeAll(async () => {
  server = await startTestRedis();
  redis = server.createClient();
  client = await LockClient.open(server.url);
});

afterAll(async () => {
  client.close();
  await server.stop();
});

describe("docs/library.md", () => {
  it("docs/library.md contains at least eight code examples", () => {
    assert.ok(BLOCKS.length >= 8);
  });

  it.each(BLOCKS.map((code) => [code.split("\n", 1)[0], code]))(
    "the code example `%s` runs as documented",
    async (_, code) => {
      const given = { client, redis, assert, campaign, HeldError, WaitTimeoutError };
      const run = new Function(...Object.keys(given), `return (async () => {\n${code}\n})();`);
      await run(...Object.values(given));
    },
  );
});

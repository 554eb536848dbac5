import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { ROOT_KEY } from "../../test/support/test-server.ts";
import {
  DeadlockError,
  HeldError,
  LockkeeperClient,
  LostError,
  UnknownOutcomeError,
  WaitTimeoutError,
} from "./index.ts";
import { Latch } from "./latch.ts";

const PAGE = readFileSync(new URL("../../docs/client.md", import.meta.url), "utf8");
const BLOCKS = [...PAGE.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = ""]) => code);

const it = serverTest();

describe("docs/client.md", () => {
  it("docs/client.md contains at least five code examples", () => {
    assert.ok(BLOCKS.length >= 5);
  });

  it.for(BLOCKS.map((code) => [code.split("\n", 1)[0], code]))(
    "the code example `%s` runs as documented",
    async ([_, code], { server, direct }) => {
      const client = new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY });
      const errors = { DeadlockError, HeldError, LostError, UnknownOutcomeError, WaitTimeoutError };
      const given = { Latch, client, redis: direct, assert, ...errors };
      const run = new Function(...Object.keys(given), `return (async () => {\n${code}\n})();`);
      await run(...Object.values(given));
    },
  );
});

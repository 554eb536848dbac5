import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe } from "vitest";
import { locksTest } from "../../test/support/fixtures.ts";
import { HeldError, WaitTimeoutError } from "../errors/lock-errors.ts";
import { campaign } from "./client/campaign.ts";

const PAGE = readFileSync(new URL("../../docs/library.md", import.meta.url), "utf8");
const BLOCKS = [...PAGE.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = ""]) => code);

const it = locksTest();

describe("docs/library.md", () => {
  it("docs/library.md contains at least eight code examples", () => {
    assert.ok(BLOCKS.length >= 8);
  });

  it.for(BLOCKS.map((code) => [code.split("\n", 1)[0], code]))(
    "the code example `%s` runs as documented",
    async ([_, code], { client, direct }) => {
      const given = { client, redis: direct, assert, campaign, HeldError, WaitTimeoutError };
      const run = new Function(...Object.keys(given), `return (async () => {\n${code}\n})();`);
      await run(...Object.values(given));
    },
  );
});

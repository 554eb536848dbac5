import { expect } from "vitest";
import { redisTest } from "../support/fixtures.ts";
import { readStoredText } from "./stored-text.ts";

const it = redisTest();
/** Long and repetitive enough that DUMP compresses it. */
const SECRET = `${"secret-".repeat(6)}0123456789abcdef`;

it("a secret is found in a key of any type, and in its name", async ({ direct }) => {
  const plants: Record<string, () => Promise<unknown>> = {
    name: () => direct.set(`a${SECRET}`, "1"),
    string: () => direct.set("string", JSON.stringify({ secret: SECRET })),
    field: () => direct.hset("hash", SECRET, "1"),
    value: () => direct.hset("hash", "field", `x ${SECRET} y`),
    list: () => direct.rpush("list", "other", SECRET),
    set: () => direct.sadd("set", SECRET),
    zset: () => direct.zadd("zset", 1, SECRET),
    stream: () => direct.xadd("stream", "*", "field", SECRET),
  };
  for (const [name, plant] of Object.entries(plants)) {
    await direct.flushall();
    await direct.set("other", "value");
    expect(await readStoredText(direct), name).not.toContain(SECRET);
    await plant();
    expect(await readStoredText(direct), name).toContain(SECRET);
  }
});

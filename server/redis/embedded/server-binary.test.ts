import { describe, expect, test } from "vitest";
import { parseServerVersion } from "./server-binary.ts";

const redis = (version: string) =>
  `Redis server v=${version} sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1f\n`;

describe("Redis server version output", () => {
  test("the product and version are parsed from the --version output", () => {
    expect(parseServerVersion(redis("7.0.15"))).toEqual({
      product: "redis",
      version: "7.0.15",
      supported: true,
    });
    expect(parseServerVersion("Valkey server v=8.1.3 sha=0:0 malloc=libc")).toEqual({
      product: "valkey",
      version: "8.1.3",
      supported: true,
    });
  });

  test.each([
    ["Redis 6.2 is the oldest supported Redis", redis("6.2.0"), true],
    ["Redis 6.0 is not supported", redis("6.0.16"), false],
    ["Redis 10 is supported", redis("10.0.0"), true],
    ["Valkey 7.2 is the oldest supported Valkey", "Valkey server v=7.2.0 sha=0", true],
    ["Valkey 7.0 is not supported, unlike Redis 7.0", "Valkey server v=7.0.0 sha=0", false],
    ["a Valkey build without a product name is supported", "Server v=7.2.4 sha=0", true],
    ["a release candidate is treated as its version", redis("8.0.0-rc1"), true],
  ])("%s", (_name, output, supported) => {
    expect(parseServerVersion(output)?.supported).toBe(supported);
  });

  test.each([
    "",
    "KeyDB server v=6.3.4 sha=0",
    "dragonfly v1.20.1",
    "ls (GNU coreutils) 9.1",
    "redis-cli 7.0.15",
  ])("%j is not a known server", (output) => {
    expect(parseServerVersion(output)).toBeUndefined();
  });
});

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createRawKey } from "../../test/support/raw-key.ts";
import { createSeededRandom } from "../../test/support/seeded-random.ts";
import type { LockType } from "./observation.ts";
import type { RawKey } from "./raw-key.ts";
import { detectLock } from "./registry/detect-lock.ts";
import { hasLockLikeName } from "./strings/lock-name.ts";

const NOW = Date.now();
const YEAR_MS = 365 * 24 * 3_600_000;

type Chance = () => number;
const below = (chance: Chance, most: number) => Math.floor(chance() * most);
function oneOf<Each>(chance: Chance, list: readonly [Each, ...Each[]]): Each {
  return list[below(chance, list.length)] ?? list[0];
}
const many = <Each>(chance: Chance, most: number, make: () => Each): Each[] =>
  Array.from({ length: 1 + below(chance, most) }, make);

/** Random bytes that are generated once and reused, because the hundred thousand keys need many bytes. */
const POOL = Buffer.from(Array.from({ length: 1 << 16 }, rounded(createSeededRandom(7))));
function rounded(chance: Chance): () => number {
  return () => below(chance, 256);
}
function bytes(chance: Chance, length: number): Buffer {
  const at = below(chance, POOL.length - length);
  return POOL.subarray(at, at + length);
}
function uuid(chance: Chance): string {
  const digits = bytes(chance, 16).toString("hex").split("");
  digits[12] = "4";
  digits[16] = oneOf(chance, ["8", "9", "a", "b"]);
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
const words = ["user", "cart", "session", "cache", "block", "clock", "job", "stock", "feed", "rate"] as const;
const word = (chance: Chance) => oneOf(chance, words);
const sha256 = (text: string) => createHash("sha256").update(text).digest();
/** A time within two years of now, in seconds or milliseconds. */
function time(chance: Chance): number {
  const ms = NOW + Math.floor((chance() - 0.5) * 4 * YEAR_MS);
  return chance() < 0.5 ? ms : Math.floor(ms / 1000);
}

/** Tokens, ids, numbers and other strings, as they occur in values, fields and members. */
const VALUES: readonly [(chance: Chance) => string | Buffer, ...((chance: Chance) => string | Buffer)[]] = [
  (chance) => uuid(chance),
  (chance) => uuid(chance).replaceAll("-", ""),
  (chance) => `${uuid(chance)}:${below(chance, 100)}`,
  (chance) => bytes(chance, 16).toString("hex"),
  (chance) => bytes(chance, 32).toString("hex"),
  (chance) => bytes(chance, 16).toString("base64"),
  (chance) => bytes(chance, 18).toString("base64"),
  (chance) => bytes(chance, 32).toString("base64"),
  (chance) => bytes(chance, 16).toString("base64url"),
  (chance) => bytes(chance, 12).toString("base64"),
  (chance) => bytes(chance, 1 + below(chance, 40)),
  (chance) => String(below(chance, 1e6)),
  (chance) => String(time(chance)),
  (chance) => String(chance() * 100),
  (chance) => JSON.stringify({ id: below(chance, 1000), token: uuid(chance), at: time(chance) }),
  (chance) => `s:16:"${bytes(chance, 12).toString("base64")}";`,
  (chance) => `a:1:{s:4:"user";i:${below(chance, 1e6)};}`,
  (chance) => `eyJhbGciOiJIUzI1NiJ9.${bytes(chance, 30).toString("base64url")}`,
  (chance) => `${word(chance)}-${below(chance, 100)}`,
  (chance) => `${word(chance)}@example.org`,
  (chance) => `${word(chance)}_${below(chance, 1e6)}_${bytes(chance, 4).toString("hex")}`,
  (chance) => `<p>${word(chance)}</p>`,
  (chance) => new Date(time(chance)).toISOString(),
  () => "1",
  () => "true",
];
const value = (chance: Chance) => oneOf(chance, VALUES)(chance);

function name(chance: Chance): string {
  const id = oneOf(chance, [() => String(below(chance, 1e6)), () => uuid(chance), () => `{${word(chance)}}`]);
  const parts = many(chance, 3, () => word(chance));
  const end = oneOf(chance, ["", "", ":data", ":token", ":meta", ":readers", ":timeout", ".writer", ":1"]);
  return [...parts, id()].join(oneOf(chance, [":", ":", "_", "/", "."])) + end;
}

const CONTENTS: Readonly<Record<LockType, (chance: Chance) => (string | Buffer)[]>> = {
  string: (chance) => [value(chance)],
  hash: (chance) =>
    many(chance, 8, () => [
      oneOf(chance, ["name", "data", "opts", "timestamp", "user", "mode", String(below(chance, 1e4))]),
      value(chance),
    ]).flat(),
  set: (chance) => many(chance, 8, () => value(chance)),
  zset: (chance) => {
    const score = oneOf(chance, [() => below(chance, 1e6), () => time(chance), () => chance()]);
    return many(chance, 8, () => [value(chance), String(score())]).flat();
  },
};

function stranger(chance: Chance): RawKey {
  const type = oneOf<LockType>(chance, ["string", "string", "hash", "set", "zset"]);
  const remainingMs = chance() < 0.5 ? null : below(chance, chance() < 0.5 ? 60_000 : 30 * 24 * 3_600_000);
  const fields = { asOf: NOW, remainingMs, queued: below(chance, 2), fenceCounter: null };
  return createRawKey(name(chance), type, CONTENTS[type](chance), fields);
}

const sure = (raw: RawKey) => {
  const found = detectLock(raw, undefined);
  return found !== undefined && found.confidence !== "possible" ? found : undefined;
};
const shown = ({ key, type, content, remainingMs }: RawKey) =>
  `${type} ${key} ${remainingMs} ${content.map((each) => each.toString("latin1")).join(" ")}`;

describe("application data", () => {
  it("none of 100,000 random keys is detected as a certain or likely lock", () => {
    const chance = createSeededRandom(20_261_121);
    const taken: string[] = [];
    const types = new Set<string>();
    for (let left = 100_000; left > 0; left--) {
      const raw = stranger(chance);
      if (hasLockLikeName(raw.key)) throw new Error(`the test made the name of a lock: ${raw.key}`);
      types.add(raw.type);
      const found = sure(raw);
      if (found !== undefined) taken.push(`${found.format} ${found.confidence}: ${shown(raw)}`);
    }
    expect(taken.slice(0, 10)).toEqual([]);
    expect(types.size).toBe(4);
  }, 60_000);

  const session = "0d5a3c1e-7b42-4f6a-9c31-5e8d2b7a4f10";
  const job = {
    name: "mail",
    data: "{}",
    opts: '{"attempts":3}',
    timestamp: String(NOW),
    processedOn: String(NOW),
    pb: "worker-1",
  };
  it.each<[string, LockType, (string | Buffer)[]]>([
    ["sess:8f14e45fceea167a5a36dedd4bea2543", "string", ['{"cookie":{"maxAge":86400000},"user":7}']],
    ["PHPREDIS_SESSION:q1w2e3r4t5", "string", ['user|a:1:{s:2:"id";i:7;}']],
    ["spring:session:sessions:x", "hash", ["creationTime", String(NOW), "maxInactiveInterval", "1800"]],
    ["login:7", "string", [session]],
    ["csrf:7", "string", [sha256("csrf").toString("hex")]],
    ["otp:7", "string", ["482913"]],
    ["reset:7", "string", [sha256("reset").subarray(0, 16).toString("base64url")]],
    ["etag:/a", "string", [createHash("md5").update("a").digest("hex")]],
    ["etag:/b", "string", [createHash("md5").update("b").digest("base64")]],
    ["visits:2026-11-21", "string", ["12345"]],
    ["last-seen:7", "string", [String(NOW)]],
    ["expires:7", "string", [String(Math.floor(NOW / 1000) + 60)]],
    ["rate:10.0.0.1", "string", ["17"]],
    ["config", "string", ['{"a":1}']],
    ["block:7", "string", [session]],
    ["wallclock", "string", [String(NOW)]],
    ["cart:7", "hash", ["sku:1", "2", "sku:2", "1"]],
    ["cart:8", "hash", [session, "2"]],
    ["user:7", "hash", ["name", "Mei", "token", session]],
    ["bull:mail:17", "hash", Object.entries(job).flat()],
    ["bull:mail:meta", "hash", ["version", "bullmq:5.1.0"]],
    ["bull:mail:delayed", "zset", ["17", String((NOW + 60_000) * 4096)]],
    ["online", "set", [session, "7"]],
    ["tags:7", "set", ["a", "b"]],
    ["leaderboard", "zset", ["mei", "100", "tom", "90"]],
    ["recent", "zset", [session, String(NOW)]],
    ["due", "zset", [session, String(NOW + 60_000)]],
    ["schedule", "zset", ['{"class":"Mail","jid":"b4a577edbccf1d805744efa9"}', String(NOW / 1000 + 60)]],
  ])(
    "the application key %s is not detected as a certain or likely lock, with or without a TTL",
    (key, type, content) => {
      for (const remainingMs of [null, 1000, 30_000, 3_600_000])
        expect(sure(createRawKey(key, type, content, { asOf: NOW, remainingMs }))).toBeUndefined();
    },
  );
});

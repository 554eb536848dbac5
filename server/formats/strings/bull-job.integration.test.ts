import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { formatTest } from "../../../test/support/fixtures.ts";
import { FormatRules } from "../format-rules.ts";
import { getReleaseTerms } from "../registry/release-terms.ts";

const it = formatTest().extend(
  "working",
  { scope: "file" },
  ({ direct }) =>
    // Creates a job that is being processed, as Bull and BullMQ store it, and its lock.
    async (id: string, token: string, { version, job = {} }: { version?: string; job?: object }) => {
      const queue = `bull:${randomUUID()}`;
      const fields = { name: "mail", data: "{}", timestamp: "1795216490000", processedOn: "1795216496123" };
      await direct.hset(`${queue}:${id}`, { ...fields, ...job });
      await direct.hset(`${queue}:meta`, { ...(version === undefined ? {} : { version }), x: "1" });
      await direct.set(`${queue}:${id}:lock`, token, "PX", 30_000);
      return `${queue}:${id}:lock`;
    },
);

describe("job locks", () => {
  it.for<[id: string, token: string]>([
    ["17", `${randomUUID()}:3`],
    ["repeat:0123456789abcdef:1795216490000", `${randomUUID()}:3`],
    ["17", randomUUID()],
    ["17", "my-own-token"],
  ])(
    "the lock of job %s with token %s is detected as BullMQ, with worker and start time, and cannot be released",
    async ([id, token], { working, observeHeld }) => {
      const key = await working(id, token, { version: "bullmq:5.1.0", job: { pb: "worker-1" } });
      const seen = await observeHeld(key);
      expect(seen).toMatchObject({ format: "bullmq", confidence: "certain", candidates: [] });
      expect(seen.holders).toMatchObject([
        { owner: token, sinceMs: 1_795_216_496_123, sinceIs: "reported", record: { service: "worker-1" } },
      ]);
      expect(getReleaseTerms(seen)).toMatchObject({ may: "never", reservable: false });
    },
  );

  it.for([
    "0123456789abcdef0123456789abcdef01234567",
    randomUUID().replaceAll("-", ""),
    "aB3dE5fG7hJ9kL1m",
    "worker-7",
    "17",
  ])(
    "a job lock with the chosen token %s and another prefix cannot be released",
    async (token, { direct, observeHeld }) => {
      const queue = `jobs:${randomUUID()}`;
      await direct.hset(`${queue}:17`, { name: "mail", timestamp: "1795216490000" });
      await direct.set(`${queue}:17:lock`, token, "PX", 30_000);
      expect((await observeHeld(`${queue}:17:lock`)).format).not.toBe("bullmq");
      await direct.hset(`${queue}:meta`, { version: "bullmq:5.1.0" });
      const seen = await observeHeld(`${queue}:17:lock`);
      expect(seen).toMatchObject({ format: "bullmq", confidence: "certain", isChosen: true });
      expect(getReleaseTerms(seen).may).toBe("never");
    },
  );

  it("a job lock is detected as BullMQ by its token when the queue states no version", async ({
    observeHeld,
    working,
  }) => {
    expect((await observeHeld(await working("17", `${randomUUID()}:0`, {}))).format).toBe("bullmq");
  });

  it("a job lock without any sign of BullMQ is detected as Bull and cannot be released", async ({
    observeHeld,
    working,
  }) => {
    const seen = await observeHeld(await working("17", randomUUID(), {}));
    expect(seen).toMatchObject({ format: "bull", confidence: "certain" });
    expect(seen.holders[0].record).toBeUndefined();
    expect(getReleaseTerms(seen).may).toBe("never");
  });

  it("a lock without a job hash is detected as another format", async ({ direct, observeHeld }) => {
    const key = `orders:${randomUUID()}:lock`;
    await direct.set(key, randomUUID(), "PX", 30_000);
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ format: "token", confidence: "likely" });
    expect(seen.candidates).toContain("spring");
    expect(getReleaseTerms(seen).may).toBe("yes");
    await direct.set(key, `${randomUUID()}:3`, "PX", 30_000);
    expect(await observeHeld(key)).toMatchObject({
      format: "token",
      candidates: ["bullmq"],
      confidence: "possible",
    });
    await direct.set(key.slice(0, -":lock".length), "no job");
    expect((await observeHeld(key)).format).toBe("token");
  });

  it("a format rule decides the format of a job lock whether or not its job exists", async ({
    direct,
    observeHeld,
  }) => {
    const key = `orders:${randomUUID()}:lock`;
    await direct.set(key, "x", "PX", 30_000);
    const rules = new FormatRules([{ pattern: "orders:*", format: "bull" }]);
    expect(await observeHeld(key, rules)).toMatchObject({ format: "bull", confidence: "certain" });
  });
});

import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import { readKeys } from "../../formats/registry/read-keys.ts";
import type { AcquireOptions } from "../verbs/contract/verbs.ts";

const it = quorumTest(5).extend(
  "acquireEverywhere",
  { scope: "file" },
  ({ acquire, readFences }) =>
    async (key: string, more: Partial<AcquireOptions> = {}) => {
      const hold = await acquire(key, "me", more);
      await waitUntil(async () => (await readFences(key)).every((fence) => fence === hold.fence));
      return hold;
    },
);
const everywhere = <Value>(value: Value) => Array.from({ length: 5 }, () => value);

describe("operators on a quorum", () => {
  /** Reads the lock from one master. */
  const observe = async (redis: Redis, key: string) => {
    const [seen] = await readKeys(redis, [key]);
    if (seen?.state !== "held") throw new Error("it is not held");
    return seen;
  };
  const by = { by: "mei", reason: "a test" };

  it("an extension and a force-release reach the master that missed the agreed fencing token", async ({
    acquireEverywhere,
    backend,
    masters,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    const missed = { token: hold.token, from: hold.fence, fence: String(Number(hold.fence) + 7), count: 1 };
    await LOCK_WRITERS.token.agree(masters.getClient(4), key, missed);
    const seen = await observe(masters.getClient(0), key);
    const extended = await backend.verbs.extend(seen, { leaseMs: 90_000, ...by });
    expect(extended).toMatchObject({ outcome: "extended" });
    expect(await masters.getClient(4).pttl(key)).toBeGreaterThan(80_000);
    const released = await backend.verbs.forceRelease(seen, { holder: undefined, ...by });
    expect(released.masters?.map(({ outcome }) => outcome)).toEqual(everywhere("released"));
  });

  it("a force-release does not touch a later hold of the same owner", async ({
    acquireEverywhere,
    backend,
    masters,
    release,
    key,
  }) => {
    const first = await acquireEverywhere(key);
    const seen = await observe(masters.getClient(0), key);
    await release(first);
    const { token } = await acquireEverywhere(key);
    const answer = await backend.verbs.forceRelease(seen, { holder: undefined, ...by });
    expect(answer.outcome).toBe("changed");
    expect(await backend.verbs.extend(seen, { leaseMs: 90_000, ...by })).toMatchObject({
      outcome: "changed",
    });
    expect(await masters.readHolders(key)).toEqual(everywhere(token));
  });
});

describe("release requests on a quorum", () => {
  it("a hold declares nothing, and a request and an answer are refused", async ({
    acquireEverywhere,
    backend: { verbs },
    masters,
    key,
  }) => {
    const hold = await acquireEverywhere(key, { receivesReleaseRequests: true });
    await verbs.renew(hold, { receivesReleaseRequests: true });
    const [seen] = await readKeys(masters.getClient(0), [key]);
    if (seen?.state !== "held") throw new Error("it is not held");
    expect(seen.holders[0].receivesReleaseRequests).toBeUndefined();
    const ask = { by: "mei", reason: "a test" };
    expect(await verbs.requestRelease(seen, seen.holders[0], ask)).toEqual({ outcome: "unsupported" });
    const answer = verbs.answerReleaseRequest(hold, { requestId: "rr_1", answer: "accepted" });
    await expect(answer).rejects.toMatchObject({ code: "release_request_unsupported" });
  });
});

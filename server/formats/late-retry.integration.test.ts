import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

const it = redisTest()
  .extend("acquire", { scope: "file" }, ({ direct }) => async (name: WritableFormat, key: string) => {
    const reply = await LOCK_WRITERS[name].acquire(direct, EVENT_CHANNEL, key, {
      ...{ id: randomUUID(), digest: "-", token: `${randomUUID()}:1`, owner: "me", leaseMs: 30_000 },
      ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
    });
    if (reply.outcome !== "granted") throw new Error(reply.outcome);
    return reply;
  })
  .extend(
    "release",
    { scope: "file" },
    ({ direct }) =>
      (
        name: WritableFormat,
        key: string,
        { token, fence }: { token: string; fence: string },
        id = randomUUID(),
        retryMs?: number,
      ) =>
        LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, { id, digest: "-", token, fence, retryMs }),
  );

/** Number of requests that exceeds the capacity of a lock's request window. */
const OTHERS = 20;

it.for(WRITABLE_FORMATS)(
  "a retry of a release outside the request window returns unknown instead of not_held (%s)",
  async (name, { acquire, release, key }) => {
    const id = randomUUID();
    const hold = await acquire(name, key);
    expect(await release(name, key, hold, id)).toMatchObject({ outcome: "released" });
    for (let n = 0; n < OTHERS; n++) await release(name, key, await acquire(name, key));
    const next = await acquire(name, key);
    // The reply was lost. The retry states an age of 1 ms, measured when it was sent.
    expect(await release(name, key, hold, id, 1)).toEqual({ outcome: "unknown" });
    expect(await release(name, key, next)).toMatchObject({ outcome: "released" });
  },
);

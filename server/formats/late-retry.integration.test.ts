import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

const it = redisTest()
  .extend(
    "acquire",
    { scope: "file" },
    ({ direct }) =>
      (name: WritableFormat, key: string, owner: string) =>
        LOCK_WRITERS[name].acquire(direct, EVENT_CHANNEL, key, {
          ...{ id: randomUUID(), digest: "-", owner, leaseMs: 30_000, reentrant: true },
          ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
        }),
  )
  .extend(
    "release",
    { scope: "file" },
    ({ direct }) =>
      (name: WritableFormat, key: string, owner: string, id = randomUUID(), retryMs?: number) =>
        LOCK_WRITERS[name].release(direct, EVENT_CHANNEL, key, { id, digest: "-", owner, retryMs }),
  );

/** More than the window of a lock takes, and fewer than two of them. */
const OTHERS = 20;

it.for(WRITABLE_FORMATS)(
  "a retry of a release outside the request window returns unknown instead of not_held (%s)",
  async (name, { acquire, release, key }) => {
    const id = randomUUID();
    await acquire(name, key, "me");
    expect(await release(name, key, "me", id)).toMatchObject({ outcome: "released" });
    for (let n = 0; n < OTHERS; n++) {
      await acquire(name, key, `other ${n}`);
      await release(name, key, `other ${n}`);
    }
    await acquire(name, key, "next");
    // Its answer was lost; it says that it was sent a millisecond ago, as it was when it set out.
    expect(await release(name, key, "me", id, 1)).toEqual({ outcome: "unknown" });
    expect(await release(name, key, "next")).toMatchObject({ outcome: "released" });
  },
);

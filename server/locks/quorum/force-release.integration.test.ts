import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { observeHeldLock } from "../../../test/support/observed-lock.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const it = quorumTest(3);

describe("force-release on a quorum", () => {
  it("a force-release by a majority of the masters reaches the signal of the hold long before the next renewal", async ({
    backend,
    client,
    masters,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 30_000 });
    const seen = await observeHeldLock(masters.getClient(0), key);
    const freed = await backend.verbs.forceRelease(seen, { holder: undefined, by: "mei", reason: "stuck" });
    expect(freed.outcome).toBe("released");
    // The next renewal is due after 10 s.
    await waitUntil(() => hold.signal.aborted, 5000);
    expect(hold.signal.reason).toMatchObject({ message: expect.stringMatching(/force-released/) });
  });
});

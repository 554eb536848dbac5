import { describe, expect } from "vitest";
import { mastersTest } from "../../../test/support/fixtures.ts";
import { LockClient } from "../client/lock-client.ts";

const it = mastersTest(3);

const catchStartupError = (quorum: readonly string[]): Promise<string> =>
  LockClient.open({ quorum }).then(
    (client) => {
      client.close();
      return "it was opened";
    },
    (error: Error) => error.message,
  );

describe("opening a quorum", () => {
  it.each([0, 1, 2, 4])("a quorum of %i masters is refused with the required number", async (count) => {
    const urls = Array.from({ length: count }, (_, n) => `redis://127.0.0.1:${n + 1}`);
    const why = await catchStartupError(urls);
    expect(why).toContain("an odd number of independent Redis masters, 3 or more");
    expect(why).toMatch(new RegExp(`; ${count} (was|were) given`));
  });

  it("a quorum is refused when two of its URLs point to the same server", async ({ masters }) => {
    const [one = "", two = ""] = masters.urls;
    expect(await catchStartupError([one, two, one])).toContain("are the same server");
    expect(await catchStartupError([one, two, `${one}/1`])).toContain("are the same server");
    expect(await catchStartupError([one, two, one.replace("127.0.0.1", "localhost")])).toContain(
      "are the same server",
    );
  });

  it("a quorum opens with a minority down, and without a majority names the missing masters", async ({
    masters,
  }) => {
    const [one = "", two = ""] = masters.urls;
    const client = await LockClient.open({ quorum: [one, two, "redis://:secret@127.0.0.1:1"] });
    const hold = await client.acquire("lock:opened");
    await hold.release();
    client.close();
    const why = await catchStartupError([one, "redis://:secret@127.0.0.1:1", "redis://:secret@127.0.0.1:2"]);
    expect(why).toContain("Could not reach a majority of the Redis masters");
    expect(why).toMatch(/127\.0\.0\.1:1: connect ECONNREFUSED; 127\.0\.0\.1:2: connect ECONNREFUSED/);
    expect(why).not.toContain("secret");
  });
});

import { buildConditionKeys } from "../../server/formats/condition-keys.ts";
import { locksTest } from "./fixtures.ts";
import type { TestRedisOptions } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

/**
 * Returns a test function for conditions. Its fixture `countWaiters` counts the clients that wait for a signal, and
 * `waitForWaiters` waits until there is a given number of them.
 */
export function conditionTest(options: TestRedisOptions = {}) {
  return locksTest(options)
    .extend("other", { scope: "file" }, ({ env }) => env.openClient())
    .extend("countWaiters", { scope: "file" }, ({ direct }) => async (key: string, condition = "") => {
      const places = await direct.zrange(String(buildConditionKeys(key)[0]), "0", "-1");
      return places.filter((place) => condition === "" || place.startsWith(`${condition}\t`)).length;
    })
    .extend(
      "waitForWaiters",
      { scope: "file" },
      ({ countWaiters }) =>
        (key: string, count: number) =>
          waitUntil(async () => (await countWaiters(key)) === count),
    );
}

import { expect, it } from "vitest";
import { settleLimited } from "./settle-limited.ts";

it("each item has its own outcome, in the order of the items", async () => {
  const settled = await settleLimited([3, 1, 2], 2, async (each) => {
    if (each === 1) throw new Error("one");
    return each * 10;
  });
  expect(settled.map((each) => (each.status === "fulfilled" ? each.value : each.reason.message))).toEqual([
    30,
    "one",
    20,
  ]);
});

it("at most the limit of items runs at a time", async () => {
  let running = 0;
  let most = 0;
  await settleLimited(Array.from({ length: 20 }), 3, async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  });
  expect(most).toBe(3);
});

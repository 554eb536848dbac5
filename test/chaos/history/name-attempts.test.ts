import { describe, expect, it } from "vitest";
import type { Entry } from "./entry.ts";
import { nameAttempts } from "./name-attempts.ts";

const acquire = (process: string, call: number, more: Partial<Entry>): Entry => ({
  ...{ t: 0, process, op: "acquire", type: "invoke", call },
  ...more,
});
const getTokens = (history: readonly Entry[]) => nameAttempts(history).map(({ token }) => token);

describe("names of acquires in a history", () => {
  it("the request of a granted acquire gets the token of its grant", () => {
    expect(getTokens([acquire("w1.1", 1, {}), acquire("w1.1", 1, { type: "ok", token: "t:1" })])).toEqual([
      "t:1",
      "t:1",
    ]);
  });

  it("acquires without a grant get different names, also for one call number in two processes", () => {
    const refused = acquire("w1.1", 1, { type: "fail", code: "held" });
    expect(
      getTokens([acquire("w1.1", 1, {}), refused, acquire("w2.1", 1, {}), acquire("w1.1", 2, {})]),
    ).toEqual(["w1.1#1", "w1.1#1", "w2.1#1", "w1.1#2"]);
  });

  it("other entries are left as they are", () => {
    const history = [
      acquire("w1.1", 1, { op: "reenter", token: "t:1" }),
      acquire("w1.1", 2, { op: "fault" }),
    ];
    expect(nameAttempts(history)).toEqual(history);
  });
});

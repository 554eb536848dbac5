import { expect, it } from "vitest";
import { readConfig } from "../../server/config/config.ts";
import { createCommandEnvironment, formatEnclosingHolds, readEnclosingHolds } from "./command-environment.ts";

const name = (count: number) => Array.from({ length: count }, (_, at) => ({ holdId: `h1.hold${at}` }));

it("an inner command gets the holds of all runs around it, outermost first", () => {
  const outer = formatEnclosingHolds({}, [{ holdId: "h1.outer" }]);
  const inner = formatEnclosingHolds({ LOCKKEEPER_HOLDING: outer }, [{ holdId: "h1.inner" }]);
  expect([outer, inner]).toEqual(["h1.outer", "h1.outer h1.inner"]);
  expect(readEnclosingHolds({ LOCKKEEPER_HOLDING: inner })).toEqual(["h1.outer", "h1.inner"]);
  expect(readEnclosingHolds({})).toEqual([]);
});

it("at most 16 holds of the innermost runs are declared", () => {
  const text = formatEnclosingHolds({ LOCKKEEPER_HOLDING: "h1.outer" }, name(20));
  expect(text.split(" ")).toEqual(
    name(20)
      .slice(4)
      .map(({ holdId }) => holdId),
  );
});

it("words that are not hold ids are ignored", () => {
  const variables = { LOCKKEEPER_HOLDING: "  h1.a b h1. h2.c\n h1.d$ h1.e " };
  expect(readEnclosingHolds(variables)).toEqual(["h1.a", "h1.e"]);
});

it("a server accepts the environment of a command", () => {
  const holds = [{ key: "lock:a", fence: "7", holdId: "h1.a" }];
  const environment = createCommandEnvironment({}, { holds, apiKey: "remove" });
  expect(readConfig(environment, []).port).toBe(3000);
});

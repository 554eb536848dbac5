import { expect, it } from "vitest";
import { clientRequestIdOf } from "./request-id.ts";

const given = (id: string | undefined) => clientRequestIdOf({ header: () => id });

it("keeps an id of visible characters", () => {
  expect(given("7f3a-21")).toBe("7f3a-21");
  expect(given(undefined)).toBeUndefined();
});

it.each(["", "a b", "a\nlevel=error", "\u001b[31m", "ü", "x".repeat(129)])("leaves out %j", (id) => {
  expect(given(id)).toBeUndefined();
});

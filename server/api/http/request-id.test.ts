import { expect, it } from "vitest";
import { clientRequestIdOf } from "./request-id.ts";

const given = (id: string | undefined) => clientRequestIdOf({ header: () => id });

it("a request id of visible characters is kept", () => {
  expect(given("7f3a-21")).toBe("7f3a-21");
  expect(given(undefined)).toBeUndefined();
});

it.each(["", "a b", "a\nlevel=error", "\u001b[31m", "ü", "x".repeat(129)])("the request id %j is dropped", (id) => {
  expect(given(id)).toBeUndefined();
});

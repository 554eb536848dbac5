import { expect, it } from "vitest";
import { readClientRequestId } from "./request-id.ts";

const readGivenId = (id: string | undefined) => readClientRequestId({ header: () => id });

it("a request id of visible characters is kept", () => {
  expect(readGivenId("7f3a-21")).toBe("7f3a-21");
  expect(readGivenId(undefined)).toBeUndefined();
});

it.each(["", "a b", "a\nlevel=error", "\u001b[31m", "ü", "x".repeat(129)])(
  "the request id %j is dropped",
  (id) => {
    expect(readGivenId(id)).toBeUndefined();
  },
);

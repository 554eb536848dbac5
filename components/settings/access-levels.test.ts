import { expect, test } from "vitest";
import { Access } from "@/lib/contract/access.ts";
import { ACCESS_LEVELS } from "./access-levels.ts";

test("the verbs in the settings match the contract and its order", () => {
  expect(ACCESS_LEVELS).toEqual(Access.options);
});

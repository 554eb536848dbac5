import { expect, test } from "vitest";
import { Access } from "@/lib/contract/access.ts";
import { ACCESSES } from "./access-levels.ts";

test("the verbs in the settings match the contract and its order", () => {
  expect(ACCESSES).toEqual(Access.options);
});

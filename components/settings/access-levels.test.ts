import { expect, test } from "vitest";
import { Access } from "@/lib/contract/access.ts";
import { ACCESSES } from "./access-levels.ts";

test("the verbs that the settings offer are those of the contract, in its order", () => {
  expect(ACCESSES).toEqual(Access.options);
});

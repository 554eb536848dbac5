import { expect, test } from "vitest";
import { ACCESS_OF_ROLE, Role } from "@/lib/contract/access.ts";
import { rankOf } from "./permissions.ts";

test("a set of permissions is named by the highest role that it covers", () => {
  for (const role of Role.options) expect(rankOf(ACCESS_OF_ROLE[role])).toBe(role);
  expect(rankOf(["read", "lock"])).toBe("viewer");
  expect(rankOf(["lock"])).toBe("none");
});

import { expect, test } from "vitest";
import { ACCESS_OF_ROLE, Role } from "@/lib/contract/access.ts";
import { rankOf } from "./permissions.ts";

test("whoever has what a role has is called by it, and by the highest", () => {
  for (const role of Role.options) expect(rankOf(ACCESS_OF_ROLE[role])).toBe(role);
  expect(rankOf(["read", "lock"])).toBe("viewer");
  expect(rankOf(["lock"])).toBe("none");
});

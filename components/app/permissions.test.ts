import { expect, test } from "vitest";
import { ACCESS_OF_ROLE, Role } from "@/lib/contract/access.ts";
import { getRole } from "./permissions.ts";

test("a set of permissions is named by the highest role that it covers", () => {
  for (const role of Role.options) expect(getRole(ACCESS_OF_ROLE[role])).toBe(role);
  expect(getRole(["read", "lock"])).toBe("viewer");
  expect(getRole(["lock"])).toBe("none");
});

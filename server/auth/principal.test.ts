import { expect, it } from "vitest";
import { type Access, may, type Role } from "./principal.ts";

it.each<[Role, Access[]]>([
  ["viewer", ["read"]],
  ["operator", ["read", "force"]],
  ["admin", ["read", "lock", "force", "admin"]],
])("a %s may do %j and nothing else", (role, accesses) => {
  const all: Access[] = ["read", "lock", "force", "admin"];
  const principal = { kind: "session", name: "mei", role } as const;
  expect(all.filter((access) => may(principal, access))).toEqual(accesses);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACCESS_OF_ROLE, Access, Role } from "../../lib/contract/access.ts";
import { createKeyGrants, createRoleGrants } from "./grant.ts";
import { canAccess, canAccessSome, getAllowedKeys, getRoleAt, type Principal } from "./principal.ts";

const createPrincipal = (grants: Principal["grants"]): Principal => ({
  kind: "key",
  id: "k",
  name: "key:k",
  grants,
});
const target = fc.constantFrom("shop", "stage", "elsewhere");
const access = fc.constantFrom(...Access.options);
const roleOrNone = fc.constantFrom(...Role.options, "none" as const);

describe("roles", () => {
  it.each<[Role, Access[]]>([
    ["viewer", ["read"]],
    ["operator", ["read", "force"]],
    ["admin", ["read", "lock", "force", "admin"]],
  ])("a %s may do %j and nothing else, at each target and for the server as a whole", (role, accesses) => {
    const principal = createPrincipal(createRoleGrants({ "*": role }));
    for (const about of [{}, { target: "shop" }, { target: "shop", key: "lock:a" }]) {
      expect(Access.options.filter((each) => canAccess(principal, each, about))).toEqual(accesses);
    }
  });

  it("a role at a named target takes precedence, and a lower one there denies access to all targets", () => {
    const roles = fc.dictionary(fc.constantFrom("*", "shop", "stage"), roleOrNone);
    fc.assert(
      fc.property(roles, target, access, (given, at, wanted) => {
        const principal = createPrincipal(createRoleGrants(given));
        const accessesOf = (role: Role | "none" = "none") => (role === "none" ? [] : ACCESS_OF_ROLE[role]);
        const has = accessesOf(given[at] ?? given["*"]).includes(wanted);
        expect(canAccess(principal, wanted, { target: at })).toBe(has);
        expect(canAccess(principal, wanted, { target: at, key: "any" })).toBe(has);
        const all = ["*", ...Object.keys(given)].every((name) => accessesOf(given[name]).includes(wanted));
        expect(canAccess(principal, wanted, {})).toBe(all);
        expect(getRoleAt(principal, at) ?? "none").toBe(given[at] ?? given["*"] ?? "none");
      }),
    );
  });

  it("names of object properties are ordinary target names", () => {
    const principal = createPrincipal(createRoleGrants({ "*": "none" }));
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
      expect(canAccessSome(principal, "read", name)).toBe(false);
  });
});

describe("permissions of an API key", () => {
  const principal = createPrincipal(
    createKeyGrants({ verbs: ["read", "lock"], targets: ["shop"], keys: ["lock:orders:*", "lock:[ab]"] }),
  );

  it("an API key may use its verbs on its keys at its targets", () => {
    expect(canAccess(principal, "lock", { target: "shop", key: "lock:orders:1" })).toBe(true);
    expect(canAccess(principal, "lock", { target: "shop", key: "lock:b" })).toBe(true);
    expect(canAccess(principal, "force", { target: "shop", key: "lock:orders:1" })).toBe(false);
    expect(canAccess(principal, "lock", { target: "stage", key: "lock:orders:1" })).toBe(false);
    expect(canAccess(principal, "lock", { target: "shop", key: "lock:other" })).toBe(false);
  });

  it("an API key for some keys may do nothing about all keys and differs from one that may", () => {
    expect(canAccess(principal, "read", { target: "shop" })).toBe(false);
    expect(canAccessSome(principal, "read", "shop")).toBe(true);
    expect(canAccessSome(principal, "read", "stage")).toBe(false);
    expect(getAllowedKeys(principal, "read", "shop")?.patterns).toEqual(["lock:orders:*", "lock:[ab]"]);
    const all = createPrincipal(createKeyGrants({ verbs: ["read"], targets: ["*"], keys: ["lock:a", "*"] }));
    expect(getAllowedKeys(all, "read", "shop")).toBeUndefined();
    expect(canAccess(all, "read", {})).toBe(true);
  });
});

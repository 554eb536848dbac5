import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACCESS_OF_ROLE, Access, Role } from "../../lib/contract/access.ts";
import { grantsOfKey, grantsOfRoles } from "./grant.ts";
import { keysFor, may, maySome, type Principal, roleAt } from "./principal.ts";

const having = (grants: Principal["grants"]): Principal => ({ kind: "key", id: "k", name: "key:k", grants });
const target = fc.constantFrom("shop", "stage", "elsewhere");
const access = fc.constantFrom(...Access.options);
const roleOrNone = fc.constantFrom(...Role.options, "none" as const);

describe("roles", () => {
  it.each<[Role, Access[]]>([
    ["viewer", ["read"]],
    ["operator", ["read", "force"]],
    ["admin", ["read", "lock", "force", "admin"]],
  ])("a %s may do %j and nothing else, at each target and for the server as a whole", (role, accesses) => {
    const principal = having(grantsOfRoles({ "*": role }));
    for (const about of [{}, { target: "shop" }, { target: "shop", key: "lock:a" }]) {
      expect(Access.options.filter((each) => may(principal, each, about))).toEqual(accesses);
    }
  });

  it("a role at a named target takes precedence, and a lower one there denies access to all targets", () => {
    const roles = fc.dictionary(fc.constantFrom("*", "shop", "stage"), roleOrNone);
    fc.assert(
      fc.property(roles, target, access, (given, at, wanted) => {
        const principal = having(grantsOfRoles(given));
        const accessesOf = (role: Role | "none" = "none") => (role === "none" ? [] : ACCESS_OF_ROLE[role]);
        const has = accessesOf(given[at] ?? given["*"]).includes(wanted);
        expect(may(principal, wanted, { target: at })).toBe(has);
        expect(may(principal, wanted, { target: at, key: "any" })).toBe(has);
        const all = ["*", ...Object.keys(given)].every((name) => accessesOf(given[name]).includes(wanted));
        expect(may(principal, wanted, {})).toBe(all);
        expect(roleAt(principal, at) ?? "none").toBe(given[at] ?? given["*"] ?? "none");
      }),
    );
  });

  it("names of object properties are ordinary target names", () => {
    const principal = having(grantsOfRoles({ "*": "none" }));
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
      expect(maySome(principal, "read", name)).toBe(false);
  });
});

describe("permissions of an API key", () => {
  const principal = having(
    grantsOfKey({ verbs: ["read", "lock"], targets: ["shop"], keys: ["lock:orders:*", "lock:[ab]"] }),
  );

  it("an API key may use its verbs on its keys at its targets", () => {
    expect(may(principal, "lock", { target: "shop", key: "lock:orders:1" })).toBe(true);
    expect(may(principal, "lock", { target: "shop", key: "lock:b" })).toBe(true);
    expect(may(principal, "force", { target: "shop", key: "lock:orders:1" })).toBe(false);
    expect(may(principal, "lock", { target: "stage", key: "lock:orders:1" })).toBe(false);
    expect(may(principal, "lock", { target: "shop", key: "lock:other" })).toBe(false);
  });

  it("an API key for some keys may do nothing about all keys and is told apart from one that may", () => {
    expect(may(principal, "read", { target: "shop" })).toBe(false);
    expect(maySome(principal, "read", "shop")).toBe(true);
    expect(maySome(principal, "read", "stage")).toBe(false);
    expect(keysFor(principal, "read", "shop")?.patterns).toEqual(["lock:orders:*", "lock:[ab]"]);
    const all = having(grantsOfKey({ verbs: ["read"], targets: ["*"], keys: ["lock:a", "*"] }));
    expect(keysFor(all, "read", "shop")).toBeUndefined();
    expect(may(all, "read", {})).toBe(true);
  });
});

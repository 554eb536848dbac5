import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Access, Role } from "../../lib/contract/access.ts";
import { ForbiddenError } from "../errors/request-errors.ts";
import { assertCanDelegate, toKeyPermissions } from "./delegation.ts";
import { type AccessGrant, createKeyGrants, createRoleGrants, type KeyPermissions } from "./grant.ts";
import { canAccess, type Principal } from "./principal.ts";

const createPrincipal = (grants: readonly AccessGrant[]): Principal => ({
  kind: "key",
  id: "k",
  name: "key:k",
  grants,
});

const name = fc.constantFrom("shop", "stage");
const pattern = fc.constantFrom("*", "a*", "ab*", "*b", "a?", "[ab]c", "a", "ab", "a*c", "a\\*");
const key = fc.string({ unit: fc.constantFrom("a", "b", "c", "*"), maxLength: 4 });
const roles = fc.dictionary(
  fc.constantFrom("*", "shop", "stage"),
  fc.constantFrom(...Role.options, "none" as const),
);
const keyGrant = fc.record<KeyPermissions>({
  verbs: fc.uniqueArray(fc.constantFrom(...Access.options), { minLength: 1 }),
  targets: fc.oneof(fc.constant(["*"]), fc.uniqueArray(name, { minLength: 1 })),
  keys: fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 }),
});
const maker = fc
  .oneof(
    roles.map(createRoleGrants),
    fc.array(keyGrant, { maxLength: 2 }).map((all) => all.flatMap(createKeyGrants)),
  )
  .map(createPrincipal);

function canDelegate(by: Principal, wanted: readonly KeyPermissions[]): boolean {
  try {
    assertCanDelegate(by, wanted);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ForbiddenError);
    return false;
  }
}

/**
 * Lists the permissions to check. For each kind of access, the scopes are the whole server, all keys of each target and
 * each single key. The targets include one on which the caller has no role.
 */
function createKeyPermissions(keys: readonly string[]) {
  const abouts = ["shop", "stage", "later"].flatMap((target) => [
    { target },
    ...keys.map((each) => ({ target, key: each })),
  ]);
  return Access.options.flatMap((access) => [{}, ...abouts].map((about) => ({ access, about })));
}

describe("delegation of permissions", () => {
  it("a new API key never has a permission that its creator lacks", () => {
    let handedOut = 0;
    fc.assert(
      fc.property(maker, keyGrant, fc.array(key, { minLength: 5, maxLength: 20 }), (by, wanted, keys) => {
        if (!canDelegate(by, [wanted])) return;
        handedOut++;
        const made = createPrincipal(createKeyGrants(wanted));
        for (const { access, about } of createKeyPermissions(keys))
          if (canAccess(made, access, about))
            expect([access, about, canAccess(by, access, about)]).toEqual([access, about, true]);
      }),
      { numRuns: 3000 },
    );
    expect(handedOut).toBeGreaterThan(100);
  });

  it("a new operator never has a permission that its creator lacks", () => {
    let handedOut = 0;
    fc.assert(
      fc.property(maker, roles, (by, wanted) => {
        if (!canDelegate(by, toKeyPermissions(wanted))) return;
        handedOut++;
        const made = createPrincipal(createRoleGrants(wanted));
        for (const { access, about } of createKeyPermissions(["a"]))
          if (canAccess(made, access, about))
            expect([access, about, canAccess(by, access, about)]).toEqual([access, about, true]);
      }),
      { numRuns: 2000 },
    );
    expect(handedOut).toBeGreaterThan(100);
  });

  it("a creator can delegate all of their own permissions", () => {
    const admin = createPrincipal(createRoleGrants({ "*": "admin" }));
    fc.assert(
      fc.property(keyGrant, (wanted) => {
        expect(canDelegate(createPrincipal(createKeyGrants(wanted)), [wanted])).toBe(true);
        expect(canDelegate(admin, [wanted])).toBe(true);
      }),
    );
  });
});

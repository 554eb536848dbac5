import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Access, Role } from "../../lib/contract/access.ts";
import { ForbiddenError } from "../errors/request-errors.ts";
import { assertMayHandOut, wantedOfRoles } from "./delegation.ts";
import { type Grant, grantsOfKey, grantsOfRoles, type KeyGrant } from "./grant.ts";
import { may, type Principal } from "./principal.ts";

const having = (grants: readonly Grant[]): Principal => ({ kind: "key", id: "k", name: "key:k", grants });

const name = fc.constantFrom("shop", "stage");
const pattern = fc.constantFrom("*", "a*", "ab*", "*b", "a?", "[ab]c", "a", "ab", "a*c", "a\\*");
const key = fc.string({ unit: fc.constantFrom("a", "b", "c", "*"), maxLength: 4 });
const roles = fc.dictionary(
  fc.constantFrom("*", "shop", "stage"),
  fc.constantFrom(...Role.options, "none" as const),
);
const keyGrant = fc.record<KeyGrant>({
  verbs: fc.uniqueArray(fc.constantFrom(...Access.options), { minLength: 1 }),
  targets: fc.oneof(fc.constant(["*"]), fc.uniqueArray(name, { minLength: 1 })),
  keys: fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 }),
});
const maker = fc
  .oneof(
    roles.map(grantsOfRoles),
    fc.array(keyGrant, { maxLength: 2 }).map((all) => all.flatMap(grantsOfKey)),
  )
  .map(having);

function mayHandOut(by: Principal, wanted: readonly KeyGrant[]): boolean {
  try {
    assertMayHandOut(by, wanted);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ForbiddenError);
    return false;
  }
}

/** All that can be asked for about one key, all keys of a target, a target that nobody named, the server as a whole. */
function asks(keys: readonly string[]) {
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
        if (!mayHandOut(by, [wanted])) return;
        handedOut++;
        const made = having(grantsOfKey(wanted));
        for (const { access, about } of asks(keys))
          if (may(made, access, about))
            expect([access, about, may(by, access, about)]).toEqual([access, about, true]);
      }),
      { numRuns: 3000 },
    );
    expect(handedOut).toBeGreaterThan(100);
  });

  it("a new operator never has a permission that its creator lacks", () => {
    let handedOut = 0;
    fc.assert(
      fc.property(maker, roles, (by, wanted) => {
        if (!mayHandOut(by, wantedOfRoles(wanted))) return;
        handedOut++;
        const made = having(grantsOfRoles(wanted));
        for (const { access, about } of asks(["a"]))
          if (may(made, access, about))
            expect([access, about, may(by, access, about)]).toEqual([access, about, true]);
      }),
      { numRuns: 2000 },
    );
    expect(handedOut).toBeGreaterThan(100);
  });

  it("a creator can delegate all of their own permissions", () => {
    const admin = having(grantsOfRoles({ "*": "admin" }));
    fc.assert(
      fc.property(keyGrant, (wanted) => {
        expect(mayHandOut(having(grantsOfKey(wanted)), [wanted])).toBe(true);
        expect(mayHandOut(admin, [wanted])).toBe(true);
      }),
    );
  });
});

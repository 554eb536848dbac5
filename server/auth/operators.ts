import { randomBytes } from "node:crypto";
import type { Operator, OperatorInput, OperatorPatch } from "../../lib/contract/accounts/operator.ts";
import { OPERATORS_MAX } from "../../lib/contract/limits.ts";
import { AlreadyExistsError, InvalidError, LastAdminError, NotFoundError } from "../errors/request-errors.ts";
import { type AccountChange, type Accounts, buildOperatorField, type StoredOperator } from "./account.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { assertCanDelegate, toKeyPermissions } from "./delegation.ts";
import { createRoleGrants } from "./grant.ts";
import type { LastUseTracker } from "./last-use-tracker.ts";
import { hashPassword } from "./password.ts";
import { buildOperatorId, canAccess, type Principal } from "./principal.ts";
import type { SavedViews } from "./saved-views.ts";
import type { Sessions } from "./sessions.ts";

/**
 * Lists, creates, changes and deletes operators. All methods reject with `unavailable` or `unknown_outcome` if the home
 * store is unreachable.
 */
export class Operators {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly lastUses: LastUseTracker,
    private readonly sessions: Sessions,
    private readonly views: SavedViews,
  ) {}

  async list(): Promise<Operator[]> {
    const lastLoginAt = await this.lastUses.readAll();
    return [...this.directory.accounts.operators]
      .map(([name, operator]) => toOperator(name, operator, lastLoginAt(buildOperatorField(name))))
      .sort((a, b) => a.name.localeCompare(b.name));
  }

  /** Returns the operator with this name. @throws LockkeeperError not_found */
  async get(name: string): Promise<Operator> {
    const operator = getStoredOperator(this.directory.accounts, name);
    return toOperator(name, operator, (await this.lastUses.readAll())(buildOperatorField(name)));
  }

  /**
   * Creates an operator.
   *
   * @throws LockkeeperError already_exists, invalid, rate_limited, or forbidden if the operator would have more access
   * than its creator
   */
  async create({ name, roles, password }: OperatorInput, by: Principal): Promise<Operator> {
    assertCanDelegate(by, toKeyPermissions(roles));
    assertNameAvailable(name, this.directory.accounts);
    // Views of an earlier operator with this name may still exist if the store was unreachable when that operator was
    // removed.
    await this.views.removeAllOf(buildOperatorId(name));
    const operator = await createStoredOperator({ roles, password }, by.name);
    await this.directory.update((accounts) => {
      assertNameAvailable(name, accounts);
      return { changes: [toWriteChange(name, operator)], result: undefined };
    });
    return toOperator(name, operator, null);
  }

  /**
   * Creates an administrator of all targets if there are no operators. If the home store is disconnected, returns
   * immediately and creates the administrator when the store is connected.
   */
  async createFirst(name: string, password: string): Promise<void> {
    await this.directory.whenAvailable(async () => {
      if (this.directory.accounts.operators.size > 0) return;
      const first = await createStoredOperator({ roles: { "*": "admin" }, password }, "configuration");
      await this.directory.update(({ operators }) => ({
        changes: operators.size > 0 ? [] : [toWriteChange(name, first)],
        result: undefined,
      }));
    });
  }

  /**
   * Applies a patch to an operator. Active sessions on all instances get the new access within two seconds. Ends the
   * sessions that the operator started with login links, or all of the operator's sessions if the patch disables the
   * operator.
   *
   * @param kept the secret of the session to keep. `undefined` to keep none
   * @throws LockkeeperError not_found, forbidden, last_admin
   */
  async update(
    name: string,
    patch: OperatorPatch,
    by: Principal,
    kept: string | undefined,
  ): Promise<Operator> {
    if (patch.roles !== undefined) assertCanDelegate(by, toKeyPermissions(patch.roles));
    await this.directory.update((accounts) => {
      const before = getStoredOperator(accounts, name);
      const after = { ...before, roles: patch.roles ?? before.roles, state: patch.state ?? before.state };
      if (patch.state === "enabled" && before.state === "disabled")
        assertCanDelegate(by, toKeyPermissions(after.roles));
      return { changes: requireRemainingAdmin(accounts, toWriteChange(name, after)), result: undefined };
    });
    await this.sessions.endAllFor(name, kept, patch.state === "disabled" ? "all" : "by_link");
    return await this.get(name);
  }

  /**
   * Deletes an operator and its saved views, and ends its sessions.
   *
   * @param kept the secret of the session to keep. `undefined` to keep none
   * @throws LockkeeperError not_found, last_admin
   */
  async remove(name: string, kept: string | undefined): Promise<void> {
    await this.directory.update((accounts) => {
      getStoredOperator(accounts, name);
      return {
        changes: requireRemainingAdmin(accounts, [buildOperatorField(name), undefined]),
        result: undefined,
      };
    });
    await this.lastUses.forget([buildOperatorField(name)]);
    await this.sessions.endAllFor(name, kept);
    await this.views.removeAllOf(buildOperatorId(name));
  }

  /**
   * Sets a password and ends the sessions of the operator, except the session whose secret is `kept`.
   *
   * @param by the caller. If operators set their own password, `itself` is the stored operator against which the
   * current password was verified
   * @param kept the secret of the session to keep. `undefined` to keep none
   * @throws LockkeeperError not_found or rate_limited, forbidden if the operator has more access than `by`, or invalid
   * if the password has changed since it was verified
   */
  async setPassword(
    name: string,
    password: string,
    by: Principal | { readonly itself: StoredOperator },
    kept: string | undefined,
  ): Promise<void> {
    const assertMaySet = (operator: StoredOperator) => {
      if (!("itself" in by)) assertCanDelegate(by, toKeyPermissions(operator.roles));
      else if (operator.epoch !== by.itself.epoch) {
        throw new InvalidError("old: the password has been changed meanwhile.", { field: "old" });
      }
    };
    assertMaySet(getStoredOperator(this.directory.accounts, name));
    const fresh = { password: await hashPassword(password), epoch: createEpoch() };
    if (kept !== undefined) await this.sessions.keepAcrossPasswordChange(kept, fresh.epoch);
    await this.directory.update((accounts) => {
      const before = getStoredOperator(accounts, name);
      assertMaySet(before);
      return { changes: [toWriteChange(name, { ...before, ...fresh })], result: undefined };
    });
    await this.sessions.endAllFor(name, kept);
  }
}

const createEpoch = () => randomBytes(9).toString("base64url");
const toWriteChange = (name: string, operator: StoredOperator): AccountChange => [
  buildOperatorField(name),
  JSON.stringify(operator),
];

async function createStoredOperator(
  { roles, password }: Pick<OperatorInput, "roles" | "password">,
  createdBy: string,
): Promise<StoredOperator> {
  const hash = password === undefined ? null : await hashPassword(password);
  return { roles, password: hash, state: "enabled", epoch: createEpoch(), createdAt: Date.now(), createdBy };
}

function getStoredOperator(accounts: Accounts, name: string): StoredOperator {
  const operator = accounts.operators.get(name);
  if (operator === undefined) {
    throw new NotFoundError("There is no operator with this name. GET /operators lists the names.");
  }
  return operator;
}

function assertNameAvailable(name: string, { operators }: Accounts): void {
  const folded = name.normalize("NFKC").toLowerCase();
  const existing = [...operators.keys()].find((other) => other.normalize("NFKC").toLowerCase() === folded);
  const field = { field: "name" };
  if (existing !== undefined)
    throw new AlreadyExistsError(
      `name: an operator named ${JSON.stringify(existing)} already exists.`,
      field,
    );
  if (operators.size < OPERATORS_MAX) return;
  throw new InvalidError(`The limit of ${OPERATORS_MAX} operators has been reached.`, {});
}

/**
 * Returns the change as a list. Throws if no operator with a password and full access would remain after the change.
 *
 * @throws LockkeeperError last_admin
 */
function requireRemainingAdmin(accounts: Accounts, change: AccountChange): AccountChange[] {
  const after = accounts.applyChanges("", [change]);
  if (hasAdmin(accounts) && !hasAdmin(after)) {
    throw new LastAdminError(
      "This is the last operator who can log in by password and administers every target. Create another one first.",
    );
  }
  return [change];
}

function hasAdmin({ operators }: Accounts): boolean {
  return [...operators].some(([name, { roles, state, password }]) => {
    const principal: Principal = { kind: "session", id: name, name, grants: createRoleGrants(roles) };
    return state === "enabled" && password !== null && canAccess(principal, "admin", {});
  });
}

function toOperator(name: string, operator: StoredOperator, lastLoginAt: number | null): Operator {
  const { roles, state, password, createdAt, createdBy } = operator;
  return {
    name,
    roles,
    state,
    password: password === null ? "none" : "set",
    createdAt,
    createdBy,
    lastLoginAt,
  };
}

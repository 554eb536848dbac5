import { randomBytes } from "node:crypto";
import type { Operator, OperatorInput, OperatorPatch } from "../../lib/contract/accounts/operator.ts";
import { OPERATORS_MAX } from "../../lib/contract/limits.ts";
import { InvalidError, LastAdminError, NotFoundError } from "../errors/request-errors.ts";
import { type Accounts, type Change, fieldOfOperator, type StoredOperator } from "./account.ts";
import type { AccountBook } from "./account-directory.ts";
import { assertMayHandOut, wantedOfRoles } from "./delegation.ts";
import { grantsOfRoles } from "./grant.ts";
import type { AccountUses } from "./last-use-tracker.ts";
import { hashPassword } from "./password.ts";
import { idOfOperator, may, type Principal } from "./principal.ts";
import type { SavedViews } from "./saved-views.ts";
import type { Sessions } from "./sessions.ts";

/** Who may come in by password. All reject with unavailable and unknown_outcome when the store is away. */
export class Operators {
  constructor(
    private readonly book: AccountBook,
    private readonly uses: AccountUses,
    private readonly sessions: Sessions,
    private readonly views: SavedViews,
  ) {}

  async list(): Promise<Operator[]> {
    const lastLoginAt = await this.uses.all();
    return [...this.book.accounts.operators]
      .map(([name, operator]) => shown(name, operator, lastLoginAt(fieldOfOperator(name))))
      .sort((a, b) => a.name.localeCompare(b.name));
  }

  /** @throws LockkeeperError not_found */
  async one(name: string): Promise<Operator> {
    const operator = operatorOf(this.book.accounts, name);
    return shown(name, operator, (await this.uses.all())(fieldOfOperator(name)));
  }

  /** @throws LockkeeperError invalid: the name is taken, forbidden: more than its maker has, rate_limited */
  async make({ name, roles, password }: OperatorInput, by: Principal): Promise<Operator> {
    assertMayHandOut(by, wantedOfRoles(roles));
    assertFree(name, this.book.accounts);
    // Whoever had that name before may have been removed while the store was away.
    await this.views.forget(idOfOperator(name));
    const operator = await made({ roles, password }, by.name);
    await this.book.change((accounts) => {
      assertFree(name, accounts);
      return { changes: [written(name, operator)], result: undefined };
    });
    return shown(name, operator, null);
  }

  /** Makes the first one, an admin everywhere, where there is none; now, or as soon as the store is there. */
  async makeFirst(name: string, password: string): Promise<void> {
    await this.book.whenThere(async () => {
      if (this.book.accounts.operators.size > 0) return;
      const first = await made({ roles: { "*": "admin" }, password }, "configuration");
      await this.book.change(({ operators }) => ({
        changes: operators.size > 0 ? [] : [written(name, first)],
        result: undefined,
      }));
    });
  }

  /**
   * What it changes counts for sessions that run, within two seconds everywhere; those begun by a link end.
   *
   * @param but the secret of a session that stays all the same
   * @throws LockkeeperError not_found, forbidden, last_admin
   */
  async change(
    name: string,
    patch: OperatorPatch,
    by: Principal,
    but: string | undefined,
  ): Promise<Operator> {
    if (patch.roles !== undefined) assertMayHandOut(by, wantedOfRoles(patch.roles));
    await this.book.change((accounts) => {
      const before = operatorOf(accounts, name);
      const after = { ...before, roles: patch.roles ?? before.roles, state: patch.state ?? before.state };
      if (patch.state === "enabled" && before.state === "disabled")
        assertMayHandOut(by, wantedOfRoles(after.roles));
      return { changes: kept(accounts, written(name, after)), result: undefined };
    });
    await this.sessions.endAllOf(name, but, patch.state === "disabled" ? "all" : "by_link");
    return await this.one(name);
  }

  /** @throws LockkeeperError not_found, last_admin */
  async remove(name: string, but: string | undefined): Promise<void> {
    await this.book.change((accounts) => {
      operatorOf(accounts, name);
      return { changes: kept(accounts, [fieldOfOperator(name), undefined]), result: undefined };
    });
    await this.uses.forget([fieldOfOperator(name)]);
    await this.sessions.endAllOf(name, but);
    await this.views.forget(idOfOperator(name));
  }

  /**
   * Ends all sessions of the operator but the one that is named.
   *
   * @param by who sets it; or the operator itself, as it was when it showed its old one
   * @param but the secret of the session that stays
   * @throws LockkeeperError not_found, forbidden: its roles are more than `by` has, invalid: somebody else has set one
   * meanwhile, rate_limited
   */
  async setPassword(
    name: string,
    password: string,
    by: Principal | { readonly itself: StoredOperator },
    but: string | undefined,
  ): Promise<void> {
    const assertMaySet = (operator: StoredOperator) => {
      if (!("itself" in by)) assertMayHandOut(by, wantedOfRoles(operator.roles));
      else if (operator.epoch !== by.itself.epoch) {
        throw new InvalidError("old: this is not the present password any more.", { field: "old" });
      }
    };
    assertMaySet(operatorOf(this.book.accounts, name));
    const fresh = { password: await hashPassword(password), epoch: newEpoch() };
    if (but !== undefined) await this.sessions.carryOver(but, fresh.epoch);
    await this.book.change((accounts) => {
      const before = operatorOf(accounts, name);
      assertMaySet(before);
      return { changes: [written(name, { ...before, ...fresh })], result: undefined };
    });
    await this.sessions.endAllOf(name, but);
  }
}

const newEpoch = () => randomBytes(9).toString("base64url");
const written = (name: string, operator: StoredOperator): Change => [
  fieldOfOperator(name),
  JSON.stringify(operator),
];

async function made(
  { roles, password }: Pick<OperatorInput, "roles" | "password">,
  createdBy: string,
): Promise<StoredOperator> {
  const hash = password === undefined ? null : await hashPassword(password);
  return { roles, password: hash, state: "enabled", epoch: newEpoch(), createdAt: Date.now(), createdBy };
}

function operatorOf(accounts: Accounts, name: string): StoredOperator {
  const operator = accounts.operators.get(name);
  if (operator === undefined) {
    throw new NotFoundError("There is no operator of this name; GET /operators lists them.");
  }
  return operator;
}

function assertFree(name: string, { operators }: Accounts): void {
  const folded = name.normalize("NFKC").toLowerCase();
  const taken = [...operators.keys()].find((other) => other.normalize("NFKC").toLowerCase() === folded);
  const field = { field: "name" };
  if (taken !== undefined)
    throw new InvalidError(`name: there is an operator ${JSON.stringify(taken)} already.`, field);
  if (operators.size < OPERATORS_MAX) return;
  throw new InvalidError(`There are ${OPERATORS_MAX} operators, which is as many as may be.`, {});
}

/** A change, if it leaves somebody who can log in and do everything. @throws LockkeeperError last_admin */
function kept(accounts: Accounts, change: Change): Change[] {
  const after = accounts.with("", [change]);
  if (hasAdmin(accounts) && !hasAdmin(after)) {
    throw new LastAdminError(
      "This is the last operator who can log in by password and is an admin everywhere. Make another one first.",
    );
  }
  return [change];
}

function hasAdmin({ operators }: Accounts): boolean {
  return [...operators].some(([name, { roles, state, password }]) => {
    const principal: Principal = { kind: "session", id: name, name, grants: grantsOfRoles(roles) };
    return state === "enabled" && password !== null && may(principal, "admin", {});
  });
}

function shown(name: string, operator: StoredOperator, lastLoginAt: number | null): Operator {
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

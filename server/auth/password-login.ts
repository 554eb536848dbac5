import { UnauthenticatedError } from "../errors/request-errors.ts";
import { fieldOfOperator, type StoredOperator } from "./account.ts";
import type { AccountBook } from "./account-directory.ts";
import type { AccountUses } from "./last-use-tracker.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { isPassword } from "./password.ts";

interface LoggedIn {
  readonly name: string;
  readonly operator: StoredOperator;
}

/** Tells whether a password is an operator's. What it answers, and when, is the same for names that are none. */
export class PasswordLogin {
  constructor(
    private readonly book: AccountBook,
    private readonly uses: AccountUses,
    private readonly throttle: LoginThrottle,
  ) {}

  /** @throws LockkeeperError unauthenticated, rate_limited, unavailable, unknown_outcome */
  async logIn(name: string, password: string, address: string | undefined): Promise<LoggedIn> {
    const found = await this.check(name, password, address);
    this.uses.touch(fieldOfOperator(found.name));
    return found;
  }

  /** The same, of one who is logged in already. */
  async check(name: string, password: string, address: string | undefined): Promise<LoggedIn> {
    const given = name.normalize("NFC");
    const tried = await this.throttle.begin(given, address);
    // For every name, so that one that was made elsewhere just now is no slower than the rest.
    await this.book.lookSurely();
    const operator = this.book.accounts.operators.get(given);
    const isRight = await isPassword(operator?.password, password);
    if (!isRight || operator?.state !== "enabled") {
      throw new UnauthenticatedError(
        "The name or the password is wrong, or this operator is disabled. An admin can set a new password.",
      );
    }
    await tried.passed();
    return { name: given, operator };
  }
}

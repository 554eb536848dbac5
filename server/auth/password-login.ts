import { UnauthenticatedError } from "../errors/request-errors.ts";
import { buildOperatorField, type StoredOperator } from "./account.ts";
import type { AccountDirectory } from "./account-directory.ts";
import type { LastUseTracker } from "./last-use-tracker.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { verifyPassword } from "./password.ts";

interface VerifiedLogin {
  readonly name: string;
  readonly operator: StoredOperator;
}

/**
 * Verifies the passwords of operators. Unknown names and wrong passwords cannot be distinguished by the response or its
 * timing.
 */
export class PasswordLogin {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly lastUses: LastUseTracker,
    private readonly throttle: LoginThrottle,
  ) {}

  /**
   * Verifies a password and records the login.
   *
   * @throws LockkeeperError unauthenticated, rate_limited, unavailable, unknown_outcome
   */
  async logIn(name: string, password: string, address: string | undefined): Promise<VerifiedLogin> {
    const found = await this.verify(name, password, address);
    this.lastUses.recordUse(buildOperatorField(found.name));
    return found;
  }

  /**
   * Verifies the password of an operator without recording a login.
   *
   * @throws LockkeeperError unauthenticated, rate_limited, unavailable, unknown_outcome
   */
  async verify(name: string, password: string, address: string | undefined): Promise<VerifiedLogin> {
    const given = name.normalize("NFC");
    const tried = await this.throttle.startAttempt(given, address);
    // Refreshes the accounts for every name, so that the timing does not reveal whether the name is in the cache.
    await this.directory.refresh();
    const operator = this.directory.accounts.operators.get(given);
    const isRight = await verifyPassword(operator?.password, password);
    if (!isRight || operator?.state !== "enabled") {
      throw new UnauthenticatedError(
        "The name or password is wrong, or the operator is disabled. An administrator can set a new password.",
      );
    }
    await tried.recordSuccess();
    return { name: given, operator };
  }
}

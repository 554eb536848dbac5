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

/** Tells whether a password is an operator's. What it answers, and when, is the same for names that are none. */
export class PasswordLogin {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly lastUses: LastUseTracker,
    private readonly throttle: LoginThrottle,
  ) {}

  /** @throws LockkeeperError unauthenticated, rate_limited, unavailable, unknown_outcome */
  async logIn(name: string, password: string, address: string | undefined): Promise<VerifiedLogin> {
    const found = await this.verify(name, password, address);
    this.lastUses.recordUse(buildOperatorField(found.name));
    return found;
  }

  /** The same, of one who is logged in already. */
  async verify(name: string, password: string, address: string | undefined): Promise<VerifiedLogin> {
    const given = name.normalize("NFC");
    const tried = await this.throttle.startAttempt(given, address);
    // For every name, so that one that was made elsewhere just now is no slower than the rest.
    await this.directory.refresh();
    const operator = this.directory.accounts.operators.get(given);
    const isRight = await verifyPassword(operator?.password, password);
    if (!isRight || operator?.state !== "enabled") {
      throw new UnauthenticatedError(
        "The name or the password is wrong, or this operator is disabled. An admin can set a new password.",
      );
    }
    await tried.recordSuccess();
    return { name: given, operator };
  }
}

import type { HomeStore } from "../home/home-store.ts";
import { AccountDirectory } from "./account-directory.ts";
import { ApiKeyVerifier } from "./api-key-verifier.ts";
import { ApiKeys } from "./api-keys.ts";
import { LastUseTracker } from "./last-use-tracker.ts";
import { LoginLinks } from "./login-link.ts";
import { LoginThrottle } from "./login-throttle.ts";
import { Operators } from "./operators.ts";
import { PasswordLogin } from "./password-login.ts";
import { SavedViews } from "./saved-views.ts";
import { type SessionLimits, Sessions } from "./sessions.ts";

/**
 * The services that work with the accounts in the home store: logins, sessions, operators, API keys and saved views.
 */
export interface Authenticator {
  readonly accountDirectory: AccountDirectory;
  readonly apiKeyVerifier: ApiKeyVerifier;
  readonly apiKeys: ApiKeys;
  readonly operators: Operators;
  readonly sessions: Sessions;
  readonly loginLinks: LoginLinks;
  readonly passwordLogin: PasswordLogin;
  readonly savedViews: SavedViews;
}

export interface AuthenticatorOptions {
  readonly sessionLimits: SessionLimits;
  /** The administrator to create if there are no operators. */
  readonly firstOperator: { readonly name: string; readonly password: string } | undefined;
}

/** Opens the authenticator. Reads the stored accounts now, or as soon as the home store is connected. */
export async function openAuthenticator(
  home: HomeStore,
  { sessionLimits, firstOperator }: AuthenticatorOptions,
): Promise<Authenticator> {
  const book = await AccountDirectory.open(home);
  const uses = new LastUseTracker(home);
  const sessions = new Sessions(home, book, sessionLimits);
  const views = new SavedViews(home);
  const operators = new Operators(book, uses, sessions, views);
  if (firstOperator !== undefined) await operators.createFirst(firstOperator.name, firstOperator.password);
  return {
    accountDirectory: book,
    sessions,
    operators,
    savedViews: views,
    loginLinks: new LoginLinks(home),
    apiKeyVerifier: new ApiKeyVerifier(book, uses),
    apiKeys: new ApiKeys(book, uses),
    passwordLogin: new PasswordLogin(book, uses, new LoginThrottle(home)),
  };
}

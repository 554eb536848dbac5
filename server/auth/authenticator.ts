import type { Home } from "../home/home-store.ts";
import { AccountBook } from "./account-directory.ts";
import { KeyRing } from "./api-key-verifier.ts";
import { ApiKeys } from "./api-keys.ts";
import { AccountUses } from "./last-use-tracker.ts";
import { LoginLinks } from "./login-link.ts";
import { LoginThrottle } from "./login-throttle.ts";
import { Operators } from "./operators.ts";
import { PasswordLogin } from "./password-login.ts";
import { SavedViews } from "./saved-views.ts";
import { type SessionLimits, Sessions } from "./sessions.ts";

/** Who may come in, and by what: all that is built on the accounts in the home store. */
export interface Admission {
  readonly book: AccountBook;
  readonly keyRing: KeyRing;
  readonly apiKeys: ApiKeys;
  readonly operators: Operators;
  readonly sessions: Sessions;
  readonly links: LoginLinks;
  readonly passwordLogin: PasswordLogin;
  readonly views: SavedViews;
}

export interface AdmissionOptions {
  readonly limits: SessionLimits;
  /** An admin who is made where there is no operator. */
  readonly first: { readonly name: string; readonly password: string } | undefined;
}

/** Returns also while the store is away: what it keeps is read as soon as it is there. */
export async function openAdmission(home: Home, { limits, first }: AdmissionOptions): Promise<Admission> {
  const book = await AccountBook.open(home);
  const uses = new AccountUses(home);
  const sessions = new Sessions(home, book, limits);
  const views = new SavedViews(home);
  const operators = new Operators(book, uses, sessions, views);
  if (first !== undefined) await operators.makeFirst(first.name, first.password);
  return {
    book,
    sessions,
    operators,
    views,
    links: new LoginLinks(home),
    keyRing: new KeyRing(book, uses),
    apiKeys: new ApiKeys(book, uses),
    passwordLogin: new PasswordLogin(book, uses, new LoginThrottle(home)),
  };
}

import type { ReactNode } from "react";

/** The page for logging in, and what stands where nobody is logged in. */
export const login = {
  namespace: "login" as const,
  loggingIn: "Logging in…",
  logIn: "Log in",
  name: "Name",
  password: "Password",
  linkExpired: "This link was used or has run out",
  linkExpiredText: "A link works once, for ten minutes. Run this for a new one.",
  orByPassword: "Or by name and password",
  noResponse: "Lockkeeper did not answer",
  noResponseText: "Nothing was decided about the link; it can be tried again.",
  orByLink: "Or with a one-time link",
  orByLinkText: "Run this where Lockkeeper is installed and open the link it prints.",
  copyCommand: "Copy the command",
  tooManyAttempts: "There were too many tries.",
  failedRetry: (failure: ReactNode) => <>{failure} Nothing was decided; try again.</>,
  wrong: "Name or password is wrong.",
  retryIn: (left: string) => `Too many tries. The next one is possible in ${left}.`,
  retryNow: "You can try again now.",
  notLoggedIn: "You are not logged in",
  byPassword: "Log in by name and password",
  byCommand:
    "Or run this where Lockkeeper is installed and open the link that it prints. The link works once, for ten minutes. This page goes on by itself after that.",
};

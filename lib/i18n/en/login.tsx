import type { ReactNode } from "react";

/** Messages for the login page, which also replaces all other pages if there is no session. */
export const login = {
  namespace: "login" as const,
  loggingIn: "Logging in…",
  logIn: "Log in",
  name: "Name",
  password: "Password",
  linkExpired: "This link has been used or has expired",
  linkExpiredText: "A link works once and expires after 10 minutes. Run this command to get a new one.",
  orByPassword: "Or log in with name and password",
  noResponse: "Lockkeeper did not respond",
  noResponseText: "The link is still valid. Try again.",
  orByLink: "Or log in with a one-time link",
  orByLinkText: "Run this command where Lockkeeper is installed and open the link that it prints.",
  copyCommand: "Copy command",
  tooManyAttempts: "Too many attempts.",
  failedRetry: (failure: ReactNode) => <>{failure} Try again.</>,
  wrong: "Incorrect name or password.",
  retryIn: (left: string) => `Too many attempts. Try again in ${left}.`,
  retryNow: "You can try again now.",
  notLoggedIn: "You are not logged in",
  byPassword: "Log in with name and password",
  byCommand:
    "Or run this command where Lockkeeper is installed and open the link that it prints. The link works once and expires after 10 minutes. This page continues automatically after you log in.",
};

"use client";

import { createContext, type ReactNode, useContext } from "react";

const LoginCommandContext = createContext("lockkeeper login");

/**
 * Provides the shell command that prints a login link. Operators run the command on the server. The command depends on
 * how Lockkeeper was installed.
 */
export function LoginCommandProvider({ command, children }: { command: string; children: ReactNode }) {
  return <LoginCommandContext value={command}>{children}</LoginCommandContext>;
}

/** Returns the shell command that prints a login link. Operators run it on the server. */
export function useLoginCommand(): string {
  return useContext(LoginCommandContext);
}

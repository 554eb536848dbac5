"use client";

import { createContext, type ReactNode, useContext } from "react";

const LoginCommandContext = createContext("lockkeeper login");

/** Provides the command that prints a login link on the server's machine, which depends on the installation. */
export function LoginCommandProvider({ command, children }: { command: string; children: ReactNode }) {
  return <LoginCommandContext value={command}>{children}</LoginCommandContext>;
}

/** Returns the command that prints a login link on the server's machine. */
export function useLoginCommand(): string {
  return useContext(LoginCommandContext);
}

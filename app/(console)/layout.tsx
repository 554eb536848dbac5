import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { requestApi } from "@/app/api-request.ts";
import { monoFont, sansFont } from "@/app/fonts.ts";
import { FontLoader } from "@/components/app/font-loader.tsx";
import { ConsoleShell } from "@/components/shell/console-shell.tsx";

// A chunk of its own: hardly any document needs it.
const LoginPage = dynamic(() => import("@/components/login/login-page.tsx").then((module) => module.LoginPage));

/** The console; without a session the login form, at the address of the page. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await requestApi("/session");
  // If the session store does not respond, the console reports that.
  if (session?.status === 401) return <LoginPage />;
  return (
    <ConsoleShell>
      {children}
      <FontLoader families={[sansFont.style.fontFamily, monoFont.style.fontFamily]} />
    </ConsoleShell>
  );
}

import type { ReactNode } from "react";
import { requestApi } from "@/app/api-request.ts";
import { monoFont, sansFont } from "@/app/fonts.ts";
import { FontLoader } from "@/components/app/font-loader.tsx";
import { LazyLoginPage } from "@/components/login/lazy-login-page.tsx";
import { ConsoleShell } from "@/components/shell/console-shell.tsx";

/** Renders the console. Without a session, renders the login form at the same URL instead. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await requestApi("/session");
  // A session store that does not respond does not cause a 401. The console then renders and shows the error.
  if (session?.status === 401) return <LazyLoginPage />;
  return (
    <ConsoleShell>
      {children}
      <FontLoader families={[sansFont.style.fontFamily, monoFont.style.fontFamily]} />
    </ConsoleShell>
  );
}

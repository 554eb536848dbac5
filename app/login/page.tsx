import type { Metadata } from "next";
import { createTitleMetadata } from "@/app/language.ts";
import { LoginPage } from "@/components/login/login-page.tsx";

export async function generateMetadata(): Promise<Metadata> {
  return { ...(await createTitleMetadata("login")()), referrer: "no-referrer" };
}

export default function Page() {
  return <LoginPage />;
}

import type { Metadata } from "next";
import { LoginPage } from "@/components/login/login-page.tsx";

export const metadata: Metadata = { title: "Log in", referrer: "no-referrer" };

export default function Page() {
  return <LoginPage />;
}

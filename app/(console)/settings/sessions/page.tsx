import type { Metadata } from "next";
import { SessionsSettings } from "@/components/settings/sessions-settings.tsx";

export const metadata: Metadata = { title: "Settings" };

export default function Page() {
  return <SessionsSettings />;
}

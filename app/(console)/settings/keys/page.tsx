import type { Metadata } from "next";
import { KeysSettings } from "@/components/settings/keys-settings.tsx";

export const metadata: Metadata = { title: "Settings" };

export default function Page() {
  return <KeysSettings />;
}

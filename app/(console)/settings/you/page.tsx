import type { Metadata } from "next";
import { YouSettings } from "@/components/settings/you-settings.tsx";

export const metadata: Metadata = { title: "Settings" };

export default function Page() {
  return <YouSettings />;
}

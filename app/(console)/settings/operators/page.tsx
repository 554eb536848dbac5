import type { Metadata } from "next";
import { OperatorsSettings } from "@/components/settings/operators-settings.tsx";

export const metadata: Metadata = { title: "Settings" };

export default function Page() {
  return <OperatorsSettings />;
}

import { titled } from "@/app/language.ts";
import { YouSettings } from "@/components/settings/account-settings.tsx";

export const generateMetadata = titled("settings");

export default function Page() {
  return <YouSettings />;
}
